#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import JSON

/// Bodies in files of their own beside the capture, as Playwright writes them: `_file` beside a HAR, `_sha1` under
/// `resources` beside a trace.
///
/// A capture may come from anywhere, and what it names must not end up in what is shared of it. So the only files that are
/// read are those with such a name as Playwright gives them (the SHA-1 of the body, with an ending), in these two folders,
/// regular, and no links.
struct BodyFiles: Sendable {
    private let folder: String

    private static let maximumBody = 64 << 20

    init(beside path: String) {
        folder = path.utf8.lastIndex(of: 0x2f).map { String(path[...$0]) } ?? ""
    }

    /// What reads the body that `content` or `postData` names; nil where there is no such file.
    func body(told: JSONObject) -> (@Sendable () -> [UInt8]?)? {
        let paths = [
            told["_file"]?.string.flatMap { Self.isSHA1(named: $0) ? folder + $0 : nil },
            told["_sha1"]?.string.flatMap { Self.isSHA1(named: $0) ? "\(folder)resources/\($0)" : nil },
        ]
        guard let path = paths.lazy.compactMap({ $0 }).first(where: { Self.source(at: $0) != nil }) else {
            return nil
        }
        return { Self.source(at: path)?.bytes(at: 0, count: Self.maximumBody) }
    }

    /// `da39a3ee5e6b4b0d3255bfef95601890afd80709.html`.
    static func isSHA1(named name: String) -> Bool {
        let parts = name.utf8.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard let digest = parts.first, digest.count == 40, parts.count <= 2 else { return false }
        let isLetter = { (byte: UInt8) in byte.isASCIIAlphanumeric
        }
        return digest.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
            && (parts.count == 1
                || !parts[1].isEmpty && parts[1].count <= 16 && parts[1].allSatisfy(isLetter))
    }

    private static func source(at path: String) -> CaptureSource? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return try? CaptureSource(descriptor: descriptor, name: path)
    }
}

extension Capture {
    /// Gives bodies to the entries that only name a file beside the capture; see ``BodyFiles``.
    package mutating func takeBodies(fromFilesBeside path: String) {
        let files = BodyFiles(beside: path)
        attachBodies(files.body)
    }
}
