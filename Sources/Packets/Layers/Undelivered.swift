/// What a router or the server's system says of a segment that it did not deliver: ICMP's "destination unreachable"
/// (RFC 792; RFC 4443, section 3.1).
struct Undelivered {
    var key: FlowKey
    /// Whether the segment came from the end that the key names first.
    var isFromFirst: Bool
    /// The segment's.
    var sequence: UInt32
    /// Who says it and why: `10.0.0.1: ICMP port unreachable`.
    var reason: String

    /// Nil for other messages, and for those about something else than TCP.
    ///
    /// `header`: of the packet that carries the message; its payload has the beginning of the packet that it is about.
    init?(_ header: InternetHeader) {
        let bytes = header.payload
        guard bytes.count >= 8, bytes[0] == (header.isVersion6 ? 1 : 3),
            let words = (header.isVersion6 ? Self.wordsOfVersion6 : Self.wordsOfVersion4)[bytes[1]]
        else { return nil }
        let about = bytes.behind(8)
        guard case .packet(let inner) = InternetHeader.read(about, original: about.count),
            inner.protocolNumber == 6,
            inner.fragment == nil, inner.isVersion6 == header.isVersion6, inner.payload.count >= 8
        else { return nil }
        (key, isFromFirst) = FlowKey.of(
            (inner.source, inner.payload.field(0, as: UInt16.self)),
            (inner.destination, inner.payload.field(2, as: UInt16.self)),
            isVersion6: inner.isVersion6
        )
        sequence = inner.payload.field(4, as: UInt32.self)
        let sender = Endpoint(address: header.source.bytes(isVersion6: header.isVersion6), port: 0)
            .addressText
        reason = "\(sender): ICMP \(words)"
    }

    private static let wordsOfVersion4: [UInt8: String] = [
        0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable", 3: "port unreachable",
        5: "source route failed", 6: "network unknown", 7: "host unknown",
        9: "network administratively prohibited",
        10: "host administratively prohibited", 13: "communication administratively prohibited",
    ]
    private static let wordsOfVersion6: [UInt8: String] = [
        0: "no route to destination", 1: "communication administratively prohibited",
        2: "beyond scope of source address",
        3: "address unreachable", 4: "port unreachable", 5: "source address failed policy",
        6: "reject route to destination",
    ]
}
