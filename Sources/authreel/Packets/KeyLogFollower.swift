import Captures
import Foundation

/// Reads a key log while others write to it.
final class KeyLogFollower {
    private let descriptor: Int32
    private var offset = 0

    /// Opens the file, and makes it where it is not there yet: who writes to it may be another user than who reads.
    ///
    /// - Parameters:
    ///   - path: what `SSLKEYLOGFILE` is for the programs that are recorded.
    ///   - owner: who shall be able to write to it, where it is made.
    /// - Throws: ``CommandFailure``.
    init(path: String, owner: (user: UInt32, group: UInt32)?) throws {
        var descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0, let owner { fchown(descriptor, owner.user, owner.group) }
        }
        guard descriptor >= 0 else {
            throw CommandFailure(
                .noInput,
                "\(path) cannot be read: \(String(cString: strerror(errno)))",
                hint: "name the file that the programs write as SSLKEYLOGFILE"
            )
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// What was written since the last call; empty where nothing was.
    func news() -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        // Begun anew.
        if Int(status.st_size) < offset { offset = 0 }
        let count = min(Int(status.st_size) - offset, 1 << 20)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard read > 0 else { return [] }
        offset += read
        bytes.removeLast(count - read)
        return bytes
    }
}
