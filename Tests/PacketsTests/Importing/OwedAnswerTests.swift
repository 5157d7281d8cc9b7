import Captures
@testable import Packets
import Testing
import Wire

/// Requests behind one that is missing, whose client did or did not wait for its answer.
struct OwedAnswerTests {
    /// What became of each request that is read where packets with these words are missing, and so many at the beginning.
    private static func ends(
        _ words: [(side: Side, bytes: [UInt8])],
        without missing: [[UInt8]],
        behind count: Int = 0,
        keyLog: [UInt8] = []
    ) -> [String] {
        var made = PacketBuilder()
        made.converse(words)
        let there = made.packets.dropFirst(count).filter { packet in
            !missing.contains { packet.bytes.suffix($0.count).elementsEqual($0) }
        }
        return PacketImport(there, keyLog: keyLog).exchanges.map {
            "\($0.request.url.path) \($0.failure == nil ? $0.response?.body?.text ?? "" : "fails")"
        }
    }

    /// Three requests at once, and another one behind their answers.
    private static let pipelined: [(side: Side, number: Int)] =
        [1, 2, 3].map { (.client, $0) } + [1, 2, 3].map { (.server, $0) } + [(.client, 4), (.server, 4)]

    private static let waiting: [(side: Side, number: Int)] = [1, 2, 3, 4].flatMap {
        [(.client, $0), (.server, $0)]
    }

    private static func words(_ side: Side, _ number: Int) -> [UInt8] {
        side == .client ? NumberedExchange.request(number) : NumberedExchange.answer(number)
    }

    /// The first answer is that to the first request, of which it is not known where it ends, and the second that to the missing one.
    @Test func theNextAnswerIsNotThatToARequestWhoseClientDidNotWait() {
        let words = Self.pipelined.map { (side: $0.side, bytes: Self.words($0.side, $0.number)) }
        #expect(Self.ends(words, without: []) == ["/1 1", "/2 2", "/3 3", "/4 4"])
        #expect(
            Self.ends(words, without: [NumberedExchange.request(2)]) == ["/1 fails", "/3 fails", "/4 fails"]
        )
    }

    /// How many answers are still to come is not known any more, be it one that the client asks behind.
    @Test func nothingIsPairedBehindMissingBytesOfAClientThatDoesNotWait() {
        func words(_ said: [(side: Side, number: Int)]) -> [(side: Side, bytes: [UInt8])] {
            said.map { ($0.side, Self.words($0.side, $0.number)) }
        }
        let asking: [(side: Side, number: Int)] = [
            (.client, 1), (.client, 2), (.client, 3), (.server, 1), (.client, 4), (.server, 2), (.server, 3),
            (.server, 4),
        ]
        #expect(Self.ends(words(asking), without: []) == ["/1 1", "/2 2", "/3 3", "/4 4"])
        #expect(
            Self.ends(words(asking), without: [NumberedExchange.request(2)]) == [
                "/1 fails", "/3 fails", "/4 fails",
            ]
        )
        let between: [(side: Side, number: Int)] = [
            (.client, 1), (.client, 2), (.server, 1), (.client, 3), (.server, 2), (.server, 3), (.client, 4),
            (.server, 4),
        ]
        #expect(
            Self.ends(words(between), without: [NumberedExchange.request(2)]) == [
                "/1 fails", "/3 fails", "/4 fails",
            ]
        )
        let answered: [(side: Side, number: Int)] = [
            (.client, 1), (.client, 2), (.server, 1), (.client, 3), (.server, 2), (.server, 3),
        ]
        #expect(
            Self.ends(words(answered), without: [NumberedExchange.answer(1)]) == [
                "/1 fails", "/2 fails", "/3 fails",
            ]
        )
    }

    /// Also where nothing tells of the first answer, as the packets before and behind it are missing with that.
    @Test func whoWaitsIsReadBehindAMissingBeginning() {
        let words = Self.waiting.map { (side: $0.side, bytes: Self.words($0.side, $0.number)) }
        var made = PacketBuilder()
        made.converse(words)
        made.packets.removeSubrange(1...4)
        let read = PacketImport(made.packets).exchanges.map {
            "\($0.request.url.path) \($0.failure == nil ? $0.response?.body?.text ?? "" : "fails")"
        }
        #expect(read.suffix(2) == ["/3 3", "/4 4"])
    }

    /// What it asked before is missing, and its answer may come first; who waits is read.
    @Test func nothingIsPairedOfAClientThatDoesNotWaitWhereItsBeginningIsMissing() {
        // The three packets that begin the connection, and the first request.
        let words = Self.pipelined.map { (side: $0.side, bytes: Self.words($0.side, $0.number)) }
        #expect(Self.ends(words, without: [], behind: 4) == ["/2 fails", "/3 fails", "/4 fails"])
        // What it asked before shows by an answer to nothing only: the first one cannot be told from its own.
        #expect(Self.ends(words, without: [], behind: 5) == ["/3 1", "/4 fails"])
        let waiting = Self.waiting.map { (side: $0.side, bytes: Self.words($0.side, $0.number)) }
        #expect(Self.ends(waiting, without: [], behind: 4) == ["/2 2", "/3 3", "/4 4"])
    }

    @Test func whyIsTold() {
        var script = ConnectionScript()
        script.open()
        script.lost(40, .client)
        script.client("GET /two HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.server(ConnectionScript.answer)
        script.client("GET /three HTTP/1.1\r\nHost: a.example\r\n\r\n")
        script.server(ConnectionScript.answer)
        script.close()
        let exchanges = script.exchanges.takeFinished()
        #expect(exchanges.map(\.request.url.path) == ["/two", "/three"])
        #expect(exchanges.map(\.failure) == [AnswerLoss.earlierRequestMissing, nil])
        #expect(exchanges.first?.lacksItsAnswer == true)
    }

    @Test(arguments: [0x0303, 0x0304] as [Int32], [false, true]) func inTLS(version: Int32, waits: Bool)
        throws
    {
        var options = TLSPair.Options()
        options.versions = version...version
        let pair = try TLSPair(options)
        try pair.handshake()
        var second: [Side: [UInt8]] = [:]
        for (side, number) in waits ? Self.waiting : Self.pipelined {
            try pair.send(Self.words(side, number), from: side)
            if number == 2 { second[side] = pair.wire.last?.bytes }
        }
        let missing = try #require(second[.client])
        let expected = waits ? ["/1 1", "/3 3", "/4 4"] : ["/1 fails", "/3 fails", "/4 fails"]
        #expect(Self.ends(pair.wire, without: [missing], keyLog: pair.keyLog) == expected)
        guard waits else { return }
        let answer = try #require(second[.server])
        #expect(Self.ends(pair.wire, without: [missing, answer], keyLog: pair.keyLog) == expected)
    }
}
