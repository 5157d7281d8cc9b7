import Captures

/// The one place where packet captures come in.
enum PacketInput {
    /// Bytes that tell what a file is.
    static let headSize = 4

    /// Whether a file begins as pcap (microseconds or nanoseconds, either byte order) or pcapng does.
    static func isPacketFile(_ head: [UInt8]) -> Bool {
        [
            [0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0x0a, 0x0d, 0x0d, 0x0a],
        ].contains(Array(head.prefix(headSize)))
    }

    /// Writes the exchanges of a packet capture into a capture of ours.
    ///
    /// - Parameters:
    ///   - path: of the packet capture.
    ///   - keyLogs: files with TLS secrets.
    ///   - writer: of a capture that is read afterwards.
    ///   - maximumBodyBytes: of a body that are kept.
    ///   - progress: is told how far it is, from 0 to 1.
    /// - Returns: what of the packets could not be read, with its place.
    /// - Throws: ``CommandFailure``.
    static func write(
        path: String,
        keyLogs: [String],
        to writer: CaptureWriter,
        maximumBodyBytes: Int,
        progress: (Double) -> Void
    ) throws -> [String] {
        throw CommandFailure(
            .dataError,
            "\(path) is a packet capture, which cannot be read yet",
            hint: "record the login with authreel record, or export HAR"
        )
    }
}
