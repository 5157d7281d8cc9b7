import Packets
import Testing
import Wire

/// Packets of IP that came in pieces.
extension LayersTests {
    /// The segment in pieces of eight bytes.
    func fragments(identification: UInt16 = 7, after: Duration = .zero) -> [MadePacket] {
        stride(from: 0, to: ask.count, by: 8).map { offset in
            packet(
                PacketBuilder.version4(
                    client,
                    server,
                    6,
                    Array(ask[offset..<min(offset + 8, ask.count)]),
                    identification: identification,
                    offset: offset,
                    hasMore: offset + 8 < ask.count
                ),
                after: after
            )
        }
    }

    @Test func fragmentsInAnyOrderMakeAPacket() {
        let parts = fragments()
        #expect(parts.count == 3)
        for order in [[0, 1, 2], [2, 1, 0], [1, 1, 0, 2, 2], [2, 0, 1]] {
            #expect(StreamLog.of(order.map { parts[$0] }).text(.client) == "ask", "\(order)")
        }
        let decoder = StreamLog.decoded([parts[0], parts[2]])
        #expect(decoder.sink.events == [])
        #expect(decoder.losses.map(\.description) == ["IP packets of which fragments are missing: 1"])
    }

    @Test func fragmentsOfDifferentPacketsAreNotMixed() {
        let (one, other) = (fragments(), fragments(identification: 8))
        #expect(StreamLog.of([one[0], other[1], one[2]]).events == [])
        #expect(StreamLog.of([one[0], other[1], one[2], one[1]]).text(.client) == "ask")
    }

    @Test func fragmentsThatComeTooLateMakeNoPacket() {
        let parts = fragments()
        let late = fragments(after: .seconds(31))
        #expect(StreamLog.of([parts[0], parts[1], late[2]]).events == [])
        #expect(StreamLog.of([parts[0], parts[1], late[2], late[0], late[1]]).text(.client) == "ask")
    }

    /// As a capture of all interfaces has them: the last one of each packet comes when it is whole.
    @Test func fragmentsThatWereCapturedTwiceMakeOnePacket() {
        let parts = fragments()
        for packets in [parts.flatMap { [$0, $0] }, parts + parts] {
            #expect(StreamLog.of(packets).text(.client) == "ask")
            #expect(StreamLog.decoded(packets).losses.isEmpty)
        }
    }

    @Test func overlappingFragmentsKeepTheirFirstBytes() {
        let parts = fragments()
        var other = ask
        for index in 20..<23 { other[index] = UInt8(ascii: "o") }
        let over = packet(
            PacketBuilder.version4(client, server, 6, Array(other[8...]), identification: 7, offset: 8)
        )
        #expect(StreamLog.of([parts[2], over, parts[0]]).text(.client) == "ask")
        #expect(StreamLog.of([over, parts[2], parts[0]]).text(.client) == "ooo")
    }

    @Test func fragmentsOfVersion6MakeAPacket() {
        let whole = [6, 0] + [UInt8](repeating: 0, count: 6) + ask
        let parts = stride(from: 0, to: whole.count, by: 8).map { offset in
            let place = UInt16(offset) | (offset + 8 < whole.count ? 1 : 0)
            let header = [60, 0] + place.bigEndianBytes + [0, 0, 0, 77]
            return packet(
                PacketBuilder.version6(
                    client6,
                    server6,
                    44,
                    header + whole[offset..<min(offset + 8, whole.count)]
                )
            )
        }
        #expect(StreamLog.of(parts.reversed()).text(.client) == "ask")
    }

    @Test func fragmentsOfNoPacketAreForgotten() {
        var decoder = PacketDecoder(into: StreamLog())
        let piece = [UInt8](repeating: 1, count: 32 << 10)
        for number in 0..<300 as Range<UInt16> {
            let part = PacketBuilder.version4(client, server, 6, piece, identification: number, hasMore: true)
            decoder.give(packet(part), number: Int(number))
        }
        for part in fragments(identification: 5000) { decoder.give(part, number: 0) }
        #expect(decoder.sink.text(.client) == "ask")
        let told = decoder.losses.map(\.what)
        #expect(told.count == 1)
        let forgotten = told.first.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        #expect(forgotten > 40 && forgotten < 60)
    }
}
