import Captures
@testable import Packets
import Testing
import Wire

/// What a side had when it spoke comes before what it said, whatever the capture lacks or mixes up.
struct TCPStreamOrderTests {
    @Test func whatWasSaidAfterLostBytesIsGivenBehindThem() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "A", 5001, 1005, "on")
        // 5003: two bytes that the client has and the capture has not.
        made.send(.client, "PA", 1005, 5005, "two?")
        made.send(.server, "PA", 5005, 1009, "two!")
        made.send(.client, "PA", 1009, 5009, "end?")
        made.send(.server, "PA", 5009, 1013, "end!")
        made.send(.client, "FA", 1013, 5013)
        made.send(.server, "FA", 5013, 1014)
        #expect(
            StreamLog.of(made).dropFirst(2) == [
                "0 client: one?", "0 server: on", "0 server: 2 lost", "0 client: two?", "0 server: two!",
                "0 client: end?", "0 server: end!", "0 client finished", "0 server finished", "0 closed",
            ]
        )
    }

    @Test func anAnswerThatIsCapturedBeforeItsQuestionIsGivenBehindIt() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5001, 1005, "one!")
        made.send(.client, "PA", 1005, 5005, "two?")
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "PA", 5005, 1009, "two!")
        #expect(
            StreamLog.of(made).dropFirst(2).prefix(4) == [
                "0 client: one?", "0 server: one!", "0 client: two?", "0 server: two!",
            ]
        )
    }

    @Test func aHandshakeThatIsCapturedBehindItsDataBeginsNoOtherConnection() {
        var made = PacketBuilder()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.client, "S", 1000)
        made.send(.server, "SA", 5000, 1001)
        made.send(.server, "PA", 5001, 1005, "one!")
        #expect(StreamLog.of(made).dropFirst().prefix(2) == ["0 client: one?", "0 server: one!"])
    }

    /// Of a server that speaks first.
    @Test func aHandshakeThatIsCapturedBehindTheServersDataBeginsNoOtherConnection() {
        var made = PacketBuilder()
        made.send(.server, "PA", 5001, 1001, "hello")
        made.handshake()
        made.send(.client, "PA", 1001, 5006, "one?")
        let log = StreamLog.of(made.packets)
        #expect(log.faults == [] && log.facts.count == 1)
        #expect(log.text(.server) == "hello" && log.text(.client) == "one?")
        // A SYN of another connection has numbers of its own.
        var other = PacketBuilder()
        other.send(.server, "PA", 5001, 1001, "hello")
        other.send(.client, "S", 777_000)
        #expect(StreamLog.of(other.packets).facts.count == 2)
    }

    /// As happens where several queues of an interface are captured.
    @Test func segmentsAndAcknowledgmentsInAnyOrderAreGivenInTheirs() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "A", 1005, 5007)
        made.send(.server, "PA", 5004, 1005, "e!!")
        made.send(.client, "PA", 1005, 5007, "two?")
        made.send(.server, "PA", 5001, 1005, "on-")
        made.send(.server, "PA", 5007, 1009, "two!")
        made.send(.client, "PA", 1001, 5001, "one?")
        #expect(
            StreamLog.of(made).dropFirst(2).prefix(5) == [
                "0 client: one?", "0 server: on-", "0 server: e!!", "0 client: two?", "0 server: two!",
            ]
        )
    }

    @Test func whatIsSentAgainDoesNotWaitForWhatAnswersIt() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5001, 1005, "one!")
        // Sent again by somebody who has the answer already.
        made.send(.client, "PA", 1001, 5005, "one?")
        made.send(.server, "PA", 5005, 1005, " more")
        #expect(
            StreamLog.of(made).dropFirst(2).prefix(3) == [
                "0 client: one?", "0 server: one!", "0 server:  more",
            ]
        )
    }

    /// Neither could have been sent first.
    @Test func whatWaitsForEachOtherIsGivenAllTheSame() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5003, "ab")
        made.send(.server, "PA", 5001, 1003, "cd")
        made.send(.client, "PA", 1003, 5003, "ef")
        var decoder = PacketDecoder(into: StreamLog())
        for (index, packet) in made.packets.enumerated() { decoder.give(packet, number: index + 1) }
        #expect(decoder.sink.faults == [])
        #expect(decoder.sink.text(.client) == "abef")
        #expect(decoder.sink.text(.server) == "cd")
    }

    // MARK: - Connections that began before the capture

    /// What the first request had of the server says where it goes on, so that an answer that is missing is not the next one.
    @Test func anAnswerThatIsMissingBehindTheFirstRequestIsLost() {
        var made = PacketBuilder()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.client, "PA", 1005, 5005, "two?")
        made.send(.server, "PA", 5005, 1009, "two!")
        #expect(
            StreamLog.of(made).prefix(5) == [
                "0 opened by 10.0.0.1:50000 mid-stream", "0 client: one?", "0 server: 4 lost",
                "0 client: two?", "0 server: two!",
            ]
        )
    }

    /// One of them was there before the request, the other was on its way to the client.
    @Test func answersToWhatWasAskedBeforeTheCaptureAreNotThoseOfItsFirstRequest() {
        var made = PacketBuilder()
        made.send(.client, "PA", 1001, 5001, "two?")
        made.send(.server, "PA", 4996, 1001, "zero!")
        made.send(.server, "PA", 5001, 1001, "one!")
        made.send(.server, "PA", 5005, 1005, "two!")
        #expect(StreamLog.of(made).dropFirst().prefix(2) == ["0 client: two?", "0 server: two!"])
    }

    /// A server need not wait for its client to say how it speaks HTTP/2, and the SYN may be all that is missing.
    @Test func settingsAnswerNothingThatWasAskedBefore() {
        var made = PacketBuilder()
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        made.send(.client, "PA", 1001, 5001, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        made.send(.server, "PA", 5001, 1001, settings)
        #expect(StreamLog.of(made.packets).bytes.first?[.server] == settings.map { $0 })
    }

    // MARK: - Times

    /// What was told, and when: milliseconds since the start.
    private struct Times: TCPStreamSink {
        private(set) var seen: [String] = []

        /// What is told of packets, in a decoder of their own.
        static func of(_ packets: [MadePacket]) -> [String] {
            var decoder = PacketDecoder(into: Times())
            for (index, packet) in packets.enumerated() { decoder.give(packet, number: index + 1) }
            decoder.finish()
            return decoder.sink.seen
        }

        private mutating func note(_ what: String, at time: Timestamp) {
            seen.append("\(what) \((time.nanoseconds - PacketBuilder.start.nanoseconds) / 1_000_000)")
        }

        mutating func opened(_ stream: Int, _ facts: TCPStreamFacts) {}
        mutating func established(_ stream: Int, at time: Timestamp) {}
        mutating func received(
            _ bytes: UnsafeRawBufferPointer,
            of stream: Int,
            from side: Side,
            at time: Timestamp
        ) {
            note(String(decoding: bytes, as: UTF8.self), at: time)
        }
        mutating func lost(_ count: Int, of stream: Int, from side: Side, at time: Timestamp) {
            note("\(count) lost", at: time)
        }
        mutating func ended(_ side: Side, of stream: Int, _ end: TCPStreamEnd, at time: Timestamp) {}
        mutating func closed(_ stream: Int, at time: Timestamp) {}
    }

    @Test func whatHasWaitedKeepsTheTimeOfItsPacket() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.server, "PA", 5001, 1001, Array("a".utf8), after: 10)
        made.send(.client, "PA", 1001, 5003, Array("c".utf8), after: 10)
        made.send(.server, "PA", 5003, 1002, Array("d".utf8), after: 10)
        made.send(.client, "A", 1002, 5004, [], after: 2000)
        made.send(.client, "PA", 1002, 5004, Array("e".utf8), after: 10)
        #expect(Times.of(made.packets) == ["a 13", "c 23", "1 lost 33", "d 33", "e 2043"])
    }

    /// The next request has waited for what is missing, and goes on with the answer to it, which comes much later.
    @Test func aRequestBehindLostBytesKeepsItsTime() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "PA", 5001, 1005, "on")
        made.send(.client, "PA", 1005, 5005, Array("two?".utf8), after: 10)
        made.send(.server, "PA", 5005, 1009, Array("two!".utf8), after: 20_000)
        #expect(
            Times.of(made.packets) == ["one? 4", "on 5", "2 lost 15", "two? 15", "two! 20015"]
        )
    }

    /// What is missing of an answer had come when it was acknowledged, and not when the next request shows that it is missing.
    @Test func lostBytesHaveTheTimeOfTheirAcknowledgment() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.server, "PA", 5001, 1005, "on")
        made.send(.client, "A", 1005, 5005)
        made.send(.client, "PA", 1005, 5005, Array("two?".utf8), after: 20_000)
        #expect(Times.of(made.packets) == ["one? 4", "on 5", "2 lost 6", "two? 20006"])
    }

    /// Of two answers that are missing one behind the other, the first was there when the second was asked for.
    @Test func whatWasSaidBetweenLostBytesIsGivenBetweenThem() {
        var made = PacketBuilder()
        made.handshake()
        made.send(.client, "PA", 1001, 5001, "one?")
        made.send(.client, "PA", 1005, 5005, Array("two?".utf8), after: 10)
        made.send(.client, "PA", 1009, 5013, Array("end?".utf8), after: 10)
        made.send(.server, "PA", 5013, 1013, Array("end!".utf8), after: 10)
        let told = ["one? 4", "4 lost 14", "two? 14", "8 lost 24", "end? 24", "end! 34"]
        #expect(Times.of(made.packets) == told)
        // While it goes on, once it has been waited for long enough.
        made.send(.client, "A", 1013, 5017, [], after: 2000)
        var decoder = PacketDecoder(into: Times())
        for (index, packet) in made.packets.enumerated() { decoder.give(packet, number: index + 1) }
        #expect(decoder.sink.seen == told)
    }
}
