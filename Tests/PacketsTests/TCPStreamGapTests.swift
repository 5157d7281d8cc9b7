import Captures
@testable import Packets
import Testing
import Wire

/// Bytes that the capture lacks: how long they are waited for, and when they are lost.
struct TCPStreamGapTests {
    @Test func aGapThatTheOtherSideAcknowledgedIsLostAfterASecond() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.client, "PA", 1010, 5001, "jkl")
        made.send(.server, "A", 5001, 1013)
        var late = made
        late.send(.client, "PA", 1004, 5001, Array("defghi".utf8), after: 900)
        #expect(StreamLog.of(late.packets).text(.client) == "abcdefghijkl")
        made.send(.server, "A", 5001, 1013, [], after: 1100)
        made.send(.client, "PA", 1004, 5001, "defghi")
        made.send(.client, "PA", 1013, 5001, "mno")
        #expect(
            Array(StreamLog.of(made).dropFirst(2).prefix(4)) == [
                "0 client: abc", "0 client: 6 lost", "0 client: jkl", "0 client: mno",
            ]
        )
    }

    @Test func aGapThatTheOtherSideAcknowledgedIsLostAfterManyPackets() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1004, 5001, "def")
        for index in 0..<300 as Range<UInt32> {
            made.send(.server, "PA", 5001 + index, 1007, Array("x".utf8), after: 0)
        }
        made.send(.client, "PA", 1001, 5001, "abc")
        let log = StreamLog.of(made.packets)
        #expect(log.text(.client) == "_def")
        #expect(log.text(.server) == String(repeating: "x", count: 300))
    }

    /// Whatever gaps there were before it, and however long ago.
    @Test func aGapIsWaitedForFromItsOwnBeginning() {
        var made = PacketBuilder()
        made.handshake()
        for gap in 0..<3 as Range<UInt32> {
            let next = 1001 + 6 * gap
            made.send(.server, "A", 5001, next + 6, [], after: 2000)
            made.send(.client, "PA", next + 3, 5001, Array("def".utf8), after: 100)
            made.send(.client, "PA", next, 5001, Array("abc".utf8), after: 100)
        }
        #expect(StreamLog.of(made.packets).text(.client) == "abcdefabcdefabcdef")
    }

    /// As happens where the two directions come from two interfaces.
    @Test func acknowledgmentsThatAreCapturedBeforeTheirBytesMakeNoGap() {
        var made = PacketBuilder()
        made.handshake()
        for index in 0..<300 as Range<UInt32> {
            made.send(.server, "A", 5001, 1004 + 3 * index)
            made.send(.client, "PA", 1001 + 3 * index, 5001, "abc")
        }
        // The acknowledgment of the next is there when the bytes come: there is always one to wait for.
        var ahead = PacketBuilder()
        ahead.handshake()
        ahead.send(.server, "A", 5001, 1004)
        for index in 0..<300 as Range<UInt32> {
            ahead.send(.server, "A", 5001, 1007 + 3 * index, [], after: 5)
            ahead.send(.client, "PA", 1001 + 3 * index, 5001, "abc")
        }
        let text = String(repeating: "abc", count: 300)
        #expect(StreamLog.of(made.packets).text(.client) == text)
        #expect(StreamLog.of(ahead.packets).text(.client).hasPrefix(text))
    }

    @Test func aGapThatNobodyAcknowledgedIsWaitedFor() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1004, 5001, "def")
        for _ in 0..<300 { made.send(.server, "A", 5001, 1001, [], after: 20) }
        made.send(.client, "PA", 1001, 5001, "abc")
        #expect(StreamLog.of(made.packets).text(.client) == "abcdef")
    }

    @Test func whatIsMissingAtTheEndIsLostIfItWasAcknowledged() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.server, "A", 5001, 1010)
        #expect(
            StreamLog.of(made).dropFirst(2) == [
                "0 client: abc", "0 client: 6 lost", "0 client captureEnded", "0 server captureEnded",
                "0 closed",
            ]
        )
    }

    @Test func anAcknowledgedEndThatIsNotInTheCaptureIsNoByte() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.server, "FA", 5001, 1005)
        #expect(
            StreamLog.of(made).dropFirst(2) == [
                "0 client: abc", "0 server finished", "0 client captureEnded", "0 closed",
            ]
        )
    }

    @Test func whatWaitsIsGivenAtTheEndBehindItsGap() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5005, 1001, "ef")
        made.send(.server, "PA", 5009, 1001, "ij")
        made.send(.server, "FA", 5015, 1001)
        #expect(
            StreamLog.of(made).dropFirst(2) == [
                "0 server: 4 lost", "0 server: ef", "0 server: 2 lost", "0 server: ij", "0 server: 4 lost",
                "0 client captureEnded", "0 server finished", "0 closed",
            ]
        )
    }

    @Test func aGapBehindWhichTooMuchIsHeldIsLost() {
        var made = PacketBuilder()
        made.handshake()
        let piece = [UInt8](repeating: 7, count: 60_000)
        var sequence: UInt32 = 1101
        while sequence < 18 << 20 {
            made.send(.client, "A", sequence, 5001, piece)
            sequence += 60_000
        }
        var decoder = PacketDecoder(into: StreamLog())
        for (index, packet) in made.packets.enumerated() { decoder.give(packet, number: index) }
        #expect(decoder.sink.events.dropFirst(2).first == "0 client: 100 lost")
        #expect(decoder.sink.bytes.first?[.client]?.count == Int(sequence) - 1101 + 1)
    }

    @Test func allConnectionsTogetherHoldNoMoreThanTheyMay() {
        var reassembler = TCPStreamReassembler(into: StreamLog(), maximumConnections: 100, maximumHeld: 1000)
        for port in 1...10 as ClosedRange<UInt16> {
            var made = PacketBuilder()
            made.client.port = port
            made.handshake()
            made.send(.client, "A", 2001, 5001, [UInt8](repeating: 7, count: 300))
            reassembler.give(made.packets)
        }
        let lost = reassembler.sink.events.filter { $0.hasSuffix("1000 lost") }
        #expect(lost.count > 3 && lost.count < 10)
    }

    /// As where two interfaces were captured, one of which keeps all.
    @Test(arguments: [false, true]) func aWholeCopyBesideACutOneCounts(isCutFirst: Bool) {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abcdef")
        made.send(.client, "PA", 1007, 5001, "ghi")
        made.send(.server, "PA", 5001, 1010, "jkl")
        let packets = made.packets.flatMap { packet in
            let cut = packet.cut(to: 42)
            return packet.bytes.count <= 40 ? [packet] : isCutFirst ? [cut, packet] : [packet, cut]
        }
        let told = ["0 client: abcdef", "0 client: ghi", "0 server: jkl"]
        #expect(StreamLog.of(packets).events.dropFirst(2).prefix(3) == told[...])
    }

    /// What follows right behind it is another segment.
    @Test func aCutSegmentIsGivenInFrontOfTheNextOne() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abcdef")
        made.packets[3] = made.packets[3].cut(to: 42)
        made.send(.server, "PA", 5001, 1007, "ghi")
        #expect(
            StreamLog.of(made.packets).events.dropFirst(2).prefix(3) == [
                "0 client: ab", "0 client: 4 lost", "0 server: ghi",
            ]
        )
    }

    @Test func bytesThatTheCaptureCutOffAreLost() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abcdef")
        made.packets[3] = made.packets[3].cut(to: 42)
        made.send(.client, "PA", 1007, 5001, "ghi")
        #expect(
            Array(StreamLog.of(made).dropFirst(2).prefix(3)) == [
                "0 client: ab", "0 client: 4 lost", "0 client: ghi",
            ]
        )
        made.packets[4] = made.packets[4].cut(to: 30)
        #expect(StreamLog.of(made.packets).text(.client) == "ab_")
        #expect(
            StreamLog.decoded(made.packets).losses.map(\.description) == [
                "packet 4: 1 packet whose data is not whole: the capture kept too little of each"
                    + " (tcpdump -s 0 keeps all)",
                "packet 5: 1 packet cut off within the headers: the capture kept too little of each"
                    + " (tcpdump -s 0 keeps all)",
            ]
        )
    }
}
