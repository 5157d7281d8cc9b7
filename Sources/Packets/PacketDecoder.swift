package import Captures

/// Reads the TCP connections and the datagrams out of packets: link layer, IP with its fragments, TCP or UDP.
///
/// What carries neither is passed over; packets inside of packets (``Tunnel``) are looked into. What would be of
/// interest and cannot be read is counted by its kind: ``losses``.
package struct PacketDecoder<Sink: TCPStreamSink>: PacketSink {
    /// Why packets could not be read.
    private enum Obstacle: Hashable {
        case linkType(LinkType)
        case cutOff
        /// By a wireless network.
        case encrypted
        /// Its headers are there, not all of its data is.
        case cutShort
        /// On the port of HTTP/3, of a connection that is not followed.
        case strayQUIC
        case malformed
    }

    /// Kinds of losses that are kept apart: a file may make up any number of link types.
    private static var maximumKinds: Int { 64 }

    /// The connections; its sink is the one that was given.
    package private(set) var streams: TCPStreamReassembler<Sink>
    private let keyLog: (UnsafeRawBufferPointer) -> Void
    private var fragments = FragmentReassembler()
    private var clock = ClockSteps()
    private var obstacles: [Obstacle: (packets: Int, first: Int)] = [:]
    /// Of the packet at hand.
    private var number = 0
    private var time = Timestamp(nanoseconds: 0)
    /// Packets that carry TCP.
    private var segments = 0
    /// Datagrams that belong to a connection.
    private var datagrams = 0
    /// Others, by what they carry.
    private var others: [UInt8: Int] = [:]

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
        clock.note(time, of: number)
        take(
            LinkLayer.content(of: packet),
            of: packet.bytes,
            original: packet.originalLength,
            packet.linkType
        )
    }

    package mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) { keyLog(lines) }

    /// Tells what shows with time only, where no packet comes; `time` is that of the clock that the packets have theirs from.
    package mutating func timePassed(until time: Timestamp) {
        streams.settleResets(at: time)
        streams.sink.timePassed(until: time)
    }

    /// Tells the connections that the capture ends here.
    package mutating func finish() {
        fragments.finish()
        streams.finish()
        streams.sink.datagramsEnded(at: time)
    }

    /// What could not be read, in the order in which it began.
    package var losses: [PacketLoss] {
        var losses = obstacles.map { obstacle, seen in
            PacketLoss(packet: seen.first, what: Self.sentence(obstacle, seen.packets))
        }
        if segments == 0, datagrams == 0, obstacles.isEmpty, fragments.abandoned == 0,
            let loss = lossWithoutTCP
        {
            losses.append(loss)
        }
        if let loss = clock.loss { losses.append(loss) }
        losses.sort { ($0.packet ?? 0, $0.what) < ($1.packet ?? 0, $1.what) }
        if fragments.abandoned > 0 {
            losses.append(
                PacketLoss(what: "IP packets of which fragments are missing: \(fragments.abandoned)")
            )
        }
        return losses
    }

    /// What there is where there is neither TCP nor QUIC.
    private var lossWithoutTCP: PacketLoss? {
        guard number > 0 else { return nil }
        let names: [UInt8: String] = [
            17: "UDP", 1: "ICMP", 58: "ICMPv6", 50: "IPsec", 132: "SCTP", 47: "GRE",
        ]
        let kinds = others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map { kind in
            "\(kind.value) of \(names[kind.key] ?? "protocol \(kind.key)")"
        }
        return PacketLoss(
            what: "no packet carries TCP or QUIC, which HTTP runs over"
                + (kinds.isEmpty ? "" : ": \(kinds.joined(separator: ", "))")
        )
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
        case .frames(let bytes): takeFrames(bytes, depth: depth, type)
        case .other: break
        case .encrypted: count(.encrypted)
        case .cutOff: count(.cutOff)
        case .unknownLinkType: count(.linkType(type))
        }
    }

    @inline(never)
    private mutating func takeFrames(_ bytes: UnsafeRawBufferPointer, depth: Int, _ type: LinkType) {
        LinkLayer.eachFrame(in: bytes) { frame, size, content in
            take(content, of: frame, original: size, depth: depth, type)
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
        segments += 1
        if segment.missing > 0 { count(.cutShort) }
        streams.receive(segment, at: time)
    }

    // MARK: - Packets in packets

    private mutating func takeTunnel(_ header: InternetHeader, depth: Int) {
        guard depth <= Tunnel.maximumDepth else { return }
        let original = header.payload.count + header.missing
        if segments == 0, depth == 1, obstacles.isEmpty { others[header.protocolNumber, default: 0] += 1 }
        if header.protocolNumber == (header.isVersion6 ? 58 : 1) {
            Undelivered(header).map { streams.receive($0, at: time) }
        } else if let content = Tunnel.content(of: header) {
            take(content, of: header.payload, original: original, depth: depth, .raw)
        } else if header.protocolNumber == 17, header.payload.count >= 16 {
            takeDatagram(header, isWhole: original <= header.payload.count)
        }
    }

    /// QUIC, or another protocol over UDP (RFC 768).
    private mutating func takeDatagram(_ header: InternetHeader, isWhole: Bool) {
        let bytes = header.payload
        let (source, destination) = (bytes.field(0, as: UInt16.self), bytes.field(2, as: UInt16.self))
        let length = Int(bytes.field(4, as: UInt16.self))
        let isOfHTTP3 = source == 443 || destination == 443
        guard isWhole, length <= bytes.count else {
            if isOfHTTP3 { count(.cutShort) }
            return
        }
        guard length > 8 else { return }
        let isFollowed = streams.sink.receivedDatagram(
            UnsafeRawBufferPointer(rebasing: bytes[8..<length]),
            from: Endpoint(address: header.source.bytes(isVersion6: header.isVersion6), port: source),
            to: Endpoint(address: header.destination.bytes(isVersion6: header.isVersion6), port: destination),
            at: time
        )
        if isFollowed {
            datagrams += 1
        } else if isOfHTTP3, bytes[8] & 0x40 != 0 {
            count(.strayQUIC)
        }
    }

    private static func mayCarryStreams(_ protocolNumber: UInt8) -> Bool {
        // In IPv6, options may stand before it.
        [4, 6, 17, 41, 47, 97, 115, 137, 0, 43, 60, 135, 139, 140, 51].contains(protocolNumber)
    }

    // MARK: - Losses

    @inline(never)
    private mutating func count(_ obstacle: Obstacle) {
        guard obstacles[obstacle] != nil || obstacles.count < Self.maximumKinds else { return }
        obstacles[obstacle, default: (0, number)].packets += 1
    }

    private static func sentence(_ obstacle: Obstacle, _ count: Int) -> String {
        let packets = count.counted("packet")
        return switch obstacle {
        case .linkType(let type):
            "\(packets) of link type \(type.rawValue)"
                + (LinkLayer.name(of: type).map { " (\($0))" } ?? "") + ", which is not read here"
                + (LinkLayer.remedy(of: type).map { ": \($0)" } ?? "")
        case .cutOff:
            "\(packets) cut off within the headers: the capture kept too little of each (tcpdump -s 0 keeps all)"
        case .encrypted:
            "\(packets) that a wireless network encrypts: airdecap-ng takes that off, with the network's password and the"
                + " handshake of each device in the capture"
        case .cutShort:
            "\(packets) whose data is not whole: the capture kept too little of each (tcpdump -s 0 keeps all)"
        case .strayQUIC:
            "\(packets) to or from UDP port 443 are of no connection whose beginning is in the capture: HTTP/3 is read"
                + " from its first packet on, in versions 1 and 2 of QUIC"
        case .malformed: "\(packets) with IP or TCP headers that cannot be"
        }
    }
}
