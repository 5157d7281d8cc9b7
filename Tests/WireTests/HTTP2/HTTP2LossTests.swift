import Captures
import TestSupport
import Testing
import Wire

/// HTTP/2 behind bytes that are not in the capture.
struct HTTP2LossTests {
    /// A connection whose bytes come as they are said, or do not.
    private struct Line {
        var conversation: Conversation
        var client = HTTP2Speaker.client([(2, 0)])
        var server = HTTP2Speaker.server()
        var now = Timestamp(seconds: 1_800_000_000)
        var exchanges: [Exchange] = []

        init(budget: RecordingBudget? = nil) {
            var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
            configuration.connection.alpn = "h2"
            configuration.budget = budget
            conversation = Conversation(configuration)
        }

        mutating func ask(
            _ stream: UInt32,
            _ path: String,
            _ more: [(String, String)] = [],
            isLost: Bool = false
        ) {
            client.get(stream, path, more)
            pass(client.take(), .client, isLost: isLost)
        }

        mutating func answer(
            _ stream: UInt32,
            _ fields: [(String, String)],
            _ text: String,
            isLost: Bool = false
        ) {
            server.headers(stream, fields)
            server.data(stream, text, ends: true)
            pass(server.take(), .server, isLost: isLost)
        }

        mutating func pass(_ bytes: [UInt8], _ side: Side, isLost: Bool = false, isExact: Bool = true) {
            now = now + .milliseconds(1)
            if isLost {
                exchanges += conversation.lost(bytes.count, isExact: isExact, from: side, at: now) ?? []
            } else {
                exchanges += bytes.withUnsafeBytes { conversation.received($0, from: side, at: now) }
            }
        }

        /// The connection is forgotten.
        mutating func forget() {
            conversation = Conversation(.init(scheme: "https", authority: "idp.example"))
        }

        mutating func end() { exchanges += conversation.ended(.server, reason: nil, at: now) }

        var summary: [String] {
            exchanges.map {
                "\($0.request.url.path) \($0.response?.status ?? 0) \($0.response?.body?.text ?? "")"
                    + ($0.response?.body?.isTruncated == true ? "…" : "")
                    + ($0.failure.map { " (\($0))" } ?? "")
            }
        }
    }

    private static let ok = [(":status", "200"), ("x-kind", "page")]

    @Test func bytesWithinABodyCutItAndNothingElse() {
        var line = Line()
        line.ask(1, "/one")
        line.server.headers(1, Self.ok)
        line.server.data(1, String(repeating: "a", count: 100), ends: true)
        let bytes = line.server.take()
        line.pass(Array(bytes.dropLast(90)), .server)
        line.pass(Array(bytes.suffix(90).prefix(60)), .server, isLost: true)
        line.pass(Array(bytes.suffix(30)), .server)
        line.ask(3, "/two")
        line.answer(3, Self.ok, "second")
        #expect(line.summary == ["/one 200 aaaaaaaaaa…", "/two 200 second"])
        #expect(line.exchanges.first?.response?.body?.wireSize == 100)
        #expect(line.conversation.losses == nil)
    }

    /// The gap ends in another frame than it begins in; no answer had to begin in it.
    @Test(arguments: [true, false])
    func bytesOfSeveralFramesCutTheBodyAndTheFieldsBehindThemAreKnown(isExact: Bool) {
        var line = Line()
        line.ask(1, "/one")
        line.server.headers(1, Self.ok)
        for letter in ["a", "b", "c", "d"] { line.server.data(1, String(repeating: letter, count: 50)) }
        line.server.data(1, "end", ends: true)
        let bytes = line.server.take()
        line.pass(Array(bytes[..<120]), .server)
        line.pass(Array(bytes[120..<200]), .server, isLost: true, isExact: isExact)
        line.pass(Array(bytes[200...]), .server)
        line.ask(3, "/two")
        line.answer(3, Self.ok, "second")
        #expect(line.exchanges.map(\.request.url.path) == ["/one", "/two"])
        #expect(line.exchanges.map(\.failure) == [nil, nil])
        #expect(line.exchanges.first?.response?.body?.isTruncated == true)
        #expect(line.exchanges.last?.response?.headers.first("x-kind") == "page")
        #expect(line.exchanges.last?.response?.body?.text == "second")
        #expect(line.conversation.losses == nil)
    }

    /// The second gap begins where the first one ends, and a request was sent meanwhile: its answer may have changed the table.
    @Test func anAnswerThatIsMissingBehindOtherMissingBytesCostsWhatRefersToIt() {
        var line = Line()
        line.ask(1, "/one")
        line.server.headers(1, Self.ok)
        line.pass(line.server.take(), .server)
        line.server.data(1, String(repeating: "a", count: 100), ends: true)
        line.pass(line.server.take(), .server, isLost: true, isExact: false)
        line.ask(3, "/two")
        line.answer(3, [(":status", "200"), ("x-new", "1")], "second", isLost: true)
        line.ask(5, "/three")
        line.answer(5, [(":status", "200"), ("x-new", "1")], "third")
        line.end()
        let third = line.exchanges.first { $0.request.url.path == "/three" }
        #expect(third?.response?.body?.text == "third")
        #expect(third?.response?.headers.first("x-kind") == nil)
        let second = line.exchanges.first { $0.request.url.path == "/two" }
        #expect(second?.failure?.contains("not in the capture") == true)
    }

    /// Nothing tells how long the body was: the frame that ends it came behind what is missing.
    @Test func aBodyOfWhichAnyPartMayBeMissingIsCut() {
        var line = Line()
        line.client.headers(1, HTTP2Speaker.request("POST", "/one"))
        line.pass(line.client.take(), .client)
        line.client.data(1, "grant_type=")
        line.pass(line.client.take(), .client, isLost: true, isExact: false)
        line.client.data(1, "", ends: true)
        line.pass(line.client.take(), .client)
        line.server.headers(1, Self.ok)
        line.pass(line.server.take(), .server)
        line.server.data(1, "first")
        line.pass(line.server.take(), .server, isLost: true, isExact: false)
        line.server.data(1, "", ends: true)
        line.pass(line.server.take(), .server)
        #expect(line.summary == ["/one 200 …"])
        #expect(line.exchanges.first?.request.body?.isTruncated == true)
    }

    /// A server that needs no more of a request says NO_ERROR behind its whole answer; with another code it has broken off.
    @Test(arguments: [(0, "not in the capture"), (2, "broke off the answer (RST_STREAM INTERNAL_ERROR)")])
    func anAnswerThatIsMissingWasNotBrokenOffByNoError(code: UInt32, reason: String) {
        var line = Line()
        line.ask(1, "/one")
        line.answer(1, Self.ok, "first", isLost: true)
        line.server.reset(1, code)
        line.pass(line.server.take(), .server)
        #expect(line.exchanges.map { $0.failure?.hasSuffix(reason) } == [true], "\(line.summary)")
    }

    /// The lengths say that only the ends of the streams can be among what is missing.
    @Test func messagesThatAreWholeByTheirLengthAreNotCut() {
        var line = Line()
        line.client.headers(1, HTTP2Speaker.request("POST", "/one") + [("content-length", "3")])
        line.client.data(1, "a=b")
        line.pass(line.client.take(), .client)
        line.client.data(1, "", ends: true)
        line.pass(line.client.take(), .client, isLost: true, isExact: false)
        line.server.headers(1, [(":status", "200"), ("content-length", "5")])
        line.server.data(1, "first")
        line.pass(line.server.take(), .server)
        line.server.data(1, "", ends: true)
        line.pass(line.server.take(), .server, isLost: true, isExact: false)
        #expect(line.summary == ["/one 200 first"])
        #expect(line.exchanges.first?.request.body?.text == "a=b")
        #expect(line.exchanges.first?.request.body?.isTruncated == false)
    }

    /// What is missing may have been the rest of it.
    @Test func whoResetsAnAnswerWithAHoleMayHaveHadAllOfIt() {
        var line = Line()
        line.ask(1, "/one")
        line.server.headers(1, Self.ok)
        line.server.data(1, "first")
        line.pass(line.server.take(), .server)
        line.pass([UInt8](repeating: 0, count: 30), .server, isLost: true, isExact: false)
        line.client.reset(1, 5)
        line.pass(line.client.take(), .client)
        #expect(line.summary == ["/one 200 first… (up to 30 bytes of the server are not in the capture)"])
    }

    /// What is left of an answer without its head are trailers, and no answer of a server that forgets its status.
    @Test func trailersBehindALostHeadAreNoHead() {
        var line = Line()
        line.ask(1, "/one")
        line.ask(3, "/two")
        line.server.headers(1, [(":status", "200")])
        line.server.data(1, "first")
        line.pass(line.server.take(), .server, isLost: true)
        line.server.headers(1, [("x-checksum", "2")], ends: true)
        line.pass(line.server.take(), .server)
        line.answer(3, Self.ok, "second")
        #expect(line.exchanges.map(\.response?.status) == [nil, 200])
        #expect(line.exchanges.first?.failure?.contains("not in the capture") == true)
        #expect(line.exchanges.first?.malformations.isEmpty == true)
    }

    @Test func anAnswerThatIsMissingFailsAndTheNextIsRead() {
        var line = Line()
        line.ask(1, "/one")
        line.answer(1, Self.ok, "first", isLost: true)
        line.ask(3, "/two")
        // What the first answer added to the table is referred to here.
        line.answer(3, Self.ok + [("x-new", "1")], "second")
        line.ask(5, "/three")
        line.answer(5, [(":status", "302"), ("x-new", "1")], "")
        line.end()
        #expect(
            line.summary == [
                "/two 200 second", "/three 302 ", "/one 0  (44 bytes of the server are not in the capture)",
            ]
        )
        #expect(
            line.exchanges.prefix(2).map { $0.response?.headers.fields.map(\.name) } == [
                ["x-new"], ["x-new"],
            ]
        )
        #expect(line.conversation.losses == "header fields of 1 message")
    }

    @Test func aStatusThatIsNotKnownIsNotGuessed() {
        var line = Line()
        line.ask(1, "/one")
        line.answer(1, [(":status", "302")], "", isLost: true)
        line.ask(3, "/two")
        line.answer(3, [(":status", "302"), ("location", "/cb")], "")
        #expect(
            line.summary == [
                "/two 0 … (the status of the answer is not known: it refers to header fields that are not in the capture)"
            ]
        )
        #expect(line.exchanges.first?.response?.headers.first("location") == "/cb")
        #expect(line.exchanges.first?.malformations.isEmpty == true)
    }

    @Test func aRequestThatIsMissingCostsThoseThatReferToIt() {
        var line = Line()
        line.ask(1, "/one", [("cookie", "a=1")], isLost: true)
        line.answer(1, Self.ok, "first")
        line.ask(3, "/one")
        line.answer(3, Self.ok, "second")
        line.ask(5, "/three", [("cookie", "a=1"), ("x-new", "2")])
        line.answer(5, Self.ok, "third")
        // Of the second its path refers to that, and all else of it is there.
        #expect(line.summary == ["/ 200 second (\(AnswerLoss.targetMissing))", "/three 200 third"])
        #expect(line.exchanges.first?.request.method == "GET")
        #expect(line.exchanges.first?.isTargetUnknown == true && line.exchanges.first?.askedURL == nil)
        #expect(line.exchanges.first?.malformations.isEmpty == true)
        // Of the host, which is in the same table, the connection knows better.
        #expect(line.exchanges.last?.request.url.text == "https://idp.example/three")
        #expect(line.exchanges.last?.request.headers.first("cookie") == nil)
        #expect(line.exchanges.last?.unknownFields == UnknownFields(request: 2, response: 0))
        #expect(line.exchanges.last?.isHostUnknown == true && line.exchanges.last?.isTargetUnknown == false)
        #expect(line.exchanges.last?.request.headers.first("x-new") == "2")
        #expect(
            line.conversation.losses
                == "the requests of 1 answer, the URLs of 1 request and header fields of 2 messages"
        )
    }

    /// In whichever order their answers come, and however many fields these have; a stream that nobody answers may be none.
    @Test(arguments: [[3, 7, 5, 9, 5], [9, 7, 5, 3, 3], [5, 3, 9, 7, 9]] as [[UInt32]])
    func requestsThatAreMissingAreToldWhereALaterOneCameFirst(order: [UInt32]) {
        var line = Line()
        line.ask(1, "/one")
        line.ask(3, "/two", isLost: true)
        line.ask(5, "/three", isLost: true)
        line.ask(9, "/five", [("x-new", "2")])
        line.answer(1, Self.ok, "first")
        for stream in order { line.answer(stream, Self.ok, "other") }
        #expect(line.summary == ["/one 200 first", "/five 200 other"])
        // The one with the number 7 was never seen to be asked for either.
        #expect(
            line.conversation.losses == "the requests of 3 answers and header fields of 1 message"
        )
    }

    /// Streams are opened in their order: the next number says that no request is missing.
    @Test func framesWithoutRequestsCostNothing() {
        var line = Line()
        line.ask(1, "/one", [("cookie", "a=1")])
        line.answer(1, Self.ok, "first")
        line.client.frame(8, 0, 0, [0, 0, 1, 0])
        line.pass(line.client.take(), .client, isLost: true)
        line.ask(3, "/one", [("cookie", "a=1")])
        line.answer(3, Self.ok, "second")
        #expect(line.summary == ["/one 200 first", "/one 200 second"])
        #expect(line.exchanges.last?.request.headers.first("cookie") == "a=1")
        #expect(line.conversation.losses == nil)
    }

    @Test func theEndOfAHeaderBlockThatIsMissingIsNoEndOfTheConnection() {
        var line = Line()
        line.ask(1, "/one")
        let block = line.server.block(Self.ok + [("location", "/callback")])
        line.server.frame(1, 1, 1, Array(block.prefix(5)))
        line.pass(line.server.take(), .server)
        line.pass([UInt8](repeating: 0, count: 30), .server, isLost: true)
        line.ask(3, "/two")
        line.answer(3, [(":status", "200")], "second")
        line.end()
        #expect(line.exchanges.map(\.request.url.path) == ["/two", "/one"])
        #expect(line.exchanges.map(\.response?.status) == [200, nil])
        #expect(line.exchanges.map { $0.failure == nil } == [true, false])
    }

    /// Any bytes, and any of them missing: nothing is told twice, and all that was held is given back.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func anyBytesMayBeMissing(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let budget = RecordingBudget(bytes: seed % 3 == 0 ? 3000 : 1 << 20)
        var line = Line(budget: budget)
        for turn in 0..<40 as Range<UInt32> {
            let stream = turn * 2 + 1
            line.client.get(stream, "/\(turn)", [("cookie", "a=\(turn % 5)")])
            line.server.headers(stream, Self.ok + [("x-turn", "\(turn % 7)")], ends: turn % 4 == 0)
            if turn % 4 > 0 {
                line.server.data(stream, String(repeating: "b", count: 300), ends: turn % 4 > 1)
            }
            for (bytes, side) in [(line.client.take(), Side.client), (line.server.take(), Side.server)] {
                var rest = bytes[...]
                while !rest.isEmpty {
                    var piece = Array(rest.prefix(Int.random(in: 1...200, using: &generator)))
                    rest = rest.dropFirst(piece.count)
                    if Int.random(in: 0..<40, using: &generator) == 0 {
                        piece[Int.random(in: 0..<piece.count, using: &generator)] = UInt8.random(
                            in: 0...255,
                            using: &generator
                        )
                    }
                    line.pass(
                        piece,
                        side,
                        isLost: Int.random(in: 0..<6, using: &generator) == 0,
                        isExact: Bool.random(using: &generator)
                    )
                }
            }
        }
        line.end()
        // Streams are asked for once; what a changed byte made of them may be anything.
        #expect(line.exchanges.count <= 41)
        #expect(
            line.exchanges.allSatisfy { ($0.response?.headers.fields ?? []).allSatisfy { $0.name != "?" } }
        )
        line.exchanges = []
        line.forget()
        #expect(budget.available == (seed % 3 == 0 ? 3000 : 1 << 20))
    }
}
