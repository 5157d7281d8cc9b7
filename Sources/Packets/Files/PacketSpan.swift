package import Captures

/// From when to when a capture goes, over which kinds of networks, and which parts of connections are in it: what tells whether
/// another one goes on with it, or completes it.
package struct PacketSpan: Sendable, Equatable {
    /// Of the earliest and the latest packet; nil where there are none.
    package private(set) var times: ClosedRange<Timestamp>?
    /// The first few that are in it.
    package private(set) var linkTypes: Set<LinkType> = []
    private var connections: [FlowKey: ConnectionParts] = [:]

    /// What a capture has of a connection.
    private struct ConnectionParts: OptionSet {
        var rawValue: UInt8

        static let ofFirstEnd = ConnectionParts(rawValue: 1)
        static let ofSecondEnd = ConnectionParts(rawValue: 2)
        static let beginning = ConnectionParts(rawValue: 4)
        static let dataOfFirstEnd = ConnectionParts(rawValue: 8)
        static let dataOfSecondEnd = ConnectionParts(rawValue: 16)
        static let bothEnds: ConnectionParts = [.ofFirstEnd, .ofSecondEnd]
        static let allData: ConnectionParts = [.dataOfFirstEnd, .dataOfSecondEnd]

        /// Whether each has one end's packets, and the other's are the other end's; both with data, as each of two captures of two
        /// places may begin with the last word of another end.
        func isCompleted(by other: ConnectionParts) -> Bool {
            intersection(other).isDisjoint(with: .bothEnds) && union(other).isSuperset(of: .allData)
        }
    }

    /// Others are not looked at.
    private static let mostConnections = 100_000
    /// More than any capture has, but one that is made by hand.
    private static let mostLinkTypes = 16
    /// As far as packets of one capture stand out of their order, where it goes from one file to the next.
    private static let tolerance = Duration.seconds(1)

    package init() {}

    /// Takes note of when a packet was, and of what kind of link.
    package mutating func add(_ time: Timestamp, _ linkType: LinkType) {
        times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        if linkTypes.count < Self.mostLinkTypes { linkTypes.insert(linkType) }
    }

    /// Takes note of a packet.
    mutating func add(_ packet: Packet) {
        add(packet.time, packet.linkType)
        add(LinkLayer.content(of: packet), depth: 0)
    }

    private mutating func add(_ content: LinkLayer.Content, depth: Int) {
        switch content {
        case .internet(let bytes):
            guard case .packet(let header) = InternetHeader.read(bytes, original: bytes.count),
                header.fragment == nil
            else { return }
            if header.protocolNumber == 6 {
                TCPSegment(header).map { add($0) }
            } else if depth < Tunnel.maximumDepth, let content = Tunnel.content(of: header) {
                add(content, depth: depth + 1)
            }
        case .frames(let bytes):
            LinkLayer.eachFrame(in: bytes) { _, _, content in add(content, depth: depth) }
        case .other, .encrypted, .cutOff, .unknownLinkType: break
        }
    }

    private mutating func add(_ segment: TCPSegment) {
        let (key, isFromFirst) = FlowKey.of(segment)
        var parts: ConnectionParts = isFromFirst ? .ofFirstEnd : .ofSecondEnd
        if segment.dataCount > 0 { parts.insert(isFromFirst ? .dataOfFirstEnd : .dataOfSecondEnd) }
        if segment.flags.contains(.synchronize) { parts.insert(.beginning) }
        guard let known = connections[key] else {
            if connections.count < Self.mostConnections { connections[key] = parts }
            return
        }
        if !known.isSuperset(of: parts) { connections[key] = known.union(parts) }
    }

    /// Whether both are parts of one capture: where one has what an end of a connection said and the other what the other end
    /// did, or one goes on with a connection that the other has.
    package func belongs(with other: PacketSpan) -> Bool {
        guard connections.count <= other.connections.count else { return other.belongs(with: self) }
        let order = PacketSpan.order(of: [self, other])
        return connections.contains { key, parts in
            guard let others = other.connections[key] else { return false }
            if let order, !(order == [0, 1] ? others : parts).contains(.beginning) { return true }
            return parts.isCompleted(by: others)
        }
    }

    /// The order in which captures go on with each other, as places in `spans`; those without packets are last.
    ///
    /// - Returns: nil where two are of one time, or have no kind of network in common: they are no parts of one capture.
    package static func order(of spans: [PacketSpan]) -> [Int]? {
        let filled = spans.indices.filter { spans[$0].times != nil }
            .sorted { (start(of: spans[$0]), $0) < (start(of: spans[$1]), $1) }
        for (earlier, later) in zip(filled, filled.dropFirst()) {
            guard let before = spans[earlier].times, let behind = spans[later].times,
                before.upperBound - behind.lowerBound
                    <= min(tolerance, min(before.length, behind.length) / 4),
                !spans[earlier].linkTypes.isDisjoint(with: spans[later].linkTypes)
            else { return nil }
        }
        return filled + spans.indices.filter { spans[$0].times == nil }
    }

    private static func start(of span: PacketSpan) -> Timestamp {
        span.times?.lowerBound ?? Timestamp(nanoseconds: .max)
    }
}

extension ClosedRange<Timestamp> {
    fileprivate var length: Duration { upperBound - lowerBound }
}

extension PacketFile {
    /// From when to when the packets of a file are; all of it is gone through for that.
    ///
    /// - Throws: ``PacketError`` as ``read(path:into:progress:)``.
    package static func span(of path: String) throws(PacketError) -> PacketSpan {
        var sink = SpanSink()
        _ = try read(path: path, into: &sink)
        return sink.span
    }
}

/// Looks at the times of packets only.
private struct SpanSink: PacketSink {
    var span = PacketSpan()

    mutating func receive(_ packet: Packet) { span.add(packet) }

    mutating func receiveKeyLog(_ lines: UnsafeRawBufferPointer) {}
}
