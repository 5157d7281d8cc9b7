#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Bytes that were unpacked or converted: in memory while they are few, then in a file that has no name.
///
/// The file is for its owner only (0600), and is gone with the last reader of ``source``.
final class ScratchText {
    private var bytes: [UInt8] = []
    private var descriptor: Int32 = -1
    private(set) var count = 0
    private let folder: String
    private let name: String

    /// From this size on they are in a file.
    private static let spoolingSize = 8 << 20

    /// `name`: what errors call it.
    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// An empty one, for what stands between a file and this.
    func another() -> ScratchText { ScratchText(folder: folder, name: name) }

    /// - Throws: ``CaptureError/inputOutput(path:reason:)`` where there is no room.
    func append(_ piece: UnsafeBufferPointer<UInt8>) throws(CaptureError) {
        count += piece.count
        guard descriptor < 0 else { return try write(piece) }
        bytes.append(contentsOf: piece)
        guard bytes.count > Self.spoolingSize else { return }
        let path = "\(folder)/.authreel-text-\(UInt64.random(in: 0...UInt64.max))"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        unlink(path)
        let held = bytes
        bytes = []
        try held.withUnsafeBufferPointer { piece throws(CaptureError) in try write(piece) }
    }

    private func write(_ piece: UnsafeBufferPointer<UInt8>) throws(CaptureError) {
        var done = 0
        while done < piece.count {
            #if canImport(Glibc)
            let written = Glibc.write(descriptor, piece.baseAddress.map { $0 + done }, piece.count - done)
            #elseif canImport(Musl)
            let written = Musl.write(descriptor, piece.baseAddress.map { $0 + done }, piece.count - done)
            #else
            let written = Darwin.write(descriptor, piece.baseAddress.map { $0 + done }, piece.count - done)
            #endif
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure() }
            done += written
        }
    }

    private func failure() -> CaptureError {
        .inputOutput(
            path: name,
            reason: "there is no room for it in \(folder): \(errno.systemReason)"
        )
    }

    /// What was collected, in memory or in a file, which the caller has to close; nothing may be appended afterwards.
    func take() throws(CaptureError) -> (bytes: [UInt8], descriptor: Int32) {
        guard descriptor >= 0 else { return (bytes, -1) }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw failure() }
        return ([], copy)
    }

    /// What was collected; nothing may be appended afterwards.
    func source() throws(CaptureError) -> CaptureSource {
        guard descriptor >= 0 else { return CaptureSource(bytes: bytes) }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw failure() }
        return try CaptureSource(descriptor: copy, name: name)
    }
}
