import TestSupport
import Testing

@testable import Captures

/// What MockServer was asked and answered.
struct MockServerLogTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.json")
    }

    private static func log(_ request: String, _ response: String) -> String {
        #"[{"timestamp":"2026-03-04 09:54:08.356","httpRequest":{\#(request)},"httpResponse":{\#(response)}}]"#
    }

    @Test func requestsAreExchanges() throws {
        let capture = try Self.read(
            Self.log(
                #""method":"POST","path":"/token","queryStringParameters":{"a":["1","b c"]},"headers":{"Host":["op.example:1080"],"Content-Type":["application/x-www-form-urlencoded"]},"cookies":{"s":"1"},"keepAlive":true,"secure":true,"protocol":"HTTP_1_1","body":"code=abcd""#,
                #""statusCode":400,"reasonPhrase":"Bad Request","headers":{"content-type":["application/json"]},"body":{"error":"invalid_grant"}"#
            )
        )
        try #require(capture.count == 1 && capture.creator.name == "MockServer")
        let token = capture[0]
        #expect(token.request.url.text == "https://op.example:1080/token?a=1&a=b%20c")
        #expect(token.request.method == "POST" && token.request.httpVersion == "HTTP/1.1")
        #expect(token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect(token.startedAt.rfc3339.hasPrefix("2026-03-04T09:54:08.356") && !token.isZoneKnown)
    }

    @Test(
        arguments: [
            (#""a=1""#, "a=1"), (#"{"type":"STRING","string":"a=1","contentType":"text/plain"}"#, "a=1"),
            (#"{"type":"JSON","json":{"a":1}}"#, #"{"a":1}"#),
            (#"{"type":"JSON","json":"{\"a\": 1}"}"#, #"{"a": 1}"#),
            (#"{"type":"BINARY","base64Bytes":"YT0x"}"#, "a=1"), (#"{"type":"XML","xml":"<a/>"}"#, "<a/>"),
            (#"{"type":"PARAMETERS","parameters":{"a":["1","&"]}}"#, "a=1&a=%26"),
            // A server's own.
            (#"{"type":"JSON","n":1}"#, #"{"type":"JSON","n":1}"#), (#"{"type":"x"}"#, #"{"type":"x"}"#),
            ("[1]", "[1]"), ("null", nil),
        ] as [(String, String?)]
    )
    func bodyHasManyForms(body: String, text: String?) throws {
        let members =
            #""headers":[{"name":"Host","values":["op.example"]},{"name":"Content-Type","values":["text/plain"]}],"body":\#(body)"#
        let exchange = try Self.read(
            Self.log(#""method":"POST","path":"/","# + members, #""statusCode":200,"# + members)
        )[0]
        #expect(exchange.request.url.text == "http://op.example/")
        #expect(exchange.request.body?.text == text && exchange.response?.body?.text == text ?? "")
    }

    /// Of a request that names no server the rest of the log is none the worse.
    @Test func requestWithoutAHostIsLeftOut() throws {
        let capture = try Self.read(
            #"[{"httpRequest":{"method":"GET","path":"/"},"httpResponse":{"statusCode":404}},"#
                + Self.log(
                    #""method":"GET","path":"/jwks","headers":{"Host":["op.example"]}"#,
                    #""statusCode":200"#
                ).dropFirst()
        )
        #expect(capture.indices.map { capture[$0].request.url.text } == ["http://op.example/jwks"])
    }

    /// What it is to answer when it is asked, which nobody has: its paths are patterns, and it names no server.
    @Test func expectationIsNoExchange() throws {
        #expect(throws: CaptureError.self) {
            try Self.read(
                #"[{"httpRequest":{"method":"POST","path":"/token"},"httpResponse":{"statusCode":200,"body":"{}"},"times":{"unlimited":true}}]"#
            )
        }
    }
}
