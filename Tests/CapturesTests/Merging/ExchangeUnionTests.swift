import JSON
import Synchronization
import TestSupport
import Testing

@testable import Captures

/// What is kept of two sightings of one exchange.
struct ExchangeUnionTests {
    /// A callback as a browser's HAR has it, and as packets behind a proxy that ends TLS do.
    private func sightings() -> (Sightings, Sightings) {
        var browser = Sightings()
        var server = Sightings(ahead: 37, inset: 0.01)
        let target = "/callback?code=code-1-Xy12&state=state-1-Zq34"
        browser.add(
            "https://app.example\(target)",
            at: 0,
            headers: [("Host", "app.example"), ("User-Agent", "Mozilla/5.0"), ("Cookie", "sid=1")],
            status: 302,
            answer: [("Location", "/home"), ("Date", "Mon, 21 Sep 2026 14:13:20 GMT")],
            body: Body(content: .missing, mediaType: "text/html", foreign: ["_b": 1]),
            foreign: [
                "pageref": "page_1", "_initiator": ["type": "other"], "comment": "browser", "cache": [:],
            ]
        )
        server.add(
            "http://app.internal:8080\(target)",
            at: 0,
            headers: [
                ("Host", "app.internal:8080"), ("user-agent", "Mozilla/5.0"), ("Cookie", "sid=1"),
                ("X-Forwarded-For", "192.0.2.7"), ("Accept-Language", "de"),
            ],
            status: 302,
            answer: [
                ("Location", "/home"), ("Date", "Mon, 21 Sep 2026 14:13:19 GMT"), ("Set-Cookie", "sid=2"),
            ],
            body: Body(text: "<p>moved</p>", mediaType: "text/html"),
            foreign: ["_packets": 7, "comment": "server"]
        )
        server.exchanges[0].connection = ConnectionFacts(
            serverAddress: "10.0.0.5:8080",
            clientCertificate: "abc"
        )
        server.exchanges[0].client = ClientFacts(process: "nginx", address: "10.0.0.1:4711")
        return (browser, server)
    }

    @Test func whatOneDoesNotKnowTheOtherHas() {
        let (browser, server) = sightings()
        let known = browser.exchanges[0]
        var packets = server.exchanges[0]
        packets.unknownFields = UnknownFields(request: 2, response: 1)
        #expect(ExchangeUnion(packets, known).exchange.unknownFields == UnknownFields())
        #expect(ExchangeUnion(known, packets).exchange.unknownFields == UnknownFields())
        // A log without header fields has none of those either.
        var log = known
        log.request.headers = HeaderFields()
        log.response?.headers = HeaderFields()
        #expect(ExchangeUnion(packets, log).exchange.unknownFields == packets.unknownFields)
        // An answer that the other alone has is as it is there.
        var unanswered = known
        unanswered.response = nil
        let united = ExchangeUnion(unanswered, packets).exchange
        #expect(united.unknownFields == UnknownFields(request: 0, response: 1))
    }

    @Test func richerOneIsKeptFieldByField() throws {
        let (browser, server) = sightings()
        for merger in [CaptureMerger(browser, server), CaptureMerger(server, browser)] {
            let isFirst = merger.report(differing: 0).files[0].clock == .reference
            #expect(isFirst && merger.count == 1)
            let one = merger.exchange(at: 0)
            // Of the browser, which is further out.
            #expect(one.request.url.text.hasPrefix("https://app.example/callback"))
            #expect(one.startedAt == browser.exchanges[0].startedAt)
            #expect(one.foreign["pageref"] == "page_1" && one.foreign["_initiator"] != nil)
            #expect(one.request.headers.first("host") == "app.example")
            #expect(one.response?.body?.foreign["_b"] == 1)
            // Of the server.
            #expect(one.response?.body?.text == "<p>moved</p>")
            #expect(
                one.connection.serverAddress == "10.0.0.5:8080" && one.connection.clientCertificate == "abc"
            )
            #expect(one.foreign["_packets"] == 7)
            #expect(one.request.headers.first("accept-language") == "de")
            #expect(one.response?.headers.first("set-cookie") == "sid=2")
            // What a proxy says to its server, and who that proxy is, is not the browser's.
            #expect(!one.request.headers.contains("x-forwarded-for"))
            #expect(one.client == ClientFacts())
        }
    }

    @Test func whatDiffersIsKeptUnderItsFile() throws {
        let (browser, server) = sightings()
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0+b0"])
        let differs = try #require(merger.exchange(at: 0).provenance.differs["b"]?.object)
        #expect(differs["comment"] == "server")
        #expect(differs["startedDateTime"]?.string == server.exchanges[0].startedAt.rfc3339)
        #expect(differs["request"]?["url"]?.string?.hasPrefix("http://app.internal:8080/") == true)
        let headers = differs["request"]?["headers"]?.array?.compactMap { $0["name"]?.string }
        #expect(headers == ["Host", "X-Forwarded-For"])
        let answer = differs["response"]?["headers"]?.array?.compactMap { $0["name"]?.string }
        #expect(answer == ["Date"])
        #expect(differs["_authreel"]?["client"]?["process"] == "nginx")
        #expect(differs["response"]?["content"] == nil, "the browser had no body")
        // And all of it is in the file, and read back.
        let file = try MergedFile(merger)
        defer { file.remove() }
        let read = try file.read()[0]
        #expect(read.provenance.differs == merger.exchange(at: 0).provenance.differs)
        #expect(read.provenance.seen == merger.exchange(at: 0).provenance.seen)
        #expect(read.foreign == merger.exchange(at: 0).foreign)
    }

    /// A page that was rewritten on its way: the one that arrived is kept, the other told.
    @Test(arguments: [10, 70_000])
    func bodiesThatDifferAreBothTold(_ size: Int) throws {
        var (browser, server) = sightings()
        browser.exchanges[0].response?.body = Body(text: "arrived", mediaType: "text/html")
        let sent = String(repeating: "x", count: size)
        server.exchanges[0].response?.body = Body(text: sent, mediaType: "text/html")
        let one = CaptureMerger(browser, server).exchange(at: 0)
        #expect(one.response?.body?.text == "arrived")
        let told = try #require(one.provenance.differs["b"]?["response"]?["content"])
        #expect(told["size"]?.int == Int64(size))
        #expect(told["text"]?.string == (size > 65_536 ? nil : sent))
    }

    /// A browser that has gone before the answer came; its server has sent one.
    @Test func answerOfTheOtherIsTakenWhereThereIsNone() {
        var (browser, server) = sightings()
        browser.exchanges[0].response = nil
        browser.exchanges[0].failure = "net::ERR_ABORTED"
        let merger = CaptureMerger(browser, server)
        #expect(merger.count == 1)
        let one = merger.exchange(at: 0)
        #expect(one.response?.status == 302)
        #expect(one.failure == "net::ERR_ABORTED" && one.request.url.host == "app.example")
    }

    /// The browser gave up sooner than the server was done, and its URL is the one that was meant.
    @Test func whoHasNoAnswerIsNearerToTheClientAllTheSame() {
        var (browser, server) = sightings()
        server.exchanges[0].duration = .milliseconds(30)
        browser.exchanges[0].response = nil
        browser.exchanges[0].failure = "net::ERR_ABORTED"
        browser.exchanges[0].duration = .milliseconds(20)
        let one = CaptureMerger(server, browser).exchange(at: 0)
        #expect(one.response?.status == 302 && one.failure == "net::ERR_ABORTED")
        #expect(one.request.url.host == "app.example")
    }

    /// That packets are missing in one capture is no failure where the other has the answer, and says nothing of its end.
    @Test func answerThatACaptureLacksDidNotFail() {
        var (browser, server) = sightings()
        server.exchanges[0].duration = .milliseconds(30)
        browser.exchanges[0].response = nil
        browser.exchanges[0].failure = AnswerLoss.bytesMissing(256, isExact: true, of: "server")
        browser.exchanges[0].duration = .seconds(9)
        let one = CaptureMerger(browser, server).exchange(at: 0)
        #expect(one.provenance.seen.map(\.file) == ["a", "b"])
        #expect(one.response?.status == 302 && one.failure == nil && one.duration == .milliseconds(30))
    }

    /// Of a body that one recorder cut short, could not decode or was cleared of its values the other's is kept.
    @Test(arguments: [
        (Body(content: .bytes([0x7b]), mediaType: "application/json", size: 1, isTruncated: true), "{}"),
        (coded, "{}"),
        (Body(text: "code=[REDACTED]&a=b", mediaType: FormBody.mediaType), "code=abcd&a=b"),
    ]) func bodyThatIsMoreIsKept(less: Body, more: String) {
        var (first, second) = (sightings().0.exchanges[0], sightings().0.exchanges[0])
        first.request.body = less
        second.request.body = Body(text: more, mediaType: less.mediaType)
        for union in [ExchangeUnion(first, second), ExchangeUnion(second, first)] {
            #expect(union.exchange.request.body?.text == more && union.differences["request"] == nil)
            #expect(union.exchange.request.body?.isTruncated == false)
        }
    }

    private static let coded: Body = {
        var body = Body(text: "\u{1f}\u{8b}", mediaType: "application/json")
        body.remainingCoding = "zstd"
        return body
    }()

    /// Who sends to a server behind a proxy is the proxy; both may be at one machine.
    @Test(arguments: ["https://app.example", "http://app.internal:8080", "https://app.example:8443"])
    func clientIsThatOfItsOwnServer(server: String) {
        var own = sightings().0.exchanges[0]
        own.request.url = RecordedURL("https://app.example:3000/home")
        var other = own
        other.request.url = RecordedURL("\(server)/home")
        let isBehindProxy = server != "https://app.example"
        other.client = ClientFacts(process: "nginx", address: "10.0.0.1:4711")
        let union = ExchangeUnion(own, other)
        #expect(union.exchange.client == (isBehindProxy ? ClientFacts() : other.client))
        #expect((union.differences["_authreel"] != nil) == isBehindProxy)
        #expect(ExchangeUnion(other, other).differences["_authreel"] == nil)
    }

    /// Of two that have no answer both say why, as far as they know.
    @Test(arguments: [(nil, "reset", nil), ("closed", "closed", "reset")] as [(String?, String, String?)])
    func reasonsForNoAnswerAreBothKept(own: String?, failure: String, other: String?) {
        var (first, second) = (sightings().0.exchanges[0], sightings().0.exchanges[0])
        (first.response, first.failure) = (nil, own)
        (second.response, second.failure) = (nil, "reset")
        let union = ExchangeUnion(first, second)
        #expect(union.exchange.failure == failure && union.differences["_error"]?.string == other)
    }

    /// Proxies put their own span behind the trace (W3C Trace Context).
    @Test(arguments: [("traceparent", "abc"), ("x-request-id", "00-abc-def-01")])
    func numberOfARequestIsWhatProxiesHandOn(name: String, number: String) {
        #expect(ExchangeMarks.requestID("00-abc-def-01", name) == number)
    }

    /// A form that one producer keeps as text and another as parameters is one form.
    @Test func formsAreComparedAsParameters() {
        var browser = Sightings()
        var server = Sightings(ahead: 37)
        let form = [("code", "code-1-Xy12"), ("redirect_uri", "https://app.example/a b")]
        browser.add("/token", at: 0, method: "POST", form: form)
        server.add("/token", at: 0, method: "POST", form: form)
        browser.exchanges[0].request.body = Body(
            content: .parameters(form.map { HeaderFields.Field(name: $0.0, value: $0.1) }),
            mediaType: FormBody.mediaType
        )
        let merger = CaptureMerger(browser, server)
        #expect(merger.story == ["a0+b0"])
        #expect(merger.exchange(at: 0).request.body?.bytes != nil, "text says more than parameters")
    }

    // MARK: - What is called by one name in two files

    @Test func connectionsAndPagesAreKeptApart() throws {
        var (browser, server) = sightings()
        server.add("/token", at: 0.1, method: "POST", foreign: ["pageref": "page_1"])
        browser.exchanges[0].connection = ConnectionFacts(id: "1")
        server.exchanges[1].connection = ConnectionFacts(id: "1")
        var (first, second) = (browser.capture, server.capture)
        first.logMembers = ["pages": [["id": "page_1", "title": "first"]], "browser": ["name": "Firefox"]]
        second.logMembers = [
            "pages": [["id": "page_1", "title": "second"], ["id": "page_2"]], "browser": ["name": "Chrome"],
            "creator": ["name": "WebInspector"], "_x": [1],
        ]
        let merger = CaptureMerger([
            CaptureMerger.Source(name: "/home/alice/login.har", capture: first),
            CaptureMerger.Source(name: "/srv/login.har", capture: second),
        ])
        #expect(merger.exchange(at: 0).connection.id == "1")
        #expect(merger.exchange(at: 1).connection.id == "1-2")
        #expect(merger.exchange(at: 1).foreign["pageref"] == "page_1-2")
        #expect(merger.exchange(at: 1).provenance.seen == [.init(file: "login.har (2)", entry: 1)])
        let log = merger.logMembers
        #expect(
            log["pages"]
                == [
                    ["id": "page_1", "title": "first"], ["id": "page_1-2", "title": "second"],
                    ["id": "page_2"],
                ]
        )
        #expect(log["browser"] == ["name": "Firefox"] && log["_x"] == [1])
        let files = try #require(ImportStatement(log)?.files)
        #expect(files.map(\.name) == ["login.har", "login.har (2)"])
        #expect(files[1].creator == ["name": "WebInspector"])
        #expect(files[1].members == ["browser": ["name": "Chrome"]])
    }

    /// A capture that was redacted, or made of others before, stays known as such.
    @Test func whatACaptureSaysOfItselfStays() throws {
        let (browser, server) = sightings()
        var (first, second) = (browser.capture, server.capture)
        first.logMembers["_authreel"] = .object([
            "redacted": Redaction(version: "1", date: "2026-09-21T00:00:00Z", names: ["code"]).json
        ])
        second.logMembers["_authreel"] = .object([
            "redacted": Redaction(version: "1", date: "2026-09-22T00:00:00Z", names: ["state"]).json,
            "imported": ImportStatement(files: [], isAligned: true).json, "other": 1,
        ])
        let log = CaptureMerger([
            CaptureMerger.Source(name: "a", capture: first), CaptureMerger.Source(name: "b", capture: second),
        ]).logMembers
        var merged = Capture([])
        merged.logMembers = log
        #expect(merged.redaction?.names == ["code", "state"])
        #expect(merged.redaction?.isPartial == false)
        #expect(
            merged.imported?.files[1].members["imported"] == ImportStatement(files: [], isAligned: true).json
        )
        #expect(log["_authreel"]?["other"] == 1)
    }

    /// The mark of one says nothing of the secrets of the other.
    @Test func unionWithACaptureAsItWasIsRedactedInPart() throws {
        let (browser, server) = sightings()
        var first = browser.capture
        first.logMembers["_authreel"] = .object([
            "redacted": Redaction(version: "1", date: "2026-09-21T00:00:00Z", names: ["code"]).json
        ])
        var merged = Capture([])
        merged.logMembers =
            CaptureMerger([
                CaptureMerger.Source(name: "a", capture: first),
                CaptureMerger.Source(name: "b", capture: server.capture),
            ]).logMembers
        let mark = try #require(merged.redaction)
        #expect(mark.isPartial && mark.names == ["code"])
        #expect(mark.words.hasPrefix("redacted in part (authreel 1, 2026-09-21T00:00:00Z)"))
        #expect(
            first.redaction?.words == "redacted (authreel 1, 2026-09-21T00:00:00Z): its secrets are stand-ins"
        )
    }

    // MARK: - Memory

    /// Large bodies are read when an exchange is written, and compared only where nothing else decides.
    @Test func largeBodiesStayWhereTheyAre() {
        let loads = Mutex(0)
        var (browser, server) = sightings()
        func large() -> Body {
            Body(
                content: .deferred {
                    loads.withLock { $0 += 1 }
                    return [UInt8](repeating: 0x61, count: 1 << 20)
                },
                mediaType: "text/html"
            )
        }
        for index in 0..<50 {
            browser.add("/page/\(index)", at: Double(index) + 1, body: large())
            server.add("/other/\(index)", at: Double(index) + 1, body: large())
        }
        browser.exchanges[0].response?.body = large()
        let merger = CaptureMerger(browser, server)
        #expect(merger.count == 101)
        #expect(loads.withLock(\.self) == 0)
    }
}
