import TestSupport
import Testing

@testable import Captures

/// What AFNetworkActivityLogger prints.
struct AFNetworkingLogTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "console.txt")
    }

    private static func rule(_ count: Int) -> String { String(repeating: "-", count: count) }

    private static func log(host: String, url: String, type: String, body: String) -> String {
        """
        2026-03-04 10:54:08.123 App[4242:99] \n\(rule(50))
        POST /token?a=1 HTTP/1.1
        Host: \(host)
        Content-Type: application/x-www-form-urlencoded

        code=abcd
        \(rule(50))
        2026-03-04 10:54:08.223 App[4242:99] something else
        2026-03-04 10:54:08.323 App[4242:99] \n\(rule(64))
        \(url)--->
        HTTP/1.1 400
        Content-Type: \(type)
        Set-Cookie: a=1; Path=/, b=2; Path=/
        \(body)
        \(rule(48))

        """
    }

    @Test func callIsAnExchange() throws {
        let capture = try Self.read(
            Self.log(
                host: "https://op.example:80",
                url: "https://op.example/token?a=1",
                type: "application/json",
                body: "{\n  \"error\" : \"x\"\n}"
            )
        )
        try #require(capture.count == 1 && capture.creator.name == "AFNetworking")
        let token = capture[0]
        #expect(
            token.request.method == "POST" && token.request.url.text == "https://op.example/token?a=1"
        )
        #expect(token.request.headers.first("host") == nil && token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400 && token.response?.headers.all("set-cookie").count == 2)
        #expect(token.response?.body?.text == "{\n  \"error\" : \"x\"\n}")
        #expect(token.startedAt.rfc3339 == "2026-03-04T10:54:08.123000Z" && !token.isZoneKnown)
        #expect(token.duration == .milliseconds(200))
    }

    @Test(
        arguments: [
            ("application/json", "(null)", nil), ("image/png", "<UIImage: 0x1>", nil),
            ("application/json", "(\n    1\n)", nil), ("text/html; charset=utf-8", "<p>no</p>", "<p>no</p>"),
        ] as [(String, String, String?)]
    )
    func bodyIsWhatIsText(type: String, body: String, text: String?) throws {
        let url = "http://op.example:8080/token?a=1"
        let capture = try Self.read(
            Self.log(host: "http://op.example:8080", url: url, type: type, body: body)
        )
        #expect(capture[0].request.url.text == url)
        #expect(capture[0].response?.body?.text == text)
        #expect(capture[0].response?.body?.isRecorded == (text != nil))
    }

    /// One that was redirected has its answer under another URL: it was answered, and nobody knows how.
    @Test func callWithoutItsAnswerIsLeftOut() throws {
        let other = Self.log(
            host: "https://op.example:80",
            url: "https://op.example/else",
            type: "",
            body: ""
        )
        let whole = Self.log(
            host: "https://op.example:80",
            url: "https://op.example/token?a=1",
            type: "text/html",
            body: "<p>"
        )
        // The second call's answer is taken for that of the first: both asked for the same.
        #expect(try Self.read(other + whole).count == 1)
    }
}
