import JSON
import TestSupport
import Testing

@testable import Captures

/// What WebDriver BiDi tells of the network.
struct BiDiLogTests {
    private static func event(
        _ name: String,
        _ url: String,
        redirects: Int,
        at time: Int,
        more: String = ""
    ) -> String {
        let request =
            #"{"request":"7","url":"\#(url)","method":"POST","headers":[{"name":"Accept","value":{"type":"string","value":"a/b"}},"#
            + #"{"name":"X-B","value":{"type":"base64","value":"aGk="}}],"cookies":[],"bodySize":3,"destination":"document"}"#
        return
            #"{"type":"event","method":"network.\#(name)","params":{"context":"c","isBlocked":false,"navigation":null,"#
            + #""redirectCount":\#(redirects),"request":\#(request),"timestamp":\#(1_772_618_048_000 + time)\#(more)}}"#
    }

    private static func answer(_ status: Int, _ header: String) -> String {
        #","response":{"url":"x","protocol":"h2","status":\#(status),"statusText":"Found","fromCache":false,"headers":[\#(header)],"#
            + #""mimeType":"text/html","bytesReceived":9,"headersSize":4,"bodySize":5,"content":{"size":5}}"#
    }

    private static let location =
        #"{"name":"location","value":{"type":"string","value":"https://idp.example/a"}},"#
        + #"{"name":"set-cookie","value":{"type":"string","value":"a=1"}},{"name":"set-cookie","value":{"type":"string","value":"b=2"}}"#

    private static let events = [
        #"{"id":1,"method":"session.subscribe","params":{"events":["network"]}}"#,
        #"{"type":"success","id":1,"result":{}}"#,
        event("beforeRequestSent", "https://rp.example/login", redirects: 0, at: 356),
        event(
            "responseStarted",
            "https://rp.example/login",
            redirects: 0,
            at: 400,
            more: answer(302, location)
        ),
        event(
            "responseCompleted",
            "https://rp.example/login",
            redirects: 0,
            at: 456,
            more: answer(302, location)
        ),
        event("beforeRequestSent", "https://idp.example/a", redirects: 1, at: 500),
        event("responseCompleted", "https://idp.example/a", redirects: 1, at: 600, more: answer(400, "")),
        #"{"id":5,"method":"network.getData","params":{"dataType":"response","request":"7"}}"#,
        #"{"type":"success","id":5,"result":{"bytes":{"type":"base64","value":"aGVsbG8="}}}"#,
        #"{"id":6,"method":"network.getData","params":{"dataType":"request","request":"7"}}"#,
        #"{"type":"success","id":6,"result":{"bytes":{"type":"string","value":"a=1"}}}"#,
        event("beforeRequestSent", "https://x.example/", redirects: 0, at: 700)
            .replacing(#""request":"7""#, with: #""request":"9""#),
        event("fetchError", "https://x.example/", redirects: 0, at: 710, more: #","errorText":"refused""#)
            .replacing(#""request":"7""#, with: #""request":"9""#),
    ]

    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log")
    }

    @Test(arguments: [events.joined(separator: "\n"), "[" + events.joined(separator: ",\n") + "]"])
    func eventsBecomeExchanges(text: String) throws {
        let capture = try Self.read(text)
        try #require(capture.count == 3)
        #expect(capture.creator.name == "WebDriver BiDi" && capture.losses.isEmpty)
        let (first, second, third) = (capture[0], capture[1], capture[2])
        #expect(first.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z")
        #expect(first.duration == .milliseconds(100) && first.request.method == "POST")
        #expect(first.request.headers.fields.map(\.value) == ["a/b", "hi"])
        #expect(first.response?.status == 302 && first.response?.httpVersion == "HTTP/2")
        #expect(first.response?.headers.first("location") == "https://idp.example/a")
        #expect(first.response?.setCookies.map(\.name) == ["a", "b"])
        // That there was a body is told, and no more.
        #expect(first.request.body != nil && first.request.body?.bytes == nil)
        #expect(second.request.url.text == "https://idp.example/a" && second.response?.status == 400)
        #expect(second.response?.body?.text == "hello" && second.request.body?.text == "a=1")
        #expect(third.response == nil && third.failure == "refused")
    }

    /// Asked for when all is over, that of a form is not the page's that it led to; nor is what the browser had kept the server's.
    @Test(arguments: [false, true]) func bodyAndCacheAreOfTheirRequest(isCached: Bool) throws {
        let landed = Self.events[5...6].map {
            $0.replacing(#""bodySize":3"#, with: #""bodySize":0"#)
                .replacing(#""fromCache":false"#, with: #""fromCache":\#(isCached)"#)
        }
        let told = Self.events[2...4] + landed + Self.events[9...10]
        let capture = try Self.read(told.joined(separator: "\n"))
        try #require(capture.count == 2)
        #expect(capture[0].request.body?.text == "a=1" && capture[1].request.body == nil)
        #expect(capture.indices.map { capture[$0].foreign["_fromCache"] != nil } == [false, isCached])
    }

    /// What the browser adds when it sends a request is told by later events, or as cookies alone.
    @Test func headersAndCookiesOfTheRequestAreWhole() throws {
        let sent = Self.events[2].replacing(
            #""cookies":[]"#,
            with:
                #""cookies":[{"name":"s","value":{"type":"string","value":"1"},"domain":"rp.example","size":2}]"#
        )
        let listed = try Self.read(sent)
        #expect(listed[0].request.cookies.map(\.name) == ["s"])
        let completed = Self.events[4].replacing(
            #""headers":[{"name":"Accept""#,
            with: #""headers":[{"name":"Cookie","value":{"type":"string","value":"s=1"}},{"name":"Accept""#
        )
        let added = try Self.read(sent + "\n" + completed)
        #expect(added[0].request.headers.first("cookie") == "s=1" && added[0].request.cookies.count == 1)
    }

    /// As a listener gets them: the parameters alone, of answers only.
    @Test func parametersAloneAreRead() throws {
        let told = try Self.events.compactMap { event -> String? in
            let event = try JSONParser.parse(Array(event.utf8))
            guard event["params"]?["response"] != nil else { return nil }
            return event["params"].map { JSONWriter.text(of: $0) }
        }
        let capture = try Self.read("[" + told.joined(separator: ",") + "]")
        try #require(capture.count == 2)
        #expect(capture[0].response?.status == 302 && capture[1].response?.status == 400)
        #expect(capture[0].duration == nil)
    }

    @Test func whatIsWholeOfOneThatBreaksOffIsRead() throws {
        let text = "[" + Self.events[..<5].joined(separator: ",") + "," + Self.events[5].prefix(90)
        let capture = try Self.read(text)
        #expect(capture.count == 1 && capture.losses.count == 1)
    }
}
