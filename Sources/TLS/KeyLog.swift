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
    /// - Throws: ``KeyLogError`` with the system's words.
    package init(path: String) throws(KeyLogError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw KeyLogError(path: path, reason: String(cString: strerror(errno))) }
    }

    deinit { close(descriptor) }

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
