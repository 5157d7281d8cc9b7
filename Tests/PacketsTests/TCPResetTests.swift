import Captures
@testable import Packets
import Testing
import Wire

/// What a RST ends, and what it does not.
struct TCPResetTests {
    private static let reset = ["0 client reset by client", "0 server reset by client", "0 closed"]

    /// What is told behind the handshake.
    private func told(_ made: PacketBuilder) -> [String] { Array(StreamLog.of(made).dropFirst(2)) }

    @Test func aConnectionThatIsRefusedIsResetAtOnce() {
        var made = PacketBuilder()
        made.send(.client, "S", 1000)
        made.send(.server, "RA", 0, 777)
        var reassembler = TCPStreamReassembler(into: StreamLog())
        reassembler.give(made.packets)
        // It names another connection.
        #expect(reassembler.sink.events == ["0 opened by 10.0.0.1:50000"])
        made.packets = []
        made.send(.server, "RA", 0, 1001)
        reassembler.give(made.packets)
        #expect(
            reassembler.sink.events == [
                "0 opened by 10.0.0.1:50000", "0 client reset by server", "0 server reset by server",
                "0 closed",
            ]
        )
    }

    /// As a capture has it that mixes up neighbours; another SYN's, or one of long ago, refuses nothing.
    @Test(
        arguments: [
            (1001, 1, true), (777, 1, false), (1001, 2000, false),
        ] as [(UInt32, Int64, Bool)]
    )
    func aRefusalMayBeCapturedBeforeWhatItRefuses(number: UInt32, wait: Int64, isRefused: Bool) {
        var made = PacketBuilder()
        made.send(.server, "RA", 0, number)
        made.send(.client, "S", 1000, 0, [], after: wait)
        let end = isRefused ? "reset by server" : "captureEnded"
        #expect(
            StreamLog.of(made) == [
                "0 opened by 10.0.0.1:50000", "0 client \(end)", "0 server \(end)", "0 closed",
            ]
        )
    }

    @Test func whatWasSentBeforeAResetMayComeBehindIt() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "ask")
        made.send(.client, "R", 1004)
        made.send(.server, "PA", 5004, 1004, "def")
        made.send(.server, "PA", 5001, 1004, "abc")
        #expect(
            told(made)
                == ["0 client: ask", "0 server: abc", "0 server: def"] + Self.reset
        )
    }

    @Test func whatItsSenderSentBeforeAResetMayComeBehindIt() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "R", 1004)
        made.send(.client, "PA", 1001, 5001, "ask")
        #expect(told(made) == ["0 client: ask"] + Self.reset)
    }

    @Test func aResetIsToldAfterASecond() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5004, 1001, "def")
        made.send(.client, "R", 1001)
        var reassembler = TCPStreamReassembler(into: StreamLog())
        reassembler.give(made.packets)
        #expect(reassembler.sink.events.count == 2)
        reassembler.settleResets(at: made.time + .milliseconds(900))
        #expect(reassembler.sink.events.count == 2)
        reassembler.settleResets(at: made.time + .milliseconds(1100))
        #expect(
            Array(reassembler.sink.events.dropFirst(2))
                == ["0 server: 3 lost", "0 server: def"] + Self.reset
        )
        // What is of another connection lets time pass as well.
        var other = made
        other.client.port = 50_001
        other.send(.client, "S", 1000, 0, [], after: 2000)
        made.packets += other.packets.suffix(1)
        #expect(Array(told(made).dropFirst(2).prefix(3)) == Self.reset)
    }

    /// Both ends pass over it (RFC 9293, section 3.10.7.4), or ask for it again (RFC 5961, section 3.2).
    @Test(
        arguments: [
            905_005_001, 5_000, 5_007 + 70_000, 5_003, 5_008,
        ] as [UInt32]
    )
    func aResetOfAnotherPlaceEndsNothing(place: UInt32) {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5001, 1001, "answer")
        made.send(.client, "A", 1001, 5007)
        made.send(.server, "RA", place, 900_000)
        made.send(.client, "PA", 1001, 5007, Array("ask".utf8), after: 90_000)
        made.send(.server, "PA", 5007, 1004, "again")
        made.send(.client, "FA", 1004, 5012)
        made.send(.server, "FA", 5012, 1005)
        #expect(
            told(made) == [
                "0 server: answer", "0 client: ask", "0 server: again", "0 client finished",
                "0 server finished", "0 closed",
            ]
        )
    }

    /// The end of the capture, or another connection in its place, is what tells then.
    @Test func aResetWithinTheWindowIsTheEndWhereNothingFollows() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "ask")
        made.send(.client, "R", 1010)
        var next = made
        next.send(.client, "S", 900_000)
        #expect(told(made) == ["0 client: ask"] + Self.reset)
        #expect(Array(told(next).prefix(4)) == ["0 client: ask"] + Self.reset)
    }

    @Test func whoGoesOnHasNotReset() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "R", 1001)
        made.send(.client, "PA", 1001, 5001, "ask")
        made.send(.server, "PA", 5001, 1004, Array("answer".utf8), after: 5000)
        #expect(
            told(made) == [
                "0 client: ask", "0 server: answer", "0 client captureEnded", "0 server captureEnded",
                "0 closed",
            ]
        )
    }

    @Test func aResetBehindAnEndIsOfItsSender() {
        for place in [1004, 1005] as [UInt32] {
            var made = PacketBuilder()
            made.handshake()
            made.send(.client, "FPA", 1001, 5001, "ask")
            made.send(.server, "PA", 5001, 1005, "answ")
            made.send(.client, "R", place)
            #expect(
                told(made) == [
                    "0 client: ask", "0 client finished", "0 server: answ", "0 server reset by client",
                    "0 closed",
                ]
            )
        }
    }

    @Test func resetsThatWaitAreNoMoreThanTheyMayBe() {
        var reassembler = TCPStreamReassembler(into: StreamLog())
        for index in 0..<4600 as Range<UInt32> {
            var made = PacketBuilder()
            made.client.port = UInt16(1000 + index)
            made.send(.client, "S", 10 * index, 0, [], after: 0)
            made.send(.server, "SA", 5000, 10 * index + 1, [], after: 0)
            made.send(.client, "R", 10 * index + 1, 0, [], after: 0)
            reassembler.give(made.packets)
        }
        #expect(reassembler.sink.faults == [])
        #expect(reassembler.sink.events.filter { $0.hasSuffix("closed") }.count == 4600 - 4097)
        reassembler.finish()
        #expect(reassembler.sink.events.filter { $0.hasSuffix("reset by client") }.count == 9200)
    }

    // MARK: - Ports that are used again

    /// The second connection's SYN is not in the capture.
    @Test(arguments: ["finished", "reset", "open"])
    func aLaterConnectionIsKnownByItsNumbers(end: String) {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "PA", 5001, 1005, "one!")
        if end == "finished" {
            made.send(.client, "FA", 1005, 5005)
            made.send(.server, "FA", 5005, 1006)
        } else if end == "reset" {
            made.send(.client, "RA", 1005, 5005)
        }
        made.send(.client, "PA", 905_000_000, 705_000_000, Array("GET / HTTP/1.1\r\n".utf8), after: 2000)
        made.send(.server, "PA", 705_000_000, 905_000_016, "two!")
        made.send(.client, "PA", 905_000_016, 705_000_004, "\r\n")
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        #expect(log.facts.map(\.beganMidStream) == [false, true])
        #expect(log.text(.client) == "one?")
        #expect(log.text(.client, of: 1) == "GET / HTTP/1.1\r\n\r\n")
        #expect(log.text(.server, of: 1) == "two!")
        #expect(
            log.events.contains(
                "0 client \(end == "finished" ? end : end == "reset" ? "reset by client" : "captureEnded")"
            )
        )
    }

    /// What has no data opens nothing, and the connection before it has not jumped to where that stands.
    @Test(
        arguments: [
            ("A", 905_000_000, false), ("A", 905_000_000, true), ("FA", 905_000_018, false),
        ] as [(String, UInt32, Bool)]
    )
    func aLaterConnectionIsKnownBehindASegmentWithoutData(flags: String, place: UInt32, isHalfClosed: Bool) {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, isHalfClosed ? "FPA" : "PA", 5001, 1005, "one!")
        made.send(.client, flags, place, 505_000_000, [], after: 2000)
        made.send(.client, "PA", 905_000_000, 505_000_000, "GET / HTTP/1.1\r\n")
        made.send(.server, "PA", 505_000_000, 905_000_016, "two!")
        made.send(.client, "PA", 905_000_016, 505_000_004, "\r\n")
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        #expect(log.facts.map(\.beganMidStream) == [false, true])
        #expect(log.text(.client) == "one?")
        #expect(log.text(.server) == "one!")
        #expect(log.text(.client, of: 1) == "GET / HTTP/1.1\r\n\r\n")
        #expect(log.text(.server, of: 1) == "two!")
    }

    /// As numbers go on with time, a port that is used again soon has some that are not far.
    @Test func behindAnEndEveryByteIsOfALaterConnection() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "FPA", 1001, 5001, "one?")
        made.send(.server, "FPA", 5001, 1006, "one!")
        // Sent again, and what keeps alive.
        made.send(.client, "FPA", 1001, 5006, "one?")
        made.send(.server, "A", 5005, 1006, [0])
        made.send(.client, "PA", 1006, 9_999, "two?")
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        #expect(log.text(.client) == "one?")
        #expect(log.text(.client, of: 1) == "two?")
        #expect(log.facts.count == 2)
    }

    /// As where somebody sends the packets of a capture again.
    @Test(arguments: [0, 2000] as [Int64]) func aSYNBehindAnEndIsOfALaterConnection(pause: Int64) {
        var made = PacketBuilder()
        for text in ["one?", "two?"] {
            made.send(.client, "S", 1000, after: text == "one?" ? 1 : pause)
            made.send(.server, "SA", 5000, 1001)
            made.send(.client, "A", 1001, 5001)
            made.send(.client, "FPA", 1001, 5001, text)
            made.send(.server, "FA", 5001, 1006)
        }
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [])
        // At once, it is a copy of the same packets.
        #expect(log.facts.count == (pause == 0 ? 1 : 2))
        #expect(pause == 0 || log.text(.client, of: 1) == "two?")
    }

    /// Who was refused asks again.
    @Test func aRefusedSYNThatComesAgainIsTheSame() {
        var made = PacketBuilder()
        for pause in [1, 2000] as [Int64] {
            made.send(.client, "S", 1000, after: pause)
            made.send(.server, "RA", 0, 1001)
        }
        #expect(StreamLog.of(made.packets).facts.count == 1)
    }

    /// Where much is missing of one direction, the other goes on.
    @Test func aJumpOfOneDirectionIsNoOtherConnection() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5001, 1001, "abc")
        made.send(.server, "PA", 60_005_001, 1001, "def")
        made.send(.client, "PA", 1001, 60_005_004, "more")
        let log = StreamLog.of(made.packets)
        #expect(log.facts.count == 1)
        #expect(log.text(.server) == "abc_def")
    }
}
