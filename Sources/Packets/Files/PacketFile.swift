import Captures

/// Packet captures in files: classic pcap, pcapng, and either of them packed with gzip or zstd; which one is told by the first bytes.
package enum PacketFile {
    /// More than any packet or list of keys has; a block that says it has more is passed over.
    static let maximumBlock = 16 << 20

    /// Whether a file that begins like this is a packet capture.
    ///
    /// `head`: its first bytes; four are enough, some hundred where it is gzip'ed. What is packed with zstd is taken for one where that can
    /// be undone: no byte of it is known before some hundred thousand.
    package static func isPacketFile(_ head: some Collection<UInt8>) -> Bool {
        var head = Array(head.prefix(4096))
        switch PacketFilePacking(head) {
        case .gzip: head = unpackedHead(head)
        case .zstandard: return ZstandardDecoder.isAvailable
        case nil: break
        }
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
        // The reader outlives no call of the closure: it is gone when this returns.
        let result = withoutActuallyEscaping(progress) { progress in
            Result { () throws(PacketError) in
                var reader = try PacketFileReader(path: path, progress: progress)
                while try reader.step(into: &sink) {}
                return reader.losses
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
            guard ClassicPcapReader.Format(window.bytes) != nil else {
                throw PacketFileReader.refusal(of: window)
            }
            return []
        }
        var sink = KeyLogCollector()
        var reader = PcapngReader(window)
        reader.readsPackets = false
        while try reader.step(into: &sink) {}
        return sink.texts
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
