@testable import Captures
import TestSupport
import Testing

/// What FLEX exports as text.
struct FLEXExportTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "flex.txt")
    }

    private static let rule = String(repeating: "=", count: 80)

    private static func call(_ request: String, _ answer: String) -> String {
        """
        \(rule)
        URL: https://op.example/token
        Start Time: 2026-03-04 10:54:08.123
        Duration: 245.500 ms
        Latency: 230.000 ms
        \(rule)

        >>> REQUEST >>>

        \(request)

        <<< RESPONSE <<<

        \(answer)


        """
    }

    private static let token = call(
        """
        POST https://op.example/token HTTP/1.1

        --- Request Headers ---
        Content-Type: application/x-www-form-urlencoded

        --- Request Body ---
        grant_type=authorization_code&code=abcd
        """,
        """
        HTTP/1.1 400 bad request

        --- Response Headers ---
        Content-Type: application/json
        Set-Cookie: a=1; Path=/, b=2; Path=/

        --- Response Body ---
        {
          "error" : "invalid_grant"
        }
        """
    )

    private static let failed = call(
        "GET https://api.example/me HTTP/1.1\n\n--- Request Headers ---\nAccept: */*",
        "--- Error ---\nThe network connection was lost."
    )

    @Test func callsAreExchanges() throws {
        let text = "FLEX Network Export - 2 requests\n\n\n#1 of 2\n\(Self.token)\n\n#2 of 2\n\(Self.failed)"
        let capture = try read(text)
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "FLEX")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("content-type") == "application/x-www-form-urlencoded")
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400 && token.failure == nil)
        #expect(token.response?.headers.all("set-cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(token.response?.body?.text == "{\n  \"error\" : \"invalid_grant\"\n}")
        #expect(token.startedAt.rfc3339 == "2026-03-04T10:54:08.123000Z" && !token.isZoneKnown)
        #expect(token.duration == .microseconds(245_500))
        #expect(capture[1].response == nil && capture[1].failure == "The network connection was lost.")
        #expect(capture[1].request.headers.first("accept") == "*/*" && capture[1].request.body == nil)
    }

    /// One call alone, and bodies that it has no more or cannot show.
    @Test func bodiesThatAreNotShownAreMissing() throws {
        let capture = try read(
            Self.call(
                "POST https://op.example/a HTTP/1.1\n\n--- Request Headers ---\n\n--- Request Body ---\n"
                    + "[Binary data: 95 bytes]",
                "HTTP/1.1 200 no error\n\n--- Response Headers ---\nContent-Type: text/html\n\n"
                    + "--- Response Body ---\n[Response not in cache: 2048 bytes received]"
            )
        )
        try #require(capture.count == 1)
        #expect(capture[0].request.body?.isRecorded == false && capture[0].request.body?.size == 95)
        #expect(capture[0].response?.body?.isRecorded == false && capture[0].response?.body?.size == 2048)
        let empty = try read(
            Self.call(
                "GET https://op.example/a HTTP/1.1",
                "HTTP/1.1 200 no error\n\n--- Response Headers ---"
            )
        )
        #expect(empty[0].response?.body?.text == "")
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\n>>> REQUEST >>>\n<<< RESPONSE <<<\n") }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        for part in ["--- Response Body ---\n", ">>> REQUEST >>>\n", "#\n", Self.rule + "\n"] {
            let text = Self.token + String(repeating: part, count: 100_000)
            #expect(try read(text).count >= 1)
        }
    }
}
