import Captures
import Foundation

/// Standard output, which may be a file on a full disk, or closed.
///
/// Who reads no more of it (`| head -1`) has what was wanted: the rest goes nowhere, and the exit status is that of the command.
enum StandardOutput {
    /// A reader that leaves does not end the program, from now on.
    static func outliveReaders() { signal(SIGPIPE, SIG_IGN) }

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
        guard fflush(nil) != 0, errno != EPIPE else { return }
        throw OutputFile.unfinished("standard output", errno.systemReason)
    }
}
