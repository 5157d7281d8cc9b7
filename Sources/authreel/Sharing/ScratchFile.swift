import Captures
import Foundation

/// A text that is read again before anybody may see it: a file without a name, gone with the program however that ends.
final class ScratchFile {
    /// Pieces are written together.
    private static let blockSize = 1 << 18

    private let folder: String
    private let descriptor: Int32
    private var block: [UInt8] = []

    /// Makes it.
    ///
    /// `folder`: where there is room for it; the system's folder for temporary files is often memory.
    /// Throws ``CommandFailure`` when no file can be made there.
    init(in folder: String) throws {
        self.folder = folder
        var template = Array("\(folder)/.authreel-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .noInput,
                "no file can be written in \(folder): \(errno.systemReason)",
                hint: OutputFile.writable
            )
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Throws ``CommandFailure`` when there is no room.
    func append(_ bytes: ArraySlice<UInt8>) throws {
        block += bytes
        if block.count >= Self.blockSize { try flush() }
    }

    private func flush() throws {
        try OutputFile.append(block[...], to: descriptor, named: "a file in \(folder)")
        block.removeAll(keepingCapacity: true)
    }

    /// What was written so far, to be read.
    func source() throws -> CaptureSource {
        try flush()
        return try CaptureSource(descriptor: dup(descriptor), name: "a file in \(folder)")
    }
}
