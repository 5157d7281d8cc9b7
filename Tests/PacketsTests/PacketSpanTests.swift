import Captures
import Packets
import Testing
import Wire

/// Which captures go on with each other.
struct PacketSpanTests {
    private static func span(_ seconds: ClosedRange<Int64>, _ types: LinkType...) -> PacketSpan {
        var span = PacketSpan()
        for type in types.isEmpty ? [.ethernet] : types {
            span.add(Timestamp(seconds: seconds.upperBound), type)
            span.add(Timestamp(seconds: seconds.lowerBound), type)
        }
        return span
    }

    @Test func filesAreInTheOrderOfTheirPackets() {
        #expect(
            PacketSpan.order(of: [Self.span(20...29), Self.span(0...9), Self.span(10...19)]) == [1, 2, 0]
        )
        #expect(PacketSpan.order(of: [PacketSpan(), Self.span(10...19), Self.span(0...9)]) == [2, 1, 0])
        #expect(PacketSpan.order(of: [PacketSpan(), PacketSpan()]) == [0, 1])
    }

    @Test func fewPacketsMayStandOutOfOrder() {
        #expect(
            PacketSpan.order(of: [Self.span(0...10), Self.span(10...19), Self.span(18...30)]) == [0, 1, 2]
        )
    }

    @Test func whatIsOfOneTimeIsNoSeries() {
        #expect(PacketSpan.order(of: [Self.span(0...10), Self.span(8...19)]) == nil)
        #expect(PacketSpan.order(of: [Self.span(0...10), Self.span(0...10)]) == nil)
        #expect(PacketSpan.order(of: [Self.span(0...1), Self.span(0...1)]) == nil)
        #expect(PacketSpan.order(of: [Self.span(0...100), Self.span(20...30)]) == nil)
    }

    @Test func whatIsOfAnotherNetworkIsNoSeries() {
        #expect(PacketSpan.order(of: [Self.span(0...9), Self.span(10...19, .linuxSLL)]) == nil)
        let both = [Self.span(0...9, .ethernet, .linuxSLL), Self.span(10...19, .linuxSLL)]
        #expect(PacketSpan.order(of: both) == [0, 1])
    }

    @Test func spanIsThatOfAllPackets() throws {
        var made = PacketBuilder()
        made.handshake()
        made.packets.swapAt(0, 2)
        for file in [CaptureFileBuilder.pcap(made.packets), CaptureFileBuilder.pcapng(made.packets)] {
            let span = try PacketLog.withFile(file) { try PacketFile.span(of: $0) }
            let start = PacketBuilder.start
            #expect(span.times == (start + .milliseconds(1))...(start + .milliseconds(3)))
            #expect(span.linkTypes == [.raw])
        }
    }

    // MARK: - Parts of the same connections

    private static func span(of packets: some Sequence<MadePacket>) throws -> PacketSpan {
        try PacketLog.withFile(CaptureFileBuilder.pcap(Array(packets))) { try PacketFile.span(of: $0) }
    }

    private static let conversation: [MadePacket] = {
        var made = PacketBuilder()
        made.converse([(.client, Array("ask".utf8)), (.server, Array("answer".utf8))])
        return made.packets
    }()

    private static func isOfClient(_ packet: MadePacket) -> Bool { packet.bytes[15] == 1 }

    @Test func eachWithAnotherDirectionBelongTogether() throws {
        let client = try Self.span(of: Self.conversation.filter(Self.isOfClient))
        let server = try Self.span(of: Self.conversation.filter { !Self.isOfClient($0) })
        let both = try Self.span(of: Self.conversation)
        #expect(client.belongs(with: server) && server.belongs(with: client))
        // Seen in two places, each exchange is there twice: that is told apart later.
        #expect(!both.belongs(with: both))
        #expect(!client.belongs(with: both) && !client.belongs(with: client))
    }

    /// A switch that mirrors its ports wraps up what it sends.
    @Test(
        arguments: [
            (47, [0, 0, 8, 0]), (4, []),
            (17, [0x11, 0x11, 0x12, 0xb6, 0, 8, 0, 0, 0x0c, 0, 0, 1, 0, 0, 5, 0]),
        ] as [(UInt8, [UInt8])]
    )
    func connectionsInTunnelsAreToldApart(protocolNumber: UInt8, header: [UInt8]) throws {
        func mirrored(_ packets: [MadePacket]) throws -> PacketSpan {
            try Self.span(
                of: packets.map { packet in
                    let bytes = header + packet.bytes
                    return MadePacket(
                        bytes: PacketBuilder.version4([9, 9, 9, 1], [9, 9, 9, 2], protocolNumber, bytes),
                        time: packet.time
                    )
                }
            )
        }
        let client = try mirrored(Self.conversation.filter(Self.isOfClient))
        let server = try mirrored(Self.conversation.filter { !Self.isOfClient($0) })
        #expect(client.belongs(with: server) && server.belongs(with: client))
        #expect(try !client.belongs(with: mirrored(Self.conversation)))
    }

    /// As two captures of two places have it that begin where a connection ends.
    @Test func lastAcknowledgmentsJoinNothing() throws {
        var ends = PacketBuilder()
        ends.client.port += 1
        ends.send(.client, "FA", 1001, 5001)
        ends.send(.server, "FA", 5001, 1002)
        let client = try Self.span(of: ends.packets.prefix(1) + Self.conversation)
        let server = try Self.span(of: ends.packets.suffix(1) + Self.conversation)
        #expect(!client.belongs(with: server) && !server.belongs(with: client))
    }

    @Test func whatGoesOnWithAConnectionBelongsToIt() throws {
        let first = try Self.span(of: Self.conversation.prefix(4))
        let second = try Self.span(of: Self.conversation.dropFirst(4))
        #expect(first.belongs(with: second) && second.belongs(with: first))
        var again = PacketBuilder()
        again.time = again.time + .seconds(10)
        again.converse([(.client, Array("ask".utf8))])
        #expect(try !first.belongs(with: Self.span(of: again.packets)))
        again.client.port += 1
        again.packets = []
        again.send(.client, "A", 2001, 6001)
        #expect(try !first.belongs(with: Self.span(of: again.packets)))
    }
}
