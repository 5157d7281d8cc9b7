#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a capture: a file that is read in pieces, a text in memory, or the former behind the latter.
///
/// `@unchecked Sendable`: the descriptor is never changed, and `pread` has no position that threads could
/// share.
package final class CaptureSource: @unchecked Sendable {
    private let descriptor: Int32
    /// Before the bytes of the file.
    private let memory: [UInt8]
    /// Where the file is read from.
    private let begin: Int
    /// Bytes at the time of opening; what is appended later is not looked at.
    package let size: Int

    /// Opens a regular file, a pipe or, as `-`, standard input; what is no regular file is read whole.
    ///
    /// `scratch`: the folder for what comes through a pipe and is too much for memory, in a file without a name.
    package convenience init(path: String, scratch: String = CaptureReader.defaultScratch)
        throws(CaptureError)
    {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .noSuchFile(path: path) : .inputOutput(path: path, number: errno)
        }
        try self.init(descriptor: descriptor, name: path, scratch: scratch)
    }

    /// Takes over what is open for reading already, and closes it at the end.
    ///
    /// - Parameters:
    ///   - descriptor: a file, a pipe or the like.
    ///   - path: what errors call it.
    ///   - scratch: see ``init(path:scratch:)``.
    ///   - head: bytes that were read of a pipe before.
    /// - Throws: ``CaptureError/inputOutput(path:reason:)``, also for devices that are no terminal, which have no end.
    package init(
        descriptor: Int32,
        name path: String,
        scratch: String = CaptureReader.defaultScratch,
        behind head: [UInt8] = []
    ) throws(CaptureError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .inputOutput(path: path, number: errno)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw .inputOutput(path: path, reason: "is a folder")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            defer { close(descriptor) }
            let text = ScratchText(folder: scratch, name: path)
            try Self.readToEnd(
                descriptor,
                path: path,
                behind: head,
                isDevice: status.st_mode & S_IFMT == S_IFCHR && isatty(descriptor) == 0,
                into: text
            )
            (memory, self.descriptor) = try text.take()
            begin = 0
            size = text.count
            return
        }
        self.descriptor = descriptor
        memory = []
        begin = 0
        size = Int(status.st_size)
    }

    /// Whether there is more of the file than when it was opened.
    var hasGrown: Bool {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return false }
        return Int(status.st_size) > begin + size - memory.count
    }

    /// Opens a file, or takes a copy of what is open for reading already.
    convenience init(path: String, descriptor: Int32?) throws(CaptureError) {
        guard let descriptor else {
            try self.init(path: path)
            return
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .inputOutput(path: path, number: errno) }
        try self.init(descriptor: copy, name: path)
    }

    /// Opens a part of a regular file.
    ///
    /// - Parameters:
    ///   - whole: the file.
    ///   - path: what errors call it.
    ///   - offset: where the part begins; it goes to the end.
    ///   - passed: bytes of which any number is passed over at its beginning, as far as there are some within two.
    ///   - memory: stands before the part.
    /// - Throws: ``CaptureError``.
    init(
        _ whole: CaptureSource,
        name path: String,
        from offset: Int,
        passing passed: [UInt8],
        behind memory: [UInt8]
    ) throws(CaptureError) {
        let copy = fcntl(whole.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw .inputOutput(path: path, number: errno)
        }
        let begin = min(offset, whole.size)
        self.begin = begin + whole.bytes(at: begin, count: 2).prefix { passed.contains($0) }.count
        self.memory = memory
        descriptor = copy
        size = memory.count + whole.size - self.begin
    }

    package init(bytes: [UInt8]) {
        descriptor = -1
        memory = bytes
        begin = 0
        size = bytes.count
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The bytes of a range; fewer when the file has become shorter since.
    package func bytes(at offset: Int, count: Int) -> [UInt8] {
        guard offset < size else { return [] }
        let count = min(count, size - offset)
        guard descriptor >= 0 else { return Array(memory[offset..<(offset + count)]) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if offset < memory.count {
                for byte in memory[offset..<min(offset + count, memory.count)] {
                    buffer.initializeElement(at: filled, to: byte)
                    filled += 1
                }
            }
            let start = begin + offset - memory.count
            while filled < count {
                let read = pread(
                    descriptor,
                    buffer.baseAddress?.advanced(by: filled),
                    count - filled,
                    off_t(start + filled)
                )
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                filled += read
            }
        }
    }

    private static func readToEnd(
        _ descriptor: Int32,
        path: String,
        behind head: [UInt8],
        isDevice: Bool,
        into text: ScratchText
    ) throws(CaptureError) {
        try head.withUnsafeBufferPointer { bytes throws(CaptureError) in try text.append(bytes) }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .inputOutput(path: path, number: errno) }
            guard count > 0 else { return }
            // `/dev/null` has nothing; of others nobody knows an end.
            guard !isDevice else { throw .inputOutput(path: path, reason: "is a device") }
            try chunk[..<count].withUnsafeBufferPointer { bytes throws(CaptureError) in
                try text.append(bytes)
            }
        }
    }
}
