import Foundation

/// Standard output, which may be a file on a full disk, or closed.
enum StandardOutput {
    /// Writes all of the bytes.
    ///
    /// - Throws: ``CommandFailure`` with the system's reason when it takes no more of them.
    static func write(_ bytes: ArraySlice<UInt8>) throws {
        try OutputFile.append(bytes, to: STDOUT_FILENO, named: "standard output")
    }

    /// Writes what was printed, and is still held back.
    ///
    /// - Throws: ``CommandFailure`` where not all that was printed is written.
    static func finish() throws {
        guard fflush(nil) != 0 else { return }
        throw CommandFailure(
            .unavailable,
            "standard output cannot be written: \(String(cString: strerror(errno)))"
        )
    }
}
