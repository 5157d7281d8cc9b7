import Captures
import Packets
import Testing
import Wire

/// Captures that have connections twice, as where those of two places were put into one file.
struct RepeatedConnectionsTests {
    private static let words: [(side: Side, bytes: [UInt8])] = [
        (.client, Array("GET /jwks HTTP/1.1\r\nHost: op.example\r\n\r\n".utf8)),
        (.server, Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)),
    ]

    private static func packets(_ words: [(side: Side, bytes: [UInt8])]) -> [MadePacket] {
        var made = PacketBuilder()
        made.server.port = 80
        made.converse(words)
        return made.packets
    }

    /// The same by another clock.
    private static func later(_ packets: [MadePacket], by milliseconds: Int64) -> [MadePacket] {
        packets.map {
            var packet = $0
            packet.time = packet.time + .milliseconds(milliseconds)
            return packet
        }
    }

    /// The same with other sequence numbers of these sides.
    private static func renumbered(_ packets: [MadePacket], _ sides: Set<Side> = [.client, .server])
        -> [MadePacket]
    {
        packets.map {
            var packet = $0
            let (side, other): (Side, Side) =
                packet.bytes[20...21].elementsEqual([0, 80]) ? (.server, .client) : (.client, .server)
            // The bits that count 65,536 bytes, of both numbers.
            if sides.contains(side) { packet.bytes[25] ^= 1 }
            if sides.contains(other), packet.bytes[33] & 0x10 != 0 { packet.bytes[29] ^= 1 }
            return packet
        }
    }

    @Test func aConnectionThatWasCapturedTwiceStandsThereOnce() {
        let packets = Self.packets(Self.words)
        for shift in [500, 1500, 3_600_000] as [Int64] {
            let read = PacketImport(packets + Self.later(packets, by: shift))
            #expect(read.exchanges.map(\.response?.status) == [200])
            #expect(read.exchanges.allSatisfy { $0.startedAt < PacketBuilder.start + .seconds(1) })
            #expect(read.report.counts.repeatedConnections == (shift > 1000 ? 1 : 0))
        }
        let thrice = PacketImport(
            packets + Self.later(packets, by: 1500) + Self.later(packets, by: 3000)
        )
        #expect(thrice.exchanges.count == 1 && thrice.report.counts.repeatedConnections == 2)
    }

    @Test func whatIsInTLSIsTakenForTheSameAsWell() throws {
        let pair = try TLSPair()
        try pair.handshake()
        for (side, bytes) in Self.words { try pair.send(bytes, from: side) }
        var made = PacketBuilder()
        made.converse(pair.wire)
        let read = PacketImport(
            made.packets + Self.later(made.packets, by: 1500),
            keyLog: pair.keyLog
        )
        #expect(read.exchanges.map(\.response?.status) == [200])
        #expect(read.report.counts.repeatedConnections == 1)
    }

    /// Other numbers, or another word of either side, make another connection.
    @Test func aPortThatIsUsedAgainIsNoRepetition() {
        let packets = Self.packets(Self.words)
        var others = Self.words
        others[1].bytes[others[1].bytes.count - 1] = UInt8(ascii: "K")
        var longer = Self.words
        longer += Self.words
        for (next, count) in [
            (Self.renumbered(packets), 2), (Self.renumbered(packets, [.server]), 2),
            (Self.packets(others), 2), (Self.packets(longer), 3),
        ] {
            let read = PacketImport(packets + Self.later(next, by: 1500))
            #expect(read.exchanges.map(\.response?.status) == Array(repeating: 200, count: count))
            #expect(read.report.counts.repeatedConnections == 0)
        }
    }

    /// Of which a client's hello has only one: behind whatever changes addresses it is the same connection.
    @Test func theSameHelloBehindOtherAddressesIsTheSameConnection() throws {
        let pair = try TLSPair()
        try pair.handshake()
        for (side, bytes) in Self.words { try pair.send(bytes, from: side) }
        func made(_ address: [UInt8], after shift: Duration) -> [MadePacket] {
            var made = PacketBuilder()
            made.client = Endpoint(address: address, port: 61_000)
            made.time = made.time + shift
            made.converse(pair.wire)
            return made.packets
        }
        let inside = made([10, 0, 0, 1], after: .zero)
        let outside = made([192, 0, 2, 7], after: .milliseconds(400))
        let read = PacketImport(inside + outside, keyLog: pair.keyLog)
        #expect(read.exchanges.map(\.client.address) == ["10.0.0.1:61000"])
        #expect(read.report.counts.repeatedConnections == 1)
        // On one machine both go at one time, and are put together by their exchanges.
        let atOnce = (inside + made([192, 0, 2, 7], after: .microseconds(20))).sorted { $0.time < $1.time }
        let both = PacketImport(atOnce, keyLog: pair.keyLog)
        #expect(both.exchanges.count == 2 && both.report.counts.repeatedConnections == 0)
    }

    /// Nothing waits without end.
    @Test func aLongConnectionIsNotHeldBack() {
        let words = Array(repeating: Self.words, count: 150).flatMap { $0 }
        let packets = Self.packets(words)
        let read = PacketImport(packets + Self.later(packets, by: 60_000))
        #expect(read.exchanges.count == 300 && read.report.counts.repeatedConnections == 0)
    }
}
