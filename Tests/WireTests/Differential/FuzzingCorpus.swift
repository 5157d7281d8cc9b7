import Foundation
import TestSupport

/// The inputs below `Tests/Regressions` that were kept of fuzzing.
enum FuzzingCorpus {
    /// Name and bytes of every file of a folder, by name; none where the folder is not there.
    ///
    /// `folder`: below `Tests/Regressions`, for example `HTTP1`.
    static func inputs(_ folder: String) throws -> [(name: String, bytes: [UInt8])] {
        let root = Fixtures.root.appending(path: "Tests/Regressions/\(folder)")
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
        var inputs: [(name: String, bytes: [UInt8])] = []
        for case let file as URL in found ?? FileManager.DirectoryEnumerator() {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                !["md", "txt"].contains(file.pathExtension)
            else { continue }
            inputs.append((file.lastPathComponent, Array(try Data(contentsOf: file))))
        }
        return inputs.sorted { $0.name < $1.name }
    }
}
