import Captures

/// Reads the classic pcap format: a file header, then every packet behind a header of its own; and what was put behind its end, as who
/// writes to the end of a file each time it starts does: another file header, and packets.
///
/// draft-ietf-opsawg-pcap. Where a packet's header cannot be one, the next place is looked for at which two headers follow
/// each other.
struct ClassicPcapReader {
    /// What the file's first four bytes say.
    struct Format: Sendable {
        var order: ByteOrder
        /// Nanoseconds in the smaller unit of a packet's time.
        var unit: UInt32
        /// Bytes before a packet's own; where there are several, the first is usual.
        var packetHeaders: [Int]

        init?(_ head: UnsafeRawBufferPointer) {
            guard head.count >= 4 else { return nil }
            let magic = head.loadUnaligned(as: UInt32.self)
            for isSwapped in [false, true] {
                order = ByteOrder(isSwapped: isSwapped)
                switch isSwapped ? magic.byteSwapped : magic {
                // Nokia's and an early one of Red Hat's have more behind the lengths, and do not say so.
                case 0xa1b2_c3d4: (unit, packetHeaders) = (1000, [16, 24, 20])
                case 0xa1b2_3c4d: (unit, packetHeaders) = (1, [16])
                // Kuznetzov's: interface, protocol and direction stand behind the lengths; in another, the processor, too.
                case 0xa1b2_cd34: (unit, packetHeaders) = (1000, [24, 28])
                default: continue
                }
                return
            }
            return nil
        }
    }

    /// What the header of a file says.
    private struct FileHeader {
        static let size = 24

        var format: Format
        var linkType: LinkType
        var hasSwappedLengths: Bool
        /// Bytes of a packet.
        var maximum: Int

        /// `head`: of the file, as many bytes as its header has.
        init(_ format: Format, _ head: UnsafeRawBufferPointer) {
            self.format = format
            // The bits above say how long a frame's check sequence is; IP's own length leaves that out.
            linkType = LinkType(rawValue: format.order.integer(head, 20, as: UInt32.self) & 0x03ff_ffff)
            // Before version 2.3 the packet's length stood before what was kept of it.
            hasSwappedLengths =
                format.order.integer(head, 4, as: UInt16.self) == 2
                && format.order.integer(head, 6, as: UInt16.self) < 3
            let snapLength = Int(format.order.integer(head, 16, as: UInt32.self))
            maximum = min(max(snapLength, ClassicPcapReader.usualMaximum), PacketFile.maximumBlock)
        }
    }

    /// What a packet's header says.
    private struct Header {
        var seconds: UInt32
        var fraction: UInt32
        var captured: Int
        var original: Int
    }

    /// The most that programs capture of a packet if they are not told otherwise.
    fileprivate static let usualMaximum = 262_144

    private(set) var losses = PacketLossList()
    private let window: PacketFileWindow
    private var file: FileHeader
    /// Bytes before a packet's own.
    private var packetHeader: Int
    private var number = 0
    private var lastSeconds: UInt32?

    /// Nil where the file ends within its header.
    init?(_ window: PacketFileWindow, _ format: Format) throws(PacketError) {
        guard window.bytes.count >= FileHeader.size else { return nil }
        self.window = window
        file = FileHeader(format, window.bytes)
        packetHeader = format.packetHeaders[0]
        window.advance(FileHeader.size)
        packetHeader = try probablePacketHeader()
    }

    /// Goes on with the packets of another file that stands behind the one at hand.
    ///
    /// - Returns: false where none does.
    private mutating func beginNextFile() throws(PacketError) -> Bool {
        guard try window.need(FileHeader.size), let format = Format(window.bytes),
            format.order.integer(window.bytes, 4, as: UInt16.self) == 2
        else { return false }
        file = FileHeader(format, window.bytes)
        packetHeader = format.packetHeaders[0]
        lastSeconds = nil
        window.advance(FileHeader.size)
        packetHeader = try probablePacketHeader()
        return true
    }

    /// Gives the next packet to a sink.
    ///
    /// - Returns: false where there is none.
    @inline(__always)
    mutating func step<Sink: PacketSink>(into sink: inout Sink) throws(PacketError) -> Bool {
        let size = packetHeader
        guard try window.need(size) else { return end() }
        let header = header(at: window.bytes)
        guard header.captured <= file.maximum else { return try findNext(behind: header) }
        // In the header of a file, zeros stand where a packet's has its lengths.
        if header.captured == 0, header.original == 0, try beginNextFile() { return true }
        guard try window.need(size + header.captured) else { return end(within: header) }
        number += 1
        lastSeconds = header.seconds
        let nanoseconds =
            Int64(header.seconds) * 1_000_000_000 + Int64(header.fraction) * Int64(file.format.unit)
        sink.receive(
            Packet(
                number: number,
                time: Timestamp(nanoseconds: nanoseconds),
                linkType: file.linkType,
                bytes: UnsafeRawBufferPointer(rebasing: window.bytes[size..<(size + header.captured)]),
                originalLength: max(header.original, header.captured)
            )
        )
        window.advance(size + header.captured)
        return true
    }

    /// Says what the file breaks off in; nil for within a packet's header, of which there may be nothing.
    private mutating func end(within header: Header? = nil) -> Bool {
        let rest = window.bytes.count
        guard rest > 0 else { return false }
        losses.append(
            PacketLoss(
                offset: window.offset,
                packet: number + 1,
                what: header.map {
                    "the capture breaks off \(rest - packetHeader) bytes into this packet, which has \($0.captured)"
                } ?? "the capture breaks off \(rest.counted("byte")) into the header of this packet"
            )
        )
        return false
    }

    /// The length of header with which the first packet ends where the second begins; the usual one where none does.
    private func probablePacketHeader() throws(PacketError) -> Int {
        guard try window.need(packetHeader), isPlausible(header(at: window.bytes)) else {
            return packetHeader
        }
        let captured = header(at: window.bytes).captured
        for size in file.format.packetHeaders where try window.need(2 * size + captured) {
            if isPlausible(header(at: window.bytes.behind(size + captured))) { return size }
        }
        return packetHeader
    }

    @inline(__always)
    private func header(at bytes: UnsafeRawBufferPointer) -> Header {
        let order = file.format.order
        let first = Int(order.integer(bytes, 8, as: UInt32.self))
        let second = Int(order.integer(bytes, 12, as: UInt32.self))
        return Header(
            seconds: order.integer(bytes, 0, as: UInt32.self),
            fraction: order.integer(bytes, 4, as: UInt32.self),
            captured: file.hasSwappedLengths ? second : first,
            original: file.hasSwappedLengths ? first : second
        )
    }

    // MARK: - Behind damage

    /// Goes to the next packet behind a header that cannot be one.
    ///
    /// - Returns: false where there is none.
    private mutating func findNext(behind broken: Header) throws(PacketError) -> Bool {
        let start = window.offset
        window.advance(1)
        while try window.need(packetHeader) {
            if isPlausible(header(at: window.bytes)), try isFollowedByAnother() {
                losses.append(
                    PacketLoss(
                        offset: start,
                        packet: number + 1,
                        what: "says it has \(broken.captured) bytes, which no packet has;"
                            + " \(window.offset - start) bytes are passed over"
                    )
                )
                return true
            }
            window.advance(1)
        }
        losses.append(
            PacketLoss(
                offset: start,
                packet: number + 1,
                what: "says it has \(broken.captured) bytes, which no packet has;"
                    + " nothing behind it can be read"
            )
        )
        return false
    }

    private func isPlausible(_ header: Header) -> Bool {
        guard header.captured > 0, header.captured <= min(file.maximum, Self.usualMaximum),
            header.original >= header.captured, header.original <= Self.usualMaximum,
            header.fraction < 1_000_000_000 / file.format.unit
        else { return false }
        guard let lastSeconds else { return true }
        return abs(Int64(header.seconds) - Int64(lastSeconds)) <= 86_400
    }

    /// Whether the packet at the window's beginning ends where another begins, or where the file ends.
    private func isFollowedByAnother() throws(PacketError) -> Bool {
        let end = packetHeader + header(at: window.bytes).captured
        guard try window.need(end + packetHeader) else { return window.bytes.count == end }
        return isPlausible(header(at: window.bytes.behind(end)))
    }
}
