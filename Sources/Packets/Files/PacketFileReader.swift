internal import Captures

/// Reads a capture file packet by packet, whichever of the formats it has.
struct PacketFileReader {
    private let window: PacketFileWindow
    /// One of them is there.
    private var classic: ClassicPcapReader?
    private var pcapng: PcapngReader?

    /// Opens a file, a pipe or, as `-`, standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - progress: see ``PacketFileWindow/init(path:progress:)``.
    /// - Throws: ``PacketError`` where it is no capture, or cannot be read.
    init(path: String, progress: @escaping (_ done: Int, _ total: Int?) -> Void = { _, _ in })
        throws(PacketError)
    {
        window = try PacketFileWindow(path: path, progress: progress)
        _ = try window.need(24)
        if PcapngReader.isSectionHeader(window.bytes) {
            pcapng = PcapngReader(window)
        } else if let format = ClassicPcapReader.Format(window.bytes) {
            classic = try ClassicPcapReader(window, format)
            guard classic != nil else {
                throw .notACapture(
                    path: window.path,
                    offset: window.bytes.count,
                    what: "the capture breaks off in its file header: there are no packets in it"
                )
            }
        } else {
            throw Self.refusal(of: window)
        }
    }

    /// Reads on, and gives at most one packet to a sink; its bytes are there up to the next call.
    ///
    /// - Returns: false where there are no more.
    @inline(__always)
    mutating func step<Sink: PacketSink>(into sink: inout Sink) throws(PacketError) -> Bool {
        if let isRead = try classic?.step(into: &sink) { return isRead }
        return try pcapng?.step(into: &sink) ?? false
    }

    /// What could not be read, in the order of the file; at most about a hundred places.
    var losses: [PacketLoss] {
        var losses = classic?.losses ?? pcapng?.losses ?? PacketLossList()
        if let fault = window.packingFault {
            losses.append(PacketLoss(offset: window.offset, what: fault))
        }
        if let dropped = pcapng?.droppedPackets, dropped > 0 {
            losses.append(
                PacketLoss(
                    what:
                        "dropped when it was captured, by its own count: \(dropped.counted("packet")); a filter helps"
                )
            )
        }
        return losses.all
    }

    /// Why a file is not read.
    static func refusal(of window: PacketFileWindow) -> PacketError {
        let head = Array(window.bytes.first(24))
        let what =
            window.packingFault.map { "nothing can be read: \($0)" }
            ?? (window.packing == .zstandard
                ? "packed with zstd, and no packet capture is in it; zstd -d unpacks it" : nil)
            ?? ForeignCapture.hint(for: head)
            ?? "neither pcap nor pcapng (they begin with a1b2c3d4 or 0a0d0d0a)"
        return .notACapture(path: window.path, offset: 0, what: what)
    }
}

/// What captures of other kinds begin with, and how they become readable.
private enum ForeignCapture {
    static func hint(for head: [UInt8]) -> String? {
        let known: [([UInt8], String)] = [
            ([0x28, 0xb5, 0x2f, 0xfd], "packed with zstd; unpack it with zstd -d first"),
            ([0xfd, 0x37, 0x7a, 0x58], "packed with xz; unpack it with xz -d first"),
            ([0x42, 0x5a, 0x68], "packed with bzip2; unpack it with bzip2 -d first"),
            ([0x04, 0x22, 0x4d, 0x18], "packed with lz4; unpack it with lz4 -d first"),
            ([0x50, 0x4b, 0x03, 0x04], "a zip archive; unpack it first"),
            (Array("snoop\0".utf8), "a capture of snoop; write it anew with editcap -F pcapng OLD NEW"),
            (
                Array("GMBU".utf8),
                "a capture of Network Monitor; write it anew with editcap -F pcapng OLD NEW"
            ),
            (Array("TRSNIFF".utf8), "a capture of Sniffer; write it anew with editcap -F pcapng OLD NEW"),
        ]
        if head.isEmpty { return "the file is empty" }
        return known.first { head.starts(with: $0.0) }?.1
    }
}
