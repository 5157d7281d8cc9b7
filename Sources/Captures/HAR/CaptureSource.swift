#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a capture: a file that is read in pieces, or a text in memory.
///
/// `@unchecked Sendable`: the descriptor is never changed, and `pread` has no position that threads could
/// share.
package final class CaptureSource: @unchecked Sendable {
    private let descriptor: Int32
    private let memory: [UInt8]
    /// Bytes at the time of opening; what is appended later is not looked at.
    package let size: Int

    /// Opens a regular file, a pipe or, as `-`, standard input; what is no regular file is read whole.
    package convenience init(path: String) throws(CaptureError) {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .noSuchFile(path: path) : .inputOutput(path: path, reason: String(cString: strerror(errno)))
        }
        try self.init(descriptor: descriptor, name: path)
    }

    /// Takes over what is open for reading already, and closes it at the end; `path` is what errors call it.
    package init(descriptor: Int32, name path: String) throws(CaptureError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .inputOutput(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw .inputOutput(path: path, reason: "is a folder")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            defer { close(descriptor) }
            memory = try Self.readToEnd(descriptor, path: path)
            self.descriptor = -1
            size = memory.count
            return
        }
        self.descriptor = descriptor
        memory = []
        size = Int(status.st_size)
    }

    package init(bytes: [UInt8]) {
        descriptor = -1
        memory = bytes
        size = bytes.count
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The bytes of a range; fewer when the file has become shorter since.
    package func bytes(at offset: Int, count: Int) -> [UInt8] {
        guard offset < size else { return [] }
        let count = min(count, size - offset)
        guard descriptor >= 0 else { return Array(memory[offset..<(offset + count)]) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: filled),
                    count - filled,
                    off_t(offset + filled)
                )
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                filled += read
            }
        }
    }

    private static func readToEnd(_ descriptor: Int32, path: String) throws(CaptureError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .inputOutput(path: path, reason: String(cString: strerror(errno))) }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk[..<count])
        }
    }
}
