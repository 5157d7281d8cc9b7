internal import Wire

/// Datagrams that a machine hands to its network card as one, which takes them apart: a capture on that machine, or on one that
/// puts what it gets together again, sees them before that (UDP_SEGMENT and UDP_GRO of Linux). All are of one size, but the last.
extension QUICConnection {
    static let mostSegmentTrials = 4096
    private static let earnedTrials = 256
    /// Of datagrams whose size nothing tells: what goes over the internet.
    private static let likelySizes = 1200...1500
    /// Of a packet with a short header, the sample of its protection included (RFC 9001, section 5.4.2).
    private static let smallestPacket = 21

    /// Takes a packet's datagram apart where it does not open as a whole.
    ///
    /// - Returns: whether it is several.
    func takeSegments(
        from packet: QUICPacket,
        _ side: Side,
        keys: TLSKeyLog,
        _ sink: inout some QUICSink
    ) -> Bool {
        guard packet.kind == .application else { return false }
        let datagram = packet.datagram
        for size in sizes(from: packet, side) {
            guard segmentTrials > 0 else { return false }
            segmentTrials -= 1
            let first = Array(datagram[packet.start..<size])
            guard let packet = self.packet(in: first, at: 0, from: side),
                case .opened = take(packet, from: side, keys: keys, &sink)
            else { continue }
            segmentTrials = min(Self.mostSegmentTrials, segmentTrials + Self.earnedTrials)
            self[side].segmentSize = size
            for start in stride(from: size, to: datagram.count, by: size) {
                let segment = datagram[start..<min(datagram.count, start + size)]
                receive(Array(segment), from: side, keys: keys, into: &sink)
            }
            return true
        }
        return false
    }

    /// Where the first may end, the likeliest first.
    private func sizes(from packet: QUICPacket, _ side: Side) -> [Int] {
        let datagram = packet.datagram
        let smallest = packet.start + Self.smallestPacket
        guard smallest < datagram.count else { return [] }
        let possible = smallest..<datagram.count
        var sizes = self[side].segmentSize.map { possible.contains($0) ? [$0] : [] } ?? []
        if packet.destination.isEmpty {
            sizes += Self.likelySizes.clamped(to: possible.lowerBound...(datagram.count - 1))
        } else {
            // Each begins with the other side's ID.
            let id = packet.destination
            sizes += possible.dropLast(id.count).filter {
                datagram[$0] & 0x80 == 0 && datagram[($0 + 1)..<($0 + 1 + id.count)].elementsEqual(id)
            }
        }
        return sizes
    }
}
