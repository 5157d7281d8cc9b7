import Captures
import TestSupport
import Testing
import Wire

/// What is read of the streams of an HTTP/3 connection.
struct HTTP3ConversationTests {
    private typealias Speaker = HTTP3Speaker

    private var dialogue = HTTP3Dialogue()

    /// The exchanges; the same in pieces of any size.
    private func exchanges() -> [Exchange] {
        let whole = dialogue.exchanges()
        for size in [1, 2, 7, 64] {
            let pieces = dialogue.exchanges(piecesOf: size)
            #expect(Dialogue.summary(pieces) == Dialogue.summary(whole), "in pieces of \(size)")
        }
        return whole
    }

    @Test mutating func aRequestAndItsAnswerAreReadAsOfHTTP1() throws {
        dialogue.client(HTTP3Dialogue.clientControl, Speaker.control())
        dialogue.server(HTTP3Dialogue.serverControl, Speaker.control())
        dialogue.client(
            0,
            Speaker.request(
                "POST",
                "/token?x=%2F",
                [
                    ("content-type", "application/x-www-form-urlencoded"), ("cookie", "a=1"), ("x", "1"),
                    ("cookie", "b=2"),
                ]
            ) + Speaker.data("grant_type=") + Speaker.data("refresh_token"),
            ends: true
        )
        dialogue.server(
            0,
            Speaker.answer("200", [("content-type", "application/json"), ("set-cookie", "c=3")])
                + Speaker.data("{\"access_token\"") + Speaker.data(":\"t\"}"),
            ends: true
        )
        let exchanges = exchanges()
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1)
        #expect(exchange.request.method == "POST")
        #expect(exchange.request.url.text == "https://idp.example/token?x=%2F")
        #expect(exchange.request.httpVersion == "HTTP/3" && exchange.response?.httpVersion == "HTTP/3")
        #expect(
            exchange.request.headers.fields.map { "\($0.name): \($0.value)" } == [
                "host: idp.example", "content-type: application/x-www-form-urlencoded", "cookie: a=1; b=2",
                "x: 1",
            ]
        )
        #expect(exchange.request.body?.text == "grant_type=refresh_token")
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.headers.first("set-cookie") == "c=3")
        #expect(exchange.response?.body?.text == "{\"access_token\":\"t\"}")
        #expect(exchange.failure == nil && exchange.malformations.isEmpty)
    }

    @Test mutating func streamsMayInterleaveAndAnswersComeInAnyOrder() {
        dialogue.client(0, Speaker.request("POST", "/one"))
        dialogue.client(4, Speaker.request("POST", "/two") + Speaker.data("2"))
        dialogue.client(0, Speaker.data("1"), ends: true)
        dialogue.client(8, Speaker.request("GET", "/three"), ends: true)
        dialogue.server(8, Speaker.answer("302", [("location", "/x")]), ends: true)
        dialogue.client(4, Speaker.data("2"), ends: true)
        dialogue.server(4, Speaker.answer("200") + Speaker.data("two"))
        dialogue.server(0, Speaker.answer("400") + Speaker.data("one"), ends: true)
        dialogue.server(4, [], ends: true)
        #expect(
            exchanges().map {
                "\($0.request.url.path) \($0.request.body?.text ?? "") \($0.response?.status ?? 0) \($0.response?.body?.text ?? "")"
            } == ["/three  302 ", "/one 1 400 one", "/two 22 200 two"]
        )
    }

    @Test mutating func trailersInterimAnswersAndUnknownFramesAreTold() {
        let unknown = Speaker.frame(0x21, Array(repeating: 7, count: 300))
        dialogue.client(
            0,
            unknown + Speaker.request("POST", "/a", [("trailer", "sum")]) + Speaker.data("x")
                + Speaker.headers([("sum", "1")]),
            ends: true
        )
        dialogue.server(
            0,
            Speaker.answer("100") + Speaker.answer("103", [("link", "</a>")]) + unknown
                + Speaker.answer("200")
                + Speaker.data("y") + Speaker.headers([("server-timing", "1")]) + unknown,
            ends: true
        )
        let exchange = exchanges().first
        #expect(exchange?.response?.status == 200)
        #expect(exchange?.request.trailers.first("sum") == "1")
        #expect(exchange?.response?.trailers.first("server-timing") == "1")
        #expect(exchange?.response?.headers.fields.isEmpty == true)
        #expect(exchange?.malformations == [])
    }

    // MARK: - Tables

    /// A section waits for the fields that it refers to; the other streams go on.
    @Test mutating func sectionsWaitForTheirTable() {
        let settings = Speaker.control([(1, 4096), (7, 16)])
        dialogue.server(HTTP3Dialogue.serverControl, settings)
        dialogue.client(HTTP3Dialogue.clientControl, settings)
        let request = Speaker.prefix(inserted: 2, tableBytes: 4096) + Speaker.indexed(0) + Speaker.indexed(1)
        let head = Speaker.frame(
            1,
            request + HTTP2Speaker.request("POST", "/late").flatMap { Speaker.literal($0.0, $0.1) }
        )
        dialogue.client(0, head + Speaker.data("body"), ends: true)
        dialogue.server(0, Speaker.answer("200") + Speaker.data("answer"), ends: true)
        dialogue.client(4, Speaker.request("GET", "/now"), ends: true)
        dialogue.server(4, Speaker.answer("204"), ends: true)
        dialogue.client(
            HTTP3Dialogue.clientEncoder,
            Speaker.encoder(4096, [("authorization", "Bearer x"), ("x-app", "1")])
        )
        let exchanges = exchanges()
        #expect(exchanges.map(\.request.url.path) == ["/now", "/late"])
        let late = exchanges.last
        #expect(late?.request.headers.first("authorization") == "Bearer x")
        #expect(late?.request.body?.text == "body" && late?.response?.body?.text == "answer")
        // Fields may stand before those with a colon in no message.
        #expect(late?.malformations.map(\.reason) == ["a pseudo-header field behind other fields"])
    }

    /// Whatever order the streams come in, the same is read: each has its own bytes in order.
    @Test(arguments: 0..<40) mutating func orderOfTheStreamsDoesNotMatter(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let settings = Speaker.control([(1, 1024), (7, 100)])
        let fields = (0..<12).map { ("x-\($0)", String(repeating: "v", count: $0)) }
        var said: [(side: Side, stream: Int, bytes: [UInt8])] = [
            (.client, HTTP3Dialogue.clientControl, settings),
            (.server, HTTP3Dialogue.serverControl, settings),
            (.client, HTTP3Dialogue.clientEncoder, Speaker.encoder(1024, fields)),
            (.server, HTTP3Dialogue.serverEncoder, Speaker.encoder(1024, fields)),
        ]
        for number in 0..<6 {
            let table = Speaker.prefix(inserted: 2 * number + 1, tableBytes: 1024)
            let request =
                table + HTTP2Speaker.request("POST", "/\(number)").flatMap { Speaker.literal($0.0, $0.1) }
            let answer = table + Speaker.literal(":status", "\(200 + number)")
            for (side, section, text) in [(Side.client, request, "asked"), (.server, answer, "answered")] {
                let bytes = Speaker.frame(1, section + Speaker.indexed(0)) + Speaker.data("\(text) \(number)")
                said.append((side, 4 * number, bytes))
            }
        }
        func summary(_ exchanges: [Exchange]) -> [String] { Dialogue.summary(exchanges).sorted() }
        for one in said {
            dialogue.pieces.append(
                .init(side: one.side, stream: one.stream, bytes: one.bytes, isLast: one.stream & 3 == 0)
            )
        }
        let inOrder = dialogue.exchanges()
        #expect(inOrder.count == 6 && inOrder.allSatisfy { $0.failure == nil && $0.malformations.isEmpty })

        dialogue.pieces = []
        while !said.isEmpty {
            let index = Int.random(in: said.indices, using: &random)
            let count = min(said[index].bytes.count, Int.random(in: 1...40, using: &random))
            let isLast = count == said[index].bytes.count
            let (side, stream) = (said[index].side, said[index].stream)
            dialogue.pieces.append(
                .init(
                    side: side,
                    stream: stream,
                    bytes: Array(said[index].bytes.prefix(count)),
                    isLast: isLast && stream & 3 == 0
                )
            )
            said[index].bytes.removeFirst(count)
            if isLast { said.remove(at: index) }
        }
        #expect(summary(dialogue.exchanges()) == summary(inOrder))
    }

    @Test mutating func anAnswerMayEndBeforeItsRequestComes() {
        dialogue.server(0, [], ends: true)
        dialogue.server(4, Speaker.answer("200") + Speaker.data("x"))
        dialogue.server(4, [], ends: true)
        for stream in [0, 4] { dialogue.client(stream, Speaker.request("GET", "/\(stream)"), ends: true) }
        #expect(
            exchanges().map { "\($0.request.url.path) \($0.response?.body?.text ?? "") \($0.failure ?? "")" }
                == ["/0  the provider ended the stream without an answer", "/4 x "]
        )
    }

    // MARK: - Ends

    private func failures() -> [String] { exchanges().map { "\($0.request.url.path) \($0.failure ?? "")" } }

    @Test mutating func streamsThatAreGivenUpSayWhoAndWhy() {
        for stream in [0, 4, 8] { dialogue.client(stream, Speaker.request("GET", "/\(stream)"), ends: true) }
        dialogue.server(0, Speaker.answer("200") + Speaker.data("half"))
        dialogue.reset(.client, 0, 0x10c)
        dialogue.reset(.server, 4, 0x102)
        dialogue.reset(.server, 8, 0x4711)
        // Of a stream that nobody has begun.
        dialogue.reset(.client, 400, 0x10c)
        #expect(
            failures() == [
                "/0 the client gave the request up before the answer was complete (H3_REQUEST_CANCELLED)",
                "/4 the provider broke off the answer (H3_INTERNAL_ERROR)",
                "/8 the provider broke off the answer (error 0x4711)",
            ]
        )
    }

    /// Its length says that nothing is missing but the end of its stream.
    @Test mutating func aStreamThatIsGivenUpBehindAllOfItsAnswerIsWhole() {
        for stream in [0, 4] {
            dialogue.client(stream, Speaker.request("GET", "/\(stream)"), ends: true)
            dialogue.server(stream, Speaker.answer("200", [("content-length", "4")]))
        }
        dialogue.server(0, Speaker.data("done"))
        dialogue.server(4, Speaker.data("hal"))
        dialogue.reset(.client, 0, 0x10c)
        dialogue.reset(.client, 4, 0x10c)
        #expect(
            failures() == [
                "/0 ",
                "/4 the client gave the request up before the answer was complete (H3_REQUEST_CANCELLED)",
            ]
        )
        #expect(exchanges().first?.response?.body?.isTruncated == false)
    }

    /// A server that does not want the rest of an upload has the client break it off, and answers (RFC 9114, section 4.1).
    @Test mutating func theAnswerToARequestThatIsBrokenOffIsReadOn() throws {
        dialogue.client(0, Speaker.request("POST", "/a", [("content-length", "90")]) + Speaker.data("part"))
        dialogue.server(0, Speaker.answer("413") + Speaker.data("too "))
        dialogue.resetRequest(0, 0x100)
        dialogue.server(0, Speaker.data("large"), ends: true)
        // The answer may be whole by then.
        dialogue.client(4, Speaker.request("POST", "/b") + Speaker.data("part"))
        dialogue.server(4, Speaker.answer("200"), ends: true)
        dialogue.resetRequest(4, 0x100)
        let exchanges = exchanges()
        try #require(exchanges.map(\.request.url.path) == ["/a", "/b"])
        #expect(exchanges.map(\.failure) == [nil, nil])
        #expect(exchanges.map { $0.response?.body?.isTruncated } == [false, false])
        #expect(exchanges.map { $0.request.body?.isTruncated } == [true, true])
        #expect(exchanges[0].response?.body?.text == "too large")
        // What it did not send is not missing.
        #expect(exchanges[0].request.body?.wireSize == 4)
    }

    @Test mutating func whoBreaksItsRequestOffMayAlsoGiveItUp() {
        for stream in [0, 4] { dialogue.client(stream, Speaker.request("POST", "/\(stream)")) }
        dialogue.resetRequest(0, 0x10c)
        dialogue.reset(.client, 0, 0x10c)
        // The rest of what it said may not be in the capture.
        dialogue.resetRequest(4, 0x10c)
        let reason = "the client gave the request up before the answer was complete (H3_REQUEST_CANCELLED)"
        #expect(failures() == ["/0 \(reason)", "/4 \(reason)"])
    }

    @Test mutating func whatTheProviderDidNotTakeIsSaid() {
        for stream in [0, 4, 8] { dialogue.client(stream, Speaker.request("GET", "/\(stream)"), ends: true) }
        dialogue.server(HTTP3Dialogue.serverControl, Speaker.control() + Speaker.goAway(4))
        dialogue.server(0, Speaker.answer("200"), ends: true)
        let refused = "the provider closes the connection and did not take the request (GOAWAY)"
        #expect(failures() == ["/4 \(refused)", "/8 \(refused)", "/0 "])
    }

    @Test mutating func whatIsMissingAtTheEndIsSaid() {
        dialogue.client(0, Speaker.request("GET", "/0"), ends: true)
        dialogue.server(0, [], ends: true)
        dialogue.client(
            4,
            Speaker.request("POST", "/4", [("content-length", "9")]) + Speaker.data("short"),
            ends: true
        )
        dialogue.server(4, Speaker.answer("200") + Speaker.frame(0, Array("cut".utf8)).dropLast(), ends: true)
        dialogue.client(8, Speaker.request("GET", "/8"))
        let exchanges = exchanges()
        #expect(
            exchanges.map { "\($0.request.url.path) \($0.failure ?? "")" } == [
                "/0 the provider ended the stream without an answer", "/4 ", "/8 the recording ended",
            ]
        )
        #expect(
            exchanges[1].malformations.map(\.reason) == [
                "Content-Length says 9, the body has 5 bytes", "the stream ends within a frame",
            ]
        )
    }

    /// Its packets may not be in the capture; the server had them.
    @Test mutating func whatIsMissingOfAnAnsweredRequestIsMarked() {
        let body = Speaker.frame(0, Array("grant_type=authorization_code".utf8))
        dialogue.client(0, Speaker.request("POST", "/cut") + body.prefix(12))
        dialogue.server(0, Speaker.answer("200") + Speaker.data("x"), ends: true)
        dialogue.client(4, Speaker.request("POST", "/length", [("content-length", "9")]))
        dialogue.server(4, Speaker.answer("200"), ends: true)
        dialogue.client(8, Speaker.request("GET", "/end"))
        dialogue.server(8, Speaker.answer("204"), ends: true)
        let exchanges = exchanges()
        #expect(exchanges.map { $0.response?.status ?? 0 } == [200, 200, 204])
        #expect(exchanges.allSatisfy { $0.failure == nil })
        #expect(
            exchanges[0].request.body?.text == "grant_type" && exchanges[0].request.body?.isTruncated == true
        )
        #expect(exchanges[1].request.body?.isTruncated == true)
        #expect(exchanges[2].request.body?.isTruncated != true)
    }

    /// WebSocket over HTTP/3 (RFC 9220).
    @Test mutating func anotherProtocolOnAStreamIsNamed() {
        dialogue.client(
            0,
            Speaker.headers([
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"), (":path", "/ws"),
                (":authority", "idp.example"),
            ])
        )
        dialogue.server(0, Speaker.answer("200") + Speaker.data("\u{81}\u{05}hello"))
        dialogue.client(0, Speaker.data("more"))
        let exchange = exchanges().first
        #expect(exchange?.upgradedTo == "websocket" && exchange?.failure == nil)
        #expect(exchange?.request.body == nil)
    }

    // MARK: - Hostile

    private func loss() -> String {
        let exchanges = exchanges()
        #expect(exchanges.map(\.request.url.path) == ["/a"])
        let prefix = "the connection could not be read any further: "
        #expect(exchanges.first?.failure?.hasPrefix(prefix) == true)
        return String(exchanges.first?.failure?.dropFirst(prefix.count) ?? "")
    }

    @Test(arguments: [
        (
            stream: 4, bytes: HTTP3Speaker.frame(1, [0, 0, 0x80]),
            "a field section that cannot be decoded (a field that is not in the table)"
        ),
        (
            4, QUICInteger.bytes(of: 1) + QUICInteger.bytes(of: 300 << 10),
            "a header block of more than 256 KiB"
        ),
        (
            HTTP3Dialogue.clientEncoder, [2, 0x3f, 0xff, 0xff, 0x7f],
            "a table of fields that cannot be read (a table of 2097182 bytes)"
        ),
    ])
    mutating func whereTheThreadIsLostItIsSaid(stream: Int, bytes: [UInt8], reason: String) {
        dialogue.client(0, Speaker.request("GET", "/a"), ends: true)
        dialogue.client(stream, bytes)
        dialogue.client(8, Speaker.request("GET", "/z"), ends: true)
        dialogue.server(0, Speaker.answer("200"), ends: true)
        #expect(loss() == reason)
    }

    /// What is announced may be any number.
    @Test mutating func whatIsMissingIsNoMoreThanCanBe() {
        for (stream, data) in [(0, "x"), (4, "")] {
            let head = Speaker.request("POST", "/a", [("content-length", "\(Int.max)")])
            // All of four bits each: a frame as long as can be said.
            dialogue.client(stream, head + [0, 0xff] + [UInt8](repeating: 0xff, count: 7) + Array(data.utf8))
            dialogue.server(stream, Speaker.answer("200") + Speaker.data("x"), ends: true)
        }
        let sizes = exchanges().map { $0.request.body?.wireSize ?? 0 }
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 > 1 << 30 && $0 <= 1 << 41 })
    }

    /// Where nothing is under way the connection itself is told of.
    @Test mutating func lossWithoutARequestIsAnEntry() {
        dialogue.client(HTTP3Dialogue.clientEncoder, [2, 0])
        let exchanges = exchanges()
        #expect(exchanges.map(\.request.method) == [""])
        #expect(exchanges.first?.failure?.contains("a table of fields that cannot be read") == true)
        #expect(exchanges.first?.request.httpVersion == "HTTP/3")
    }

    @Test mutating func whatWaitsHasToHaveRoom() {
        let budget = RecordingBudget(bytes: 50_000)
        dialogue.budget = budget
        dialogue.client(HTTP3Dialogue.clientControl, Speaker.control([(1, 4096)]))
        dialogue.client(0, Speaker.request("GET", "/a"), ends: true)
        // Answers to what was never asked.
        for stream in 1...20 {
            dialogue.server(
                4 * stream,
                Speaker.answer("200") + Speaker.data(String(repeating: "x", count: 10_000))
            )
        }
        let exchanges = dialogue.exchanges()
        #expect(exchanges.map(\.request.url.path) == ["/a"])
        #expect(exchanges.first?.failure?.contains("could not be read any further") == true)
        #expect(budget.available == 50_000)
    }
}
