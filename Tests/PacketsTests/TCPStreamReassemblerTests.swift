import Captures
@testable import Packets
import Testing
import Wire

struct TCPStreamReassemblerTests {
    /// What ICMP says of a SYN, with the type and the code that it has, about which sequence number.
    @Test(
        arguments: [
            (
                3, 3, 1000, false,
                "unanswered(attempts: 1, rejection: Optional(\"10.0.0.2: ICMP port unreachable\"))"
            ),
            (
                3, 13, 1000, false,
                "unanswered(attempts: 1, rejection: Optional(\"10.0.0.2: ICMP communication administratively prohibited\"))"
            ),
            // Fragmentation needed; an echo; another segment; an answer that came all the same.
            (3, 4, 1000, false, "captureEnded"), (0, 3, 1000, false, "captureEnded"),
            (3, 3, 999, false, "captureEnded"), (3, 3, 1000, true, "captureEnded"),
        ] as [(UInt8, UInt8, UInt32, Bool, String)]
    )
    func aConnectionThatIsRejectedOnTheWaySaysByWhom(
        type: UInt8,
        code: UInt8,
        sequence: UInt32,
        isAnswered: Bool,
        ended: String
    ) throws {
        var made = PacketBuilder()
        made.send(.client, "S", 1000)
        var other = made
        other.send(.client, "S", sequence)
        let about = try #require(other.packets.last).bytes
        // A router may give back no more than eight bytes of the segment.
        for bytes in [about, Array(about.prefix(28))] {
            var told = made
            let message = [type, code, 0, 0, 0, 0, 0, 0] + bytes
            let packet = told.internet(message, from: .server, protocolNumber: 1)
            told.packets.append(MadePacket(bytes: packet, time: told.time))
            if isAnswered { told.send(.server, "SA", 5000, 1001) }
            #expect(StreamLog.of(told).filter { $0.hasPrefix("0 client ") } == ["0 client \(ended)"])
        }
    }

    @Test func aConnectionThatIsRejectedInVersion6SaysByWhom() throws {
        var made = PacketBuilder()
        made.client.address = [UInt8](repeating: 0, count: 15) + [1]
        made.server.address = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [2]
        made.send(.client, "S", 1000)
        let message = try [1, 4, 0, 0, 0, 0, 0, 0] + #require(made.packets.last).bytes
        let packet = made.internet(message, from: .server, protocolNumber: 58)
        made.packets.append(MadePacket(bytes: packet, time: made.time))
        #expect(StreamLog.of(made).contains { $0.contains("ICMP port unreachable") })
    }

    /// A SYN alone may be answered yet; a client that acknowledges has the answer, even where the capture lacks it.
    @Test(arguments: [
        (1, false, false, false), (2, false, false, true), (3, true, false, false), (2, false, true, false),
    ])
    func aConnectionThatNobodyAnswersIsSaidToBe(
        tries: Int,
        isAnswered: Bool,
        isAcknowledged: Bool,
        isUnanswered: Bool
    ) {
        var made = PacketBuilder()
        for _ in 0..<tries { made.send(.client, "S", 1000) }
        if isAnswered { made.send(.server, "SA", 5000, 1001) }
        if isAcknowledged { made.send(.client, "A", 1001, 5001) }
        let ended = isUnanswered ? "unanswered(attempts: \(tries), rejection: nil)" : "captureEnded"
        #expect(StreamLog.of(made).filter { $0.hasPrefix("0 client ") } == ["0 client \(ended)"])
    }

    @Test func tellsAConnectionFromItsHandshakeToItsEnd() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "ask")
        made.send(.server, "PA", 5001, 1004, "answer")
        made.send(.client, "FA", 1004, 5007)
        made.send(.server, "FA", 5007, 1005, "!")
        made.send(.client, "A", 1005, 5009)
        #expect(
            StreamLog.of(made) == [
                "0 opened by 10.0.0.1:50000", "0 established at 3", "0 client: ask", "0 server: answer",
                "0 client finished", "0 server: !", "0 server finished", "0 closed",
            ]
        )
    }

    /// Without the SYN what is said first tells who asks, before the ports do.
    @Test(
        arguments: [
            (Side.client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
            (.server, "HTTP/1.1 200 OK\r\n\r\n", true),
            (.client, "\u{16}\u{3}\u{1}\u{0}\u{5}\u{1}....", true),
            (.server, "\u{16}\u{3}\u{3}\u{0}\u{5}\u{2}....", true),
            (.client, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true), (.server, "THE END\r\n", false),
            (.client, "\u{17}\u{3}\u{3}\u{0}\u{5}\u{1}....", false),
        ] as [(Side, String, Bool)]
    )
    func whoAsksIsTheClient(side: Side, words: String, tells: Bool) {
        let other: Side = side == .client ? .server : .client
        for (client, server) in [(UInt16(40_000), UInt16(50_000)), (50_000, 443)] {
            var made = PacketBuilder()
            (made.client.port, made.server.port) = (client, server)
            made.send(other, "A", 1001, 5001)
            made.send(side, "PA", 5001, 1001, words)
            made.send(other, "PA", 1001, 5001 + UInt32(words.utf8.count), "then")
            let log = StreamLog.of(made.packets)
            let isTold = tells || client > server
            #expect(log.facts.map(\.client.port) == [isTold ? client : server])
            #expect(log.text(isTold ? side : other) == words)
            #expect(log.text(isTold ? other : side) == "then")
        }
    }

    // MARK: - Order

    @Test func whatCameTwiceIsGivenOnce() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.client, "PA", 1001, 5001, "abcdef")
        made.send(.client, "PA", 1003, 5001, "cdefg")
        made.packets = made.packets.flatMap { [$0, $0] }
        let log = StreamLog.of(made.packets)
        #expect(log.text(.client) == "abcdefg")
        #expect(log.facts.count == 1)
        #expect(log.faults == [])
    }

    @Test func overlappingSegmentKeepsFirstBytes() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1005, 5001, "EF")
        made.send(.client, "PA", 1010, 5001, "JK")
        made.send(.client, "PA", 1003, 5001, "cdefghijklmn")
        made.send(.client, "PA", 1001, 5001, "abcxyz")
        #expect(StreamLog.of(made.packets).text(.client) == "abcdEFghiJKlmn")
    }

    @Test func whatComesBeforeItsTurnWaits() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1007, 5001, "ghi")
        made.send(.client, "PA", 1004, 5001, "def")
        made.send(.client, "FA", 1010, 5001)
        made.send(.client, "PA", 1001, 5001, "abc")
        #expect(
            Array(StreamLog.of(made).dropFirst(2).prefix(4)) == [
                "0 client: abc", "0 client: def", "0 client: ghi", "0 client finished",
            ]
        )
    }

    @Test func goesOnWhereThirtyTwoBitsEnd() {
        var made = PacketBuilder()
        made.send(.client, "S", .max - 3)
        made.send(.server, "SA", .max, .max - 2)
        made.send(.client, "PA", .max - 2, 0, "abcdef")
        made.send(.client, "PA", 5, 0, "ij")
        made.send(.client, "PA", 3, 0, "gh")
        made.send(.server, "PA", 0, 7, "answer")
        let log = StreamLog.of(made.packets)
        #expect(log.text(.client) == "abcdefghij")
        #expect(log.text(.server) == "answer")
    }

    // MARK: - Beginnings

    @Test func aConnectionThatBeganBeforeTheCaptureHasItsClientAtTheHigherPort() {
        var made = PacketBuilder()
        made.send(.server, "PA", 777, 333, "late")
        made.send(.client, "PA", 333, 781, "ask")
        #expect(
            Array(StreamLog.of(made).prefix(3)) == [
                "0 opened by 10.0.0.1:50000 mid-stream", "0 server: late", "0 client: ask",
            ]
        )
    }

    @Test func acknowledgmentsAloneOpenNothing() {
        var made = PacketBuilder()
        made.send(.server, "A", 777, 333)
        made.send(.client, "A", 333, 777)
        made.send(.client, "R", 333)
        #expect(StreamLog.of(made) == [])
        made.send(.client, "PA", 333, 777, "ask")
        #expect(StreamLog.of(made) == [])
        made.packets.remove(at: 2)
        #expect(StreamLog.of(made).first == "0 opened by 10.0.0.1:50000 mid-stream")
    }

    @Test func anEndBeforeThereIsAnythingToTellIsToldLater() {
        var made = PacketBuilder()
        made.send(.client, "FA", 333, 777)
        made.send(.server, "FA", 777, 334)
        #expect(StreamLog.of(made) == [])
        made.packets.removeLast()
        made.send(.server, "PA", 777, 334, "late")
        made.send(.server, "FA", 781, 334)
        #expect(
            StreamLog.of(made) == [
                "0 opened by 10.0.0.1:50000 mid-stream", "0 server: late", "0 client finished",
                "0 server finished", "0 closed",
            ]
        )
    }

    @Test func theAnswerToTheFirstSegmentSaysWhereBothBegin() {
        var made = PacketBuilder()
        made.client.port = 80
        made.send(.server, "SA", 5000, 1001)
        made.send(.client, "A", 1001, 5001)
        made.send(.client, "PA", 1004, 5001, "def")
        made.send(.client, "PA", 1001, 5001, "abc")
        #expect(
            Array(StreamLog.of(made).prefix(4)) == [
                "0 opened by 10.0.0.1:80", "0 established at 2", "0 client: abc", "0 client: def",
            ]
        )
    }

    /// As firewalls send it, to see whether the client is there and resets it.
    @Test func anAnswerToAnotherSegmentBeginsNothing() {
        var made = PacketBuilder()
        made.send(.client, "S", 1000)
        made.send(.server, "SA", 5000, 1_001_000)
        made.send(.client, "R", 1_001_000)
        #expect(StreamLog.of(made).dropFirst().first == "0 client captureEnded")
        made.send(.client, "S", 1000, 0, [], after: 1000)
        made.send(.server, "SA", 70_000, 1001)
        made.send(.client, "A", 1001, 70_001)
        made.send(.client, "PA", 1001, 70_001, "ask")
        made.send(.server, "PA", 70_001, 1004, "answer")
        #expect(
            StreamLog.of(made) == [
                "0 opened by 10.0.0.1:50000", "0 established at 1005", "0 client: ask", "0 server: answer",
                "0 client captureEnded", "0 server captureEnded", "0 closed",
            ]
        )
    }

    @Test func theAcknowledgmentOfAnAnswerThatIsMissingSaysWhereTheServerBegins() {
        var made = PacketBuilder()
        made.send(.client, "S", 1000)
        made.send(.client, "A", 1001, 5001)
        made.send(.server, "PA", 5004, 1001, "def")
        made.send(.server, "PA", 5001, 1001, "abc")
        #expect(StreamLog.of(made.packets).text(.server) == "abcdef")
    }

    @Test func dataInTheFirstSegmentIsGivenOnce() {
        var made = PacketBuilder()
        made.send(.client, "S", 1000, 0, "early")
        made.send(.server, "SA", 5000, 1001)
        made.send(.client, "PA", 1001, 5001, "early")
        made.send(.client, "PA", 1006, 5001, " late")
        #expect(StreamLog.of(made.packets).text(.client) == "early late")
    }

    @Test func bothMayBeginAtOnce() {
        var made = PacketBuilder()
        made.send(.client, "S", 1000)
        made.send(.server, "S", 5000)
        made.send(.client, "SA", 1000, 5001)
        made.send(.server, "SA", 5000, 1001)
        made.send(.server, "PA", 5001, 1001, "b")
        made.send(.client, "PA", 1001, 5001, "a")
        #expect(
            Array(StreamLog.of(made).prefix(4)) == [
                "0 opened by 10.0.0.1:50000", "0 established at 3", "0 server: b", "0 client: a",
            ]
        )
    }

    @Test func aPortThatIsUsedAgainBeginsAnotherConnection() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one")
        made.send(.client, "S", 901_000)
        made.send(.server, "SA", 905_000, 901_001)
        made.send(.client, "PA", 901_001, 905_001, "two")
        made.send(.client, "R", 901_004)
        made.send(.client, "S", 901_000)
        made.send(.client, "S", 951_000)
        #expect(
            StreamLog.of(made) == [
                "0 opened by 10.0.0.1:50000", "0 established at 3", "0 client: one", "0 client captureEnded",
                "0 server captureEnded", "0 closed", "1 opened by 10.0.0.1:50000", "1 established at 7",
                "1 client: two", "1 client reset by client", "1 server reset by client", "1 closed",
                "2 opened by 10.0.0.1:50000",
                "2 client captureEnded", "2 server captureEnded", "2 closed",
            ]
        )
    }

    // MARK: - Oddities

    @Test func whatKeepsAConnectionAliveIsNoByte() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.client, "A", 1003, 5001, [0])
        made.send(.client, "A", 1003, 5001)
        made.send(.server, "A", 5001, 1004)
        made.send(.client, "PA", 1004, 5001, "def")
        #expect(StreamLog.of(made.packets).text(.client) == "abcdef")

        made.packets.removeFirst(4)
        #expect(StreamLog.of(made.packets).text(.client) == "def")
        made.packets.removeFirst(1)
        #expect(StreamLog.of(made.packets).text(.client) == "def")
    }

    @Test func aByteSentIntoAClosedWindowIsGivenOnce() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "abc")
        made.send(.client, "A", 1004, 5001, "d")
        made.send(.server, "A", 5001, 1004)
        made.send(.client, "A", 1004, 5001, "d")
        made.send(.client, "PA", 1004, 5001, "defg")
        #expect(StreamLog.of(made.packets).text(.client) == "abcdefg")
    }

    @Test func nothingComesBehindAnEnd() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "FA", 1001, 5001, "abc")
        made.send(.client, "FA", 1001, 5001, "abc")
        made.send(.client, "PA", 1004, 5001, "def")
        made.send(.client, "PA", 1002, 5001, "bcdef")
        #expect(StreamLog.of(made.packets).text(.client) == "abc")
        #expect(StreamLog.of(made.packets).faults == [])
    }

    @Test func nothingComesBehindAnEndOfWhichNothingElseIsKnown() {
        var made = PacketBuilder()
        made.send(.server, "PA", 777, 333, "late")
        made.send(.client, "FA", 333, 781)
        made.send(.client, "PA", 323, 781, "early")
        #expect(StreamLog.of(made.packets).faults == [])
        #expect(StreamLog.of(made.packets).text(.client) == "")
    }

    // MARK: - Limits

    @Test func theConnectionThatWasSilentLongestMakesRoom() {
        var reassembler = TCPStreamReassembler(into: StreamLog(), maximumConnections: 3)
        func made(_ port: UInt16) -> [MadePacket] {
            var made = PacketBuilder()
            made.client.port = port
            made.handshake()
            return made.packets
        }
        for port in [1, 2, 3] as [UInt16] { reassembler.give(made(port)) }
        reassembler.give([made(1)[2]])
        reassembler.give(made(4))
        #expect(reassembler.sink.events.filter { $0.hasSuffix("closed") } == ["1 closed"])
        var reset = PacketBuilder()
        reset.client.port = 4
        reset.send(.client, "R", 1001)
        reassembler.give(reset.packets)
        reassembler.settleResets(at: reset.time + .seconds(2))
        reassembler.give(made(5))
        reassembler.give(made(6))
        #expect(
            reassembler.sink.events.filter { $0.hasSuffix("closed") } == ["1 closed", "3 closed", "2 closed"]
        )
        reassembler.finish()
        #expect(reassembler.sink.faults == [])
        #expect(reassembler.sink.events.filter { $0.hasSuffix("closed") }.count == 6)
    }
}

extension TCPStreamReassembler {
    mutating func give(_ packets: [MadePacket]) {
        for packet in packets {
            packet.bytes.withUnsafeBytes {
                guard case .packet(let header) = InternetHeader.read($0, original: $0.count),
                    let segment = TCPSegment(header)
                else { return }
                receive(segment, at: packet.time)
            }
        }
    }
}
