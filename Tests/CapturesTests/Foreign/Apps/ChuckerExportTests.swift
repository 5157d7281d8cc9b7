@testable import Captures
import TestSupport
import Testing

/// What Chucker shares as text.
struct ChuckerExportTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "transactions.txt")
    }

    private static func call(
        facts: String = "Response: 400 Bad Request",
        request: String = "grant_type: authorization_code\ncode: ab/cd\nredirect_uri: com.example.app:/cb",
        answer: String = "{\n  \"error\": \"invalid_grant\"\n}"
    ) -> String {
        """
        URL: https://op.example/token
        Method: POST
        Protocol: h2
        Status: Complete
        \(facts)
        SSL: Yes

        Request time: Wed Mar 04 10:54:08 GMT+01:00 2026
        Response time: Wed Mar 04 10:54:08 GMT+01:00 2026
        Duration: 245 ms

        Request size: 93 B
        Response size: 25 B
        Total size: 118 B

        ---------- Request ----------

        Content-Type: application/x-www-form-urlencoded
        Content-Length: 93

        \(request)

        ---------- Response ----------

        content-type: application/json
        content-length: 25

        \(answer)
        """
    }

    @Test(arguments: [false, true]) func callIsAnExchange(isCRLF: Bool) throws {
        let text = Self.call()
        let capture = try read(isCRLF ? text.replacing("\n", with: "\r\n") : text)
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "Chucker")
        let exchange = capture[0]
        #expect(exchange.request.method == "POST" && exchange.request.httpVersion == "HTTP/2")
        #expect(exchange.request.url.text == "https://op.example/token")
        #expect(
            exchange.request.body?.text
                == "grant_type=authorization_code&code=ab%2Fcd&redirect_uri=com.example.app%3A%2Fcb"
        )
        // The app has encoded it in more characters.
        #expect(exchange.request.body?.isTruncated == false)
        #expect(exchange.response?.status == 400 && exchange.response?.statusText == "Bad Request")
        #expect(exchange.response?.body?.text == "{\n  \"error\": \"invalid_grant\"\n}")
        #expect(exchange.response?.body?.isTruncated == false)
        #expect(exchange.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && exchange.isZoneKnown)
        #expect(exchange.duration == .milliseconds(245))
    }

    @Test func allOfThemAreReadWithWhatFailed() throws {
        let failed = Self.call(
            facts: "Response: java.net.UnknownHostException: op.example",
            answer: "(body is empty)"
        )
        let waiting = Self.call(facts: "Response: null", answer: "(body is empty)")
        let text = [Self.call(), failed, waiting].joined(separator: "\n==================\n")
        let capture = try read("/* Export Start */\n\(text)\n/*  Export End  */\n")
        try #require(capture.count == 3)
        #expect(capture[0].response?.body?.text?.hasSuffix("}") == true)
        #expect(capture[1].response == nil)
        #expect(capture[1].failure == "java.net.UnknownHostException: op.example")
        #expect(capture[2].response == nil && capture[2].failure == nil)
    }

    /// An earlier version has the form as it was sent; what is not shown is missing, what was cut is so.
    @Test(
        arguments: [
            ("grant_type=refresh_token&refresh_token=r1", "grant_type=refresh_token&refresh_token=r1", true),
            ("(encoded or binary body omitted)", nil, false),
            ("(body is empty)", nil, false),
            ("grant_type=refr\n\n--- Content truncated ---", "grant_type=refr", true),
        ] as [(String, String?, Bool)]
    )
    func bodyIsAsFarAsItIsShown(shown: String, text: String?, isTruncated: Bool) throws {
        let body = try #require(try read(Self.call(request: shown))[0].request.body)
        #expect(body.text == text && body.isTruncated == isTruncated)
        #expect(body.size == text?.utf8.count ?? 93)
    }

    /// Its lines ended in two bytes each, and what was at its end is not shown.
    @Test func pageIsNotCutForTheEndsOfItsLines() throws {
        let page = "<html>\n<body>\n</body>\n</html>"
        for (length, isCut) in [(30, false), (34, false), (36, false), (60, true)] {
            let text = Self.call(answer: page).replacing(
                "content-length: 25",
                with: "content-length: \(length)"
            ).replacing("application/json", with: "text/html")
            let body = try #require(try read(text)[0].response?.body)
            #expect(body.text == page && body.isTruncated == isCut, "\(length)")
        }
    }

    @Test(arguments: ["---------- Request ----------\n", "URL: https://op.example/\nMethod: GET\n"])
    func otherTextIsNone(text: String) {
        #expect(throws: CaptureError.self) { try read("words\n" + text) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        for line in [
            "x\n", "URL: https://op.example/\nMethod: GET\n", "---------- Request ----------\n", "a: b\n",
        ] {
            #expect(try read(Self.call() + "\n" + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
