import Captures
import Foundation
import JSON

/// Opens what is imported: HAR of any producer, encrypted or not, and packet captures.
struct ImportInput {
    let identities: IdentityOptions
    let keyLogs: [String]
    let maximumBodyBytes: Int
    /// Beside which captures of packets wait; nil for the folder of temporary files.
    let target: String?

    /// A file, read as a capture.
    struct Opened {
        var source: CaptureMerger.Source
        /// A capture that it was written to on the way; nil for one that was read as it is.
        var written: UnfinishedFile?
        /// What could not be read of the packets, with its place.
        var packetLosses: [String] = []
        /// What the capture is read from as long as it is used.
        var held: [UnfinishedFile] = []
    }

    /// `progress`: is told how far a packet capture is, from 0 to 1.
    func open(_ path: String, progress: @escaping (Double) -> Void, beforeAsking: @escaping () -> Void) throws
        -> Opened
    {
        let source = try Self.source(path)
        let name = path == "-" ? "standard input" : path
        guard PacketInput.isPacketFile(source.bytes(at: 0, count: PacketInput.headSize)) else {
            let capture = try identities.read(source, path: path, beforeAsking: beforeAsking)
            return Opened(source: CaptureMerger.Source(name: name, capture: capture))
        }
        // Packets are looked at more than once: what comes through a pipe is put into a file.
        var held: [UnfinishedFile] = []
        var packets = path
        var status = stat()
        if path == "-" || stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
            let file = UnfinishedFile(for: target)
            held.append(file)
            try OutputFile.write(to: file.path, isPrivate: true) { try Self.copy(source, to: $0) }
            packets = file.path
        }
        let file = UnfinishedFile(for: target)
        held.append(file)
        let (capture, losses) = try PacketInput.write(
            path: packets,
            keyLogs: keyLogs,
            to: try WrittenCapture(
                newAt: file.path,
                version: Authreel.version,
                logMembers: CaptureMerger.logMembers(of: name)
            ),
            maximumBodyBytes: maximumBodyBytes,
            progress: progress
        )
        return Opened(
            source: CaptureMerger.Source(name: name, capture: capture),
            written: file,
            packetLosses: losses,
            held: held
        )
    }

    private static func source(_ path: String) throws(CommandFailure) -> CaptureSource {
        do throws(CaptureError) {
            return try CaptureSource(path: path)
        } catch {
            guard case .noSuchFile = error else { throw CommandFailure(error) }
            throw CommandFailure(.noInput, "\(path): no such file")
        }
    }

    /// Hands out all bytes of a source, a piece at a time.
    static func copy(_ source: CaptureSource, to sink: OutputFile.Sink) throws {
        var offset = 0
        while offset < source.size {
            let window = source.bytes(at: offset, count: 1 << 20)
            guard !window.isEmpty else {
                throw CommandFailure(.noInput, "a file has become shorter while it was read")
            }
            try sink(window[...])
            offset += window.count
        }
    }
}
