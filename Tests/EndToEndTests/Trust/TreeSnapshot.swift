import Foundation
import LibCrypto

/// The names, link targets, modes and contents of everything below some folders.
struct TreeSnapshot {
    private var entries: [String: String] = [:]

    init(of folders: [String]) {
        for folder in folders {
            add(folder)
            for name in (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [] {
                add("\(folder)/\(name)")
            }
        }
    }

    private mutating func add(_ path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return }
        let mode = String(facts.st_mode, radix: 8)
        switch facts.st_mode & S_IFMT {
        case S_IFLNK:
            entries[path] =
                "\(mode) -> " + ((try? FileManager.default.destinationOfSymbolicLink(atPath: path)) ?? "?")
        case S_IFREG:
            let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
            entries[path] = "\(mode) " + Digest.of(bytes).map { String($0, radix: 16) }.joined(separator: ".")
        default: entries[path] = mode
        }
    }

    /// The paths that are not in both, or not the same in both, sorted.
    func differences(from other: TreeSnapshot) -> [String] {
        Set(entries.keys).union(other.entries.keys).filter { entries[$0] != other.entries[$0] }.sorted()
    }
}
