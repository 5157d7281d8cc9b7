import TestSupport
import Testing

@testable import Captures

/// What Hoverfly has recorded, or was asked.
struct HoverflyLogTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.json")
    }

    private static let response =
        #""response":{"status":400,"body":"{\"error\":\"invalid_grant\"}","encodedBody":false,"headers":{"Content-Type":["application/json"]},"templated":false}"#

    private static func exact(_ value: String) -> String { #"[{"matcher":"exact","value":"\#(value)"}]"# }

    private static func pair(
        path: String = exact("/token"),
        query: String =
            #""query":{"a":[{"matcher":"exact","value":"1"},{"matcher":"exact","value":"b c"}]},"#,
        body: String = exact("code=abcd")
    ) -> String {
        #"{"request":{"path":\#(path),"method":\#(exact("POST")),"destination":\#(exact("op.example")),"scheme":\#(exact("https")),\#(query)"body":\#(body),"headers":{"Content-Type":\#(exact("application/x-www-form-urlencoded"))}},\#(response)}"#
    }

    private static func simulation(_ pairs: String...) -> String {
        #"{"data":{"pairs":[\#(pairs.joined(separator: ","))],"globalActions":{"delays":[]}},"meta":{"schemaVersion":"v5.2"}}"#
    }

    private static let journal =
        #"{"journal":[{"request":{"path":"/token","method":"POST","destination":"op.example","scheme":"https","query":"a=1&a=b%20c","formData":{"code":["abcd"]},"body":"code=abcd","headers":{"Content-Type":["application/x-www-form-urlencoded"]}},\#(response),"mode":"simulate","timeStarted":"2026-03-04T10:54:08.356+01:00","latency":5.5,"id":"1"}],"offset":0,"limit":25,"total":1}"#

    private static let old =
        #"{"data":{"pairs":[{"request":{"path":{"exactMatch":"/token"},"method":{"exactMatch":"POST"},"destination":{"exactMatch":"op.example"},"scheme":{"exactMatch":"https"},"query":{"exactMatch":"a=1&a=b%20c"},"body":{"exactMatch":"code=abcd"},"headers":{"Content-Type":["application/x-www-form-urlencoded"]}},\#(response)}]},"meta":{"schemaVersion":"v3"}}"#

    @Test(arguments: [simulation(pair()), old, journal]) func whatItHasIsExchanges(text: String) throws {
        let capture = try Self.read(text)
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "Hoverfly")
        let token = capture[0]
        #expect(token.request.method == "POST")
        #expect(token.request.url.text == "https://op.example/token?a=1&a=b%20c")
        #expect(token.request.headers.first("content-type") == "application/x-www-form-urlencoded")
        #expect(token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400)
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect(token.response?.headers.first("content-type") == "application/json")
        #expect((token.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z") == (text == Self.journal))
    }

    /// What it compares as a form is encoded anew; a pattern is no body that is known.
    @Test(
        arguments: [
            (#"[{"matcher":"form","value":{"code":[{"matcher":"exact","value":"a/b"}]}}]"#, "code=a%2Fb"),
            (#"[{"matcher":"json","value":"{\"a\":1}"}]"#, #"{"a":1}"#),
            (#"[{"matcher":"glob","value":"code=*"}]"#, nil), (exact(""), nil),
        ] as [(String, String?)]
    )
    func bodyIsComparedInSeveralWays(body: String, text: String?) throws {
        #expect(try Self.read(Self.simulation(Self.pair(body: body)))[0].request.body?.text == text)
    }

    @Test func encodedBodyIsDecoded() throws {
        let text = Self.simulation(Self.pair()).replacing(
            #""encodedBody":false"#,
            with: #""encodedBody":true"#
        )
        .replacing(#""{\"error\":\"invalid_grant\"}""#, with: #""AGhp""#)
        #expect(try Self.read(text)[0].response?.body?.bytes == [0, 0x68, 0x69])
    }

    /// What tells its version stands behind all of them.
    @Test func pairsMayBeMany() throws {
        let pair = Self.pair()
        let text = Self.simulation(Array(repeating: pair, count: 4000).joined(separator: ","))
        try #require(text.utf8.count > 1 << 20)
        let capture = try Self.read(text)
        #expect(capture.count == 4000 && capture.losses.isEmpty && capture.creator.name == "Hoverfly")
    }

    /// Nobody has asked for them.
    @Test func patternsAreNoExchanges() throws {
        let glob = #"[{"matcher":"glob","value":"/*"}]"#
        let query = #""query":{"a":[{"matcher":"regex","value":".*"}]},"#
        let capture = try Self.read(
            Self.simulation(Self.pair(path: glob), Self.pair(query: query), Self.pair())
        )
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/token"])
        #expect(throws: CaptureError.self) { try Self.read(Self.simulation(Self.pair(path: glob))) }
        #expect(throws: CaptureError.self) { try Self.read(#"{"data":{"id":"1"},"meta":{}}"#) }
        #expect(throws: CaptureError.self) { try Self.read(#"{"data":{"pairs":[{"id":"1"}]}}"#) }
    }
}
