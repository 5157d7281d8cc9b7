import Captures

/// Packet captures in files: classic pcap, pcapng, and either of them gzip'ed; which one is told by the first bytes.
package enum PacketFile {
    /// More than any packet or list of keys has; a block that says it has more is passed over.
    static let maximumBlock = 16 << 20

    /// Whether a file that begins like this is a packet capture.
    ///
    /// `head`: its first bytes; four are enough, some hundred where it is gzip'ed.
    package static func isPacketFile(_ head: some Collection<UInt8>) -> Bool {
        var head = Array(head.prefix(4096))
        if head.starts(with: [0x1f, 0x8b]) { head = unpackedHead(head) }
        return head.withUnsafeBytes {
            ClassicPcapReader.Format($0) != nil || PcapngReader.isSectionHeader($0)
        }
    }

    /// Gives every packet of a file to a sink, and the TLS keys that stand between them.
    ///
    /// - Parameters:
    ///   - path: the file; a pipe, or `-` for standard input, is read as well.
    ///   - sink: takes the packets.
    ///   - progress: called about once a megabyte with the bytes of the file that were read, and how many there are
    ///     where that is known.
    /// - Returns: what could not be read, in the order of the file; at most about a hundred places.
    /// - Throws: ``PacketError`` where nothing can be read, or reading fails.
    package static func read<Sink: PacketSink>(
        path: String,
        into sink: inout Sink,
        progress: (_ done: Int, _ total: Int?) -> Void = { _, _ in }
    ) throws(PacketError) -> [PacketLoss] {
        // The window outlives no call of the closure: it is gone when this returns.
        let result = withoutActuallyEscaping(progress) { progress in
            Result { () throws(PacketError) in
                try read(from: PacketFileWindow(path: path, progress: progress), into: &sink)
            }
        }
        return try result.get()
    }

    /// The lines of TLS key logs that stand in a file, wherever in it, without looking at its packets.
    ///
    /// They may stand behind the packets they open, so that somebody who wants to read those needs them first. What can
    /// be read once only (a pipe) is left alone.
    ///
    /// - Returns: one text for each block; 256 MB of them at most.
    /// - Throws: ``PacketError`` as ``read(path:into:progress:)``.
    package static func keyLogs(in path: String) throws(PacketError) -> [[UInt8]] {
        let window = try PacketFileWindow(path: path)
        guard window.isRegular else { return [] }
        guard try window.need(4), PcapngReader.isSectionHeader(window.bytes) else {
            guard ClassicPcapReader.Format(window.bytes) != nil else { throw refusal(of: window) }
            return []
        }
        var sink = KeyLogCollector()
        var reader = PcapngReader(window)
        reader.readsPackets = false
        try reader.read(into: &sink)
        return sink.texts
    }

    private static func read<Sink: PacketSink>(
        from window: PacketFileWindow,
        into sink: inout Sink
    ) throws(PacketError) -> [PacketLoss] {
        var losses: PacketLossList
        _ = try window.need(24)
        if PcapngReader.isSectionHeader(window.bytes) {
            var reader = PcapngReader(window)
            try reader.read(into: &sink)
            losses = reader.losses
        } else if let format = ClassicPcapReader.Format(window.bytes) {
            guard var reader = ClassicPcapReader(window, format) else {
                throw .notACapture(
                    path: window.path,
                    offset: window.bytes.count,
                    what: "the capture breaks off in its file header: there are no packets in it"
                )
            }
            try reader.read(into: &sink)
            losses = reader.losses
        } else {
            throw refusal(of: window)
        }
        if let fault = window.packingFault {
            losses.append(PacketLoss(offset: window.offset, what: fault))
        }
        return losses.all
    }

    private static func refusal(of window: PacketFileWindow) -> PacketError {
        let head = Array(window.bytes.first(24))
        let what =
            window.packingFault.map { "nothing can be read: \($0)" }
            ?? ForeignCapture.hint(for: head)
            ?? "neither pcap nor pcapng (they begin with a1b2c3d4 or 0a0d0d0a)"
        return .notACapture(path: window.path, offset: 0, what: what)
    }

    private static func unpackedHead(_ packed: [UInt8]) -> [UInt8] {
        guard let inflater = InflateDecoder(.gzip) else { return [] }
        return [UInt8](unsafeUninitializedCapacity: 64) { head, count in
            packed.withUnsafeBufferPointer { packed in
                var used = 0
                while count < head.count, used < packed.count {
                    let step = inflater.step(
                        UnsafeBufferPointer(rebasing: packed[used...]),
                        into: UnsafeMutableBufferPointer(rebasing: head[count...])
                    )
                    used += step.used
                    count += step.filled
                    guard case .goesOn = step.step, step.used > 0 || step.filled > 0 else { return }
                }
            }
        }
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

/// Keeps the key logs and looks at no packet.
private struct KeyLogCollector: PacketSink {
    static let maximum = 256 << 20

    var texts: [[UInt8]] = []
    private var count = 0

    mutating func receive(_ packet: Packet) {}

    mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {
        guard count + lines.count <= Self.maximum else { return }
        count += lines.count
        texts.append(Array(lines))
    }
}
