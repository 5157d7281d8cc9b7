#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A file of session secrets, one line each, in the format that Wireshark reads (`SSLKEYLOGFILE`).
///
/// One file takes the lines of all connections, of both legs. A line is one write to a descriptor opened for
/// appending, so lines of several threads or processes do not mix.
package final class KeyLog: Sendable {
    private let descriptor: CInt

    /// Opens the file for appending; makes it, readable by its owner only, where it is missing.
    ///
    /// As a capture's file: an empty one becomes its owner's alone, and a link is not followed, but where the system names
    /// what a process has open.
    ///
    /// - Throws: ``KeyLogError`` with the system's words, or where the file holds something else.
    package init(path: String) throws(KeyLogError) {
        guard !Self.holdsSomethingElse(path) else {
            throw KeyLogError(path: path, reason: "it holds something else, which is not appended to")
        }
        let link = Self.openFiles.contains(where: path.hasPrefix) ? 0 : O_NOFOLLOW
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | link, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == ELOOP ? "it is a link, which is not followed" : SystemError.words(errno)
            throw KeyLogError(path: path, reason: reason)
        }
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size == 0 {
            fchmod(descriptor, 0o600)
        }
    }

    /// What the names begin with by which the system leads to files that are open, by links.
    private static let openFiles = ["/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/"]

    deinit { close(descriptor) }

    /// Whether a file has text, and neither a line of keys nor nothing but blanks and remarks where it begins.
    private static func holdsSomethingElse(_ path: String) -> Bool {
        // A pipe's reader is waited for where it is written to.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        var start = [UInt8](repeating: 0, count: 4096)
        let count = start.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        let lines = start.prefix(max(0, count)).split { $0 == 0x0a || $0 == 0x0d }
        return !lines.contains(where: isOfKeys)
            && lines.contains { line in line.first { $0 > 0x20 }.map { $0 != 0x23 } ?? false }
    }

    /// `CLIENT_RANDOM`, a blank, and a number in hexadecimal; or as older programs name a session.
    private static func isOfKeys(_ line: ArraySlice<UInt8>) -> Bool {
        if line.starts(with: Array("RSA Session-ID:".utf8)) { return true }
        let words = line.split(separator: 0x20, maxSplits: 2)
        guard words.count == 3 else { return false }
        return words[0].allSatisfy { (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f }
            && words[1].allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0)
            }
    }

    /// Appends a line, which comes without its end.
    ///
    /// Best effort: a full disk must not end the connections whose secrets it would have held.
    func append(_ line: UnsafePointer<CChar>) {
        var bytes = Array(UnsafeRawBufferPointer(start: line, count: strlen(line)))
        bytes.append(0x0a)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// Why the key log cannot be written.
package struct KeyLogError: Error, Equatable, CustomStringConvertible {
    let path: String
    let reason: String

    package var description: String { "cannot write the key log \(path): \(reason)" }
}
