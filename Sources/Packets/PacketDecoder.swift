import Captures

/// Reads the TCP connections out of packets: link layer, IP with its fragments, TCP.
///
/// What carries no TCP is passed over; packets inside of packets (IP in IP, GRE, VXLAN) are looked into. What would be of
/// interest and cannot be read is counted by its kind: ``losses``.
package struct PacketDecoder<Sink: TCPStreamSink>: PacketSink {
    /// Why packets could not be read.
    private enum Obstacle: Hashable {
        case linkType(LinkType)
        case cutOff
        case malformed
    }

    /// More packets inside of each other than that are nobody's network.
    private static var maximumDepth: Int { 4 }
    /// Kinds of losses that are kept apart: a file may make up any number of link types.
    private static var maximumKinds: Int { 64 }

    /// The connections; its sink is the one that was given.
    package private(set) var streams: TCPStreamReassembler<Sink>
    private let keyLog: (UnsafeRawBufferPointer) -> Void
    private var fragments = FragmentReassembler()
    private var obstacles: [Obstacle: (packets: Int, first: Int)] = [:]
    /// Of the packet at hand.
    private var number = 0
    private var time = Timestamp(nanoseconds: 0)

    /// Starts with no packet.
    ///
    /// - Parameters:
    ///   - sink: is told of the connections.
    ///   - keyLog: is handed the key logs that stand in the capture; the bytes are there during the call only.
    package init(into sink: Sink, keyLog: @escaping (_ lines: UnsafeRawBufferPointer) -> Void = { _ in }) {
        streams = TCPStreamReassembler(into: sink)
        self.keyLog = keyLog
    }

    package var sink: Sink {
        get { streams.sink }
        _modify { yield &streams.sink }
    }

    package mutating func receive(_ packet: Packet) {
        number = packet.number
        time = packet.time
        take(
            LinkLayer.content(of: packet),
            of: packet.bytes,
            original: packet.originalLength,
            packet.linkType
        )
    }

    package mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) { keyLog(lines) }

    /// Tells the connections that the capture ends here.
    package mutating func finish() {
        fragments.finish()
        streams.finish()
    }

    /// What could not be read, in the order in which it began.
    package var losses: [PacketLoss] {
        var losses = obstacles.map { obstacle, seen in
            PacketLoss(packet: seen.first, what: Self.sentence(obstacle, seen.packets))
        }
        losses.sort { ($0.packet ?? 0, $0.what) < ($1.packet ?? 0, $1.what) }
        if fragments.abandoned > 0 {
            losses.append(
                PacketLoss(what: "IP packets of which fragments are missing: \(fragments.abandoned)")
            )
        }
        return losses
    }

    // MARK: - Layers

    @inline(__always)
    private mutating func take(
        _ content: LinkLayer.Content,
        of frame: UnsafeRawBufferPointer,
        original: Int,
        depth: Int = 0,
        _ type: LinkType
    ) {
        switch content {
        case .internet(let bytes):
            takeInternet(bytes, original: original - (frame.count - bytes.count), depth: depth)
        case .other: break
        case .cutOff: count(.cutOff)
        case .unknownLinkType: count(.linkType(type))
        }
    }

    private mutating func takeInternet(_ bytes: UnsafeRawBufferPointer, original: Int, depth: Int) {
        switch InternetHeader.read(bytes, original: original) {
        case .cutOff: count(.cutOff)
        case .malformed: count(.malformed)
        case .packet(var header):
            guard let fragment = header.fragment else { return takeCarried(header, depth: depth) }
            // Only what may hold TCP is worth holding.
            guard Self.mayCarryStreams(header.protocolNumber),
                let whole = fragments.add(header, fragment, at: time)
            else { return }
            whole.bytes.withUnsafeBytes {
                header.protocolNumber = whole.protocolNumber
                header.payload = $0
                header.missing = 0
                header.fragment = nil
                guard header.passExtensionHeaders(), header.fragment == nil else { return count(.malformed) }
                takeCarried(header, depth: depth)
            }
        }
    }

    @inline(__always)
    private mutating func takeCarried(_ header: InternetHeader, depth: Int) {
        guard header.protocolNumber == 6 else { return takeTunnel(header, depth: depth + 1) }
        guard let segment = TCPSegment(header) else {
            return count(header.missing > 0 ? .cutOff : .malformed)
        }
        streams.receive(segment, at: time)
    }

    // MARK: - Packets in packets

    private mutating func takeTunnel(_ header: InternetHeader, depth: Int) {
        guard depth <= Self.maximumDepth else { return }
        let bytes = header.payload
        let original = bytes.count + header.missing
        switch header.protocolNumber {
        case 4, 41: takeInternet(bytes, original: original, depth: depth)
        case 47: takeGenericEncapsulation(bytes, original: original, depth: depth)
        // VXLAN (RFC 7348): UDP, flags that say there is a network's number, an Ethernet frame.
        case 17 where bytes.count >= 30 && bytes.field(2, as: UInt16.self) == 4789 && bytes[8] == 8:
            let frame = bytes.behind(16)
            let content = LinkLayer.content(of: frame.behind(14), etherType: frame.field(12, as: UInt16.self))
            take(content, of: frame, original: original - 16, depth: depth, .ethernet)
        default: break
        }
    }

    /// RFC 2784 and 2890: version 0, with the fields that its flags announce.
    private mutating func takeGenericEncapsulation(
        _ bytes: UnsafeRawBufferPointer,
        original: Int,
        depth: Int
    ) {
        guard bytes.count >= 4, bytes[1] & 7 == 0, bytes[0] & 0x40 == 0 else { return }
        let fields = [0x80, 0x20, 0x10].filter { bytes[0] & $0 != 0 }.count
        let content = bytes.behind(4 + 4 * fields)
        let etherType = bytes.field(2, as: UInt16.self)
        if etherType == 0x6558 {
            guard content.count >= 14 else { return }
            let inner = LinkLayer.content(
                of: content.behind(14),
                etherType: content.field(12, as: UInt16.self)
            )
            return take(inner, of: bytes, original: original, depth: depth, .ethernet)
        }
        take(
            LinkLayer.content(of: content, etherType: etherType),
            of: bytes,
            original: original,
            depth: depth,
            .raw
        )
    }

    private static func mayCarryStreams(_ protocolNumber: UInt8) -> Bool {
        // In IPv6, options may stand before it.
        [4, 6, 41, 47, 0, 43, 60, 135, 139, 140, 51].contains(protocolNumber)
    }

    // MARK: - Losses

    @inline(never)
    private mutating func count(_ obstacle: Obstacle) {
        guard obstacles[obstacle] != nil || obstacles.count < Self.maximumKinds else { return }
        obstacles[obstacle, default: (0, number)].packets += 1
    }

    private static func sentence(_ obstacle: Obstacle, _ count: Int) -> String {
        let packets = count == 1 ? "1 packet" : "\(count) packets"
        return switch obstacle {
        case .linkType(let type):
            "\(packets) of link type \(type.rawValue)"
                + (LinkLayer.name(of: type).map { " (\($0))" } ?? "") + ", which is not read here"
        case .cutOff:
            "\(packets) cut off within the headers: the capture kept too little of each (tcpdump -s 0 keeps all)"
        case .malformed: "\(packets) with IP or TCP headers that cannot be"
        }
    }
}
