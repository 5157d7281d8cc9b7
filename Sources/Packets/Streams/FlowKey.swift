/// The four numbers that name a connection, the same for both of its directions.
struct FlowKey: Hashable, Sendable {
    private var first: InternetAddress
    private var second: InternetAddress
    /// The ports of both, then 1 for IPv6.
    private var ports: UInt64

    /// `isFromFirst`: whether the segment goes from the end that is named first.
    @inline(__always)
    static func of(_ segment: TCPSegment) -> (key: FlowKey, isFromFirst: Bool) {
        let source = (segment.source.low, segment.source.high, segment.sourcePort)
        let isFromFirst =
            source <= (segment.destination.low, segment.destination.high, segment.destinationPort)
        var key = FlowKey(first: segment.source, second: segment.destination, ports: 0)
        var ports = (UInt64(segment.sourcePort), UInt64(segment.destinationPort))
        if !isFromFirst {
            swap(&key.first, &key.second)
            ports = (ports.1, ports.0)
        }
        key.ports = ports.0 << 32 | ports.1 << 16 | (segment.isVersion6 ? 1 : 0)
        return (key, isFromFirst)
    }

    /// The end that is named first, and the other.
    var ends: (Endpoint, Endpoint) {
        let isVersion6 = ports & 1 == 1
        return (
            Endpoint(
                address: first.bytes(isVersion6: isVersion6),
                port: UInt16(truncatingIfNeeded: ports >> 32)
            ),
            Endpoint(
                address: second.bytes(isVersion6: isVersion6),
                port: UInt16(truncatingIfNeeded: ports >> 16)
            )
        )
    }

    @inline(__always)
    func hash(into hasher: inout Hasher) {
        hasher.combine(first.low)
        hasher.combine(second.low)
        hasher.combine(ports)
        guard ports & 1 == 1 else { return }
        hasher.combine(first.high)
        hasher.combine(second.high)
    }
}
