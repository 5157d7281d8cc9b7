import Captures
import NIOCore
import TestSupport
import Testing
import Wire

struct ConversationTests {
    static let get = "GET /a?b=c HTTP/1.1\r\nHost: idp.example\r\n\r\n"

    static let held =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"

    struct Script: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var turns: @Sendable () -> [Dialogue.Turn]
    }

    @Test(arguments: scripts) func everyCutGivesTheSameExchanges(script: Script) {
        let dialogue = Dialogue(script.turns())
        let whole = Dialogue.summary(dialogue.exchanges())
        #expect(!whole.isEmpty)
        #expect(Dialogue.summary(dialogue.exchanges { $0.map { [$0] } }) == whole, "byte by byte")
        let longest =
            script.turns().map { turn in
                switch turn {
                case .client(let text), .server(let text): text.utf8.count
                default: 0
                }
            }.max() ?? 0
        for place in 1..<longest {
            let split = Dialogue.summary(
                dialogue.exchanges { [Array($0.prefix(place)), Array($0.dropFirst(place))] }
            )
            #expect(split == whole, "split at \(place)")
        }
    }

    private func exchanges(_ name: String) throws -> [Exchange] {
        try Dialogue(#require(Self.scripts.first { $0.testDescription == name }).turns()).exchanges()
    }

    @Test func requestAndAnswerAreReadAsTheyStand() throws {
        let exchange = try #require(exchanges("length").first)
        #expect(exchange.request.url.text == "https://idp.example/a?b=c")
        #expect(exchange.response?.status == 200 && exchange.response?.body?.text == "hello")
        #expect(exchange.duration == .milliseconds(10))
        #expect(exchange.malformations.isEmpty && exchange.failure == nil)
    }

    @Test func trailersAreKeptAsTrailers() throws {
        let exchange = try #require(exchanges("chunked with extension and trailers").first)
        #expect(exchange.request.body?.text == "abc" && exchange.response?.body?.text == "hello world")
        #expect(
            exchange.request.trailers.first("x-sum") == "1"
                && exchange.response?.trailers.first("x-check") == "2"
        )
    }

    @Test func pipelinedAnswersFindTheirRequests() throws {
        let found = try exchanges("pipelined requests, answers in order")
        #expect(found.map(\.request.url.path) == ["/a", "/b", "/c"])
        #expect(found.map { $0.response?.status } == [200, 204, 200])
        #expect(found.map { $0.response?.body?.text ?? "" } == ["1", "", "3"])
    }

    @Test func answersWithoutABodyLeaveTheNextOneWhole() throws {
        #expect(
            try exchanges("HEAD, 304, then a body").map { $0.response?.body?.text ?? "" } == ["", "", "x"]
        )
    }

    @Test func interimAnswersAreNotTheAnswer() throws {
        let found = try exchanges("100 and 103 before the answer")
        #expect(found.count == 1 && found[0].response?.status == 200 && found[0].request.body?.text == "abc")
    }

    /// RFC 9110, section 10.1.1.
    @Test func bodyThatWasRefusedBeforehandIsNotWaitedFor() throws {
        let next = try exchanges("a refusal instead of 100, then the next request")
        #expect(next.map { $0.response?.status } == [417, 204, 401, 200])
        #expect(next.map(\.request.method) == ["POST", "GET", "POST", "GET"])
        #expect(next.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
        let body = try exchanges("a refusal instead of 100, and the body nonetheless")
        #expect(body.map { $0.response?.status } == [417, 204, 417, 200])
        #expect(body.map(\.request.method) == ["POST", "GET", "POST", "GET"])
        #expect(body.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
        let word = try exchanges("a refusal instead of 100, and a body in capitals")
        #expect(word.map { $0.response?.status } == [417, 204])
        #expect(word.map(\.request.method) == ["POST", "GET"])
    }

    /// What the server says to the request is why it is looked at.
    @Test func whatCannotBeReadOfTheClientHidesNoAnswer() throws {
        let longer = try exchanges("a request that is longer than it says")
        #expect(longer.map { $0.response?.status } == [400, nil])
        #expect(longer.map { $0.malformations.map(\.reason) } == [[], ["not HTTP"]])
        #expect(longer.last?.failure == "the connection could not be read any further: not HTTP")
        let broken = try exchanges("a broken chunk of the request")
        #expect(broken.map { $0.response?.status } == [200, 400])
        #expect(broken.map { $0.malformations.map(\.reason) } == [[], ["a chunk longer than its size"]])
        #expect(broken.last?.failure == nil && broken.last?.request.body?.isTruncated == true)
    }

    @Test func whatIsSaidAheadOfAnUpgradeHidesItNot() throws {
        let first = try #require(exchanges("a client that does not wait for its websocket").first)
        #expect(first.response?.status == 101 && first.upgradedTo == "websocket" && first.failure == nil)
    }

    /// Where none comes it is the reason.
    @Test func unansweredRequestThatCannotBeReadSaysSo() {
        let text = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n"
        let found = Dialogue([.client(text), .serverEnds]).exchanges()
        #expect(
            found.map(\.failure) == [
                "the connection could not be read any further: a chunk longer than its size"
            ]
        )
    }

    @Test func whatIsMalformedIsNamedWithItsPlace() throws {
        let chunk = try #require(exchanges("broken chunk").first)
        #expect(chunk.malformations.map(\.reason) == ["a chunk longer than its size"])
        // Behind head (47 bytes), size line and the three bytes it announces.
        #expect(
            chunk.malformations.map(\.offset) == [
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc".utf8.count
            ]
        )
        #expect(chunk.response?.body?.text == "abc")
        #expect(chunk.failure?.contains("a chunk longer than its size") == true)
        let lengths = try #require(exchanges("lengths that contradict").first)
        #expect(lengths.malformations.map(\.reason) == ["two Content-Length values that differ: 5, 6"])
        #expect(lengths.response?.body?.text == "hello!")
        #expect(
            try exchanges("both length and chunks").first?.malformations.map(\.reason) == [
                "both Transfer-Encoding and Content-Length"
            ]
        )
        #expect(try exchanges("garbage from the client").first?.malformations.map(\.reason) == ["not HTTP"])
    }

    @Test(arguments: ["5 6", "-1", "+5", "0x5", "", "99999999999999999999", "5,6", "five"])
    func lengthThatIsNoneIsMalformed(length: String) {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nhello"
        let found = Dialogue([.client(Self.get), .server(text), .serverEnds]).exchanges()
        #expect(found.first?.malformations.count == 1)
        #expect(found.first?.response?.body?.text == "hello")
    }

    /// RFC 9110, section 15.5.9: a server may say that it has waited long enough for a request.
    @Test func timeoutThatAnswersNothingIsNoExchange() throws {
        let found = try exchanges("a timeout on an idle connection")
        #expect(found.map { $0.response?.status } == [200])
        #expect(found.allSatisfy { $0.malformations.isEmpty && $0.failure == nil })
        let slow = try exchanges("a timeout in the middle of a head")
        #expect(slow.map { $0.response?.status } == [408])
    }

    /// What came of a request is told, with the answer to it.
    @Test(arguments: [
        ("POS", " https://idp.example/"), ("POST /tok", "POST https://idp.example/"),
        ("POST /token?a=b HT", "POST https://idp.example/token?a=b"),
        ("POST /a b", "POST https://idp.example/"), ("POST /a HTTP/1.1\r", "POST https://idp.example/a"),
        ("POST /a HTTP/1.1\r\nHost: op.example\r\nX-One: 1\r\nConte", "POST https://op.example/a X-One"),
    ])
    func answerToHalfAHeadIsOne(sent: String, told: String) throws {
        let answer = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\n\r\nlate"
        let dialogue = Dialogue([
            .client(Self.get), .server("HTTP/1.1 204 No Content\r\n\r\n"), .client(sent), .server(answer),
            .client("nt-Length: 0\r\n\r\n" + Self.get), .serverEnds,
        ])
        for exchanges in [dialogue.exchanges(), dialogue.exchanges { $0.map { [$0] } }] {
            let found = try #require(exchanges.last)
            let others = found.request.headers.fields.map(\.name).filter { $0 != "Host" }
            #expect(
                ([found.request.method, found.request.url.text] + others).joined(separator: " ") == told
            )
            #expect(exchanges.count == 2 && found.failure == nil && found.request.body?.isTruncated == true)
            #expect(found.response?.status == 408 && found.response?.body?.text == "late")
            #expect(found.malformations.map(\.reason) == ["a head that is not whole when its answer comes"])
            #expect(found.duration == .milliseconds(10))
        }
    }

    /// What came of a request behind which the connection ended, and of no other than it.
    @Test(arguments: [
        ("GET /cb?co", "GET https://idp.example/"),
        ("GET /cb?code=1 HTTP/1.1\r\nX-One: 1\r\nHos", "GET https://idp.example/cb?code=1"),
        ("USER shop\r\n", nil), ("", nil),
    ])
    func requestWhoseHeadIsCutHasFailed(sent: String, told: String?) {
        let conversation = Conversation(Conversation.Configuration(scheme: "https", authority: "idp.example"))
        let time = Timestamp(seconds: 1_780_000_000)
        _ = conversation.received(ByteBuffer(string: Self.get), from: .client, at: time)
        let answer = ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n")
        #expect(conversation.received(answer, from: .server, at: time).count == 1)
        if !sent.isEmpty {
            #expect(conversation.received(ByteBuffer(string: sent), from: .client, at: time).isEmpty)
        }
        let found = conversation.endedWithinHead(at: time + .seconds(1))
        #expect(found.map { "\($0.request.method) \($0.request.url.text)" } == (told.map { [$0] } ?? []))
        for exchange in found {
            #expect(exchange.failure == "the connection ended within the head of the request")
            #expect(exchange.malformations.map(\.reason) == ["a head that is not whole"])
            #expect(exchange.response == nil && exchange.duration == .seconds(1))
        }
        #expect(conversation.pendingExchanges == 0 && conversation.endedWithinHead(at: time).isEmpty)
    }

    /// Whoever speaks another protocol to a server of HTTP has asked for nothing.
    @Test func answerToWhatIsNoHeadIsNone() {
        let dialogue = Dialogue([
            .client("USER shop\r\n"), .server("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        ])
        #expect(
            dialogue.exchanges().map { $0.malformations.map(\.reason) } == [["an answer without a request"]]
        )
    }

    @Test func upgradedConnectionIsLeftAlone() throws {
        let found = try exchanges("websocket")
        #expect(found.count == 1 && found[0].upgradedTo == "websocket" && found[0].response?.status == 101)
    }

    @Test func unfinishedExchangesSayWhy() throws {
        let cut = try #require(exchanges("answer cut off").first)
        #expect(cut.failure == "connection reset")
        #expect(try exchanges("client gone").first?.failure == "the client closed the connection")
    }

    /// Of an answer whose head is not whole, what came: there are clients that take it for one.
    @Test(arguments: [
        (
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nRetry-Af",
            "401 Unauthorized WWW-Authenticate"
        ),
        ("HTTP/1.1 401 Unauthorized\r\n", "401 Unauthorized"), ("HTTP/1.1 401 Un", "401 Un"),
        ("HTTP/1.1 401 Unauthorized\r", "401 Unauthorized"), ("HTTP/1.1 40", ""), ("HTT", ""),
        ("HTTP/1.1 100 Continue\r\n", ""),
    ])
    func halfTheHeadOfAnAnswerIsTold(sent: String, told: String) throws {
        let dialogue = Dialogue([.client(Self.get), .server(sent), .serverBreaks("connection reset")])
        for exchanges in [dialogue.exchanges(), dialogue.exchanges { $0.map { [$0] } }] {
            let found = try #require(exchanges.first)
            let words = found.response.map {
                ["\($0.status)", $0.statusText] + $0.headers.fields.map(\.name)
            }
            #expect((words ?? []).joined(separator: " ") == told)
            #expect(exchanges.count == 1 && found.failure == "connection reset")
            #expect(found.malformations.map(\.reason) == (told.isEmpty ? [] : ["a head that is not whole"]))
        }
    }

    @Test func bodyBeyondTheLimitIsCountedAndMarked() {
        var dialogue = Dialogue([
            .client(Self.get), .server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"),
        ])
        dialogue.maximumBodyBytes = 4
        let body = dialogue.exchanges().first?.response?.body
        #expect(body?.text == "0123" && body?.isTruncated == true && body?.size == 10)
    }

    @Test func codedBodyIsDecodedAndItsWireSizeKept() throws {
        // "authreel" by zlib with gzip's frame.
        let packed: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x2c, 0x2d, 0xc9, 0x28, 0x4a, 0x4d, 0xcd, 1, 0, 0xd6,
            0x20, 0x66, 0x2d, 8, 0, 0, 0,
        ]
        let head = Array(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n".utf8
        )
        let body = Dialogue([.client(Self.get), .serverBytes(head + packed)]).exchanges().first?.response?
            .body
        #expect(body?.text == "authreel" && body?.wireSize == packed.count && body?.remainingCoding == nil)
        let unknown = "HTTP/1.1 200 OK\r\nContent-Encoding: dcb\r\nContent-Length: 3\r\n\r\nabc"
        let kept = Dialogue([.client(Self.get), .server(unknown)]).exchanges().first?.response?.body
        #expect(kept?.remainingCoding == "dcb" && kept?.bytes == Array("abc".utf8))
    }

    @Test func soundHostFieldNamesTheURL() {
        func url(_ host: String) -> String? {
            let text = "GET /x HTTP/1.1\r\nHost: \(host)\r\n\r\n"
            return Dialogue([.client(text), .server("HTTP/1.1 204 No Content\r\n\r\n")]).exchanges().first?
                .request.url.text
        }
        #expect(url("app.example:8443") == "https://app.example:8443/x")
        #expect(url("bad host/..") == "https://idp.example/x")
    }

    /// RFC 9110, section 5.5: white space around a field value is no part of it.
    @Test func whiteSpaceAroundFieldValuesIsDropped() {
        let text = "GET / HTTP/1.1\r\nHost: x\r\nX-A: \t a b \t\r\n\r\n"
        let found = Dialogue([.client(text), .server("HTTP/1.1 204 No Content\r\n\r\n")]).exchanges()
        #expect(found.first?.request.headers.first("x-a") == "a b")
    }

    /// What is under way when the server asks is why it does.
    @Test func certificateThatIsShownLaterIsOfWhatIsUnderWay() {
        let conversation = Conversation(.init(scheme: "https", authority: "idp.example"))
        let time = Timestamp(seconds: 0)
        let request = ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n")
        var found = conversation.received(request, from: .client, at: time)
        found += conversation.received(answer, from: .server, at: time)
        found += conversation.received(request, from: .client, at: time)
        conversation.showed(clientCertificate: "abc")
        found += conversation.received(answer, from: .server, at: time)
        #expect(found.map(\.connection.clientCertificate) == [nil, "abc"])
    }

    @Test func aHeadIsReadAsFarAsIsAskedFor() {
        let text = "HTTP/1.1 204 No Content\r\nX: " + String(repeating: "a", count: 400 << 10) + "\r\n\r\n"
        for (limit, status, reasons) in [
            (1 << 20, 204, []), (300 << 10, nil, ["a head of more than 300 KiB: --max has longer ones read"]),
        ] as [(Int, Int?, [String])] {
            var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
            configuration.maximumHeadBytes = limit
            configuration.headOption = "--max"
            let conversation = Conversation(configuration)
            let time = Timestamp(seconds: 0)
            let request = ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            var found = conversation.received(request, from: .client, at: time)
            var bytes = ByteBuffer(string: text)
            while let piece = bytes.readSlice(length: min(4096, bytes.readableBytes)), piece.readableBytes > 0
            {
                found += conversation.received(piece, from: .server, at: time)
            }
            #expect(found.map(\.response?.status) == [status])
            #expect(found.flatMap(\.malformations).map(\.reason) == reasons)
        }
    }

    @Test func headOfAMegabyteEndsTheReadingNotTheMemory() {
        let text = "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 1 << 20)
        let found = Dialogue([.client(text)]).exchanges { bytes in
            stride(from: 0, to: bytes.count, by: 4096).map { Array(bytes[$0..<min($0 + 4096, bytes.count)]) }
        }
        #expect(found.first?.malformations.first?.reason == "a head of more than 256 KiB")
    }

    @Test func fixedAuthorityNamesTheURLWhateverHostSays() {
        var dialogue = Dialogue([.client("GET /a HTTP/1.1\r\nHost: idp.example:9443\r\n\r\n")])
        dialogue.isAuthorityFixed = true
        #expect(dialogue.exchanges().map(\.request.url.text) == ["https://idp.example/a"])
    }

    @Test func hostileConversationsNeverTrap() {
        var random = SeededGenerator(seed: 9112)
        let pieces = [
            "GET / HTTP/1.1\r\n", "Host: x\r\n", "\r\n", "Content-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\n", "HTTP/1.1 200 OK\r\n", "5\r\nhello\r\n",
            "0\r\n\r\n", "HTTP/1.1 101 Upgrade\r\n\r\n", "ffffffffffffffff\r\n",
            "Content-Length: 99999999999999999999\r\n", "\0", "HEAD * HTTP/1.1\r\n\r\n",
        ]
        for _ in 0..<3000 {
            let turns: [Dialogue.Turn] = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                var bytes = (0..<Int.random(in: 1...6, using: &random)).flatMap { _ in
                    Array((pieces.randomElement(using: &random) ?? "").utf8)
                }
                if Bool.random(using: &random), !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                }
                return Bool.random(using: &random) ? .clientBytes(bytes) : .serverBytes(bytes)
            }
            _ = Dialogue(turns + [.serverEnds]).exchanges()
        }
    }
}
