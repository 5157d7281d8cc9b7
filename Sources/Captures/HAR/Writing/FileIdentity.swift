#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which file it is, whatever its name.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Of a file that has just been opened.
    ///
    /// - Parameters:
    ///   - descriptor: of the open file.
    ///   - path: its name.
    /// - Returns: nil where the two do not agree: some network file systems make numbers up as they are asked.
    static func stable(of descriptor: Int32, at path: String) -> FileIdentity? {
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0 else { return nil }
        let identity = FileIdentity(opened)
        return identity == FileIdentity(named) ? identity : nil
    }
}
