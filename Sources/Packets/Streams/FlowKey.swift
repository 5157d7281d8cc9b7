/// The four numbers that name a connection, the same for both of its directions.
struct FlowKey: Hashable, Sendable {
    private var first: InternetAddress
    private var second: InternetAddress
    /// The ports of both, then 1 for IPv6.
    private var ports: UInt64

    /// `isFromFirst`: whether the segment goes from the end that is named first.
    @inline(__always)
    static func of(_ segment: TCPSegment) -> (key: FlowKey, isFromFirst: Bool) {
        of(
            (segment.source, segment.sourcePort),
            (segment.destination, segment.destinationPort),
            isVersion6: segment.isVersion6
        )
    }

    @inline(__always)
    static func of(
        _ source: (address: InternetAddress, port: UInt16),
        _ destination: (address: InternetAddress, port: UInt16),
        isVersion6: Bool
    ) -> (key: FlowKey, isFromFirst: Bool) {
        let isFromFirst =
            (source.address.low, source.address.high, source.port)
            <= (destination.address.low, destination.address.high, destination.port)
        var key = FlowKey(first: source.address, second: destination.address, ports: 0)
        var ports = (UInt64(source.port), UInt64(destination.port))
        if !isFromFirst {
            swap(&key.first, &key.second)
            ports = (ports.1, ports.0)
        }
        key.ports = ports.0 << 32 | ports.1 << 16 | (isVersion6 ? 1 : 0)
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
