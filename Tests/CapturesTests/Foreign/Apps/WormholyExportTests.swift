@testable import Captures
import TestSupport
import Testing

/// What Wormholy shares as text.
struct WormholyExportTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "wormholy.txt")
    }

    private static let rule = String(repeating: "-", count: 72)

    private static func call(code: String = "400", sent: String = "grant_type=authorization_code&code=abcd")
        -> String
    {
        """
        *** Overview ***\u{20}
        URL https://op.example/token
        Method POST
        Response Code \(code)
        Request Start Time Mar 4 2026 - 10:54:08
        Duration 245.50ms

        *** Request Header ***\u{20}
        Content-Type application/x-www-form-urlencoded
        Accept-Language de-DE, en;q=0.9

        *** Request Body ***\u{20}
        \(sent)

        *** Response Header ***\u{20}
        Content-Type application/json

        *** Response Body ***\u{20}
        {
          "error" : "invalid_grant"
        }

        \(rule)
        \(rule)
        \(rule)



        """
    }

    @Test func callsAreExchanges() throws {
        let capture = try read(Self.call() + Self.call(code: "-", sent: "-"))
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Wormholy")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("accept-language") == "de-DE, en;q=0.9")
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400)
        #expect(token.response?.headers.first("content-type") == "application/json")
        #expect(token.response?.body?.text == "{\n  \"error\" : \"invalid_grant\"\n}")
        #expect(token.startedAt.rfc3339.hasPrefix("2026-03-04T10:54:08") && !token.isZoneKnown)
        #expect(token.duration == .microseconds(245_500))
        // A hyphen is no code, and no body that is known.
        #expect(capture[1].response == nil && capture[1].request.body?.isRecorded == false)
    }

    /// A call that it shares as a command has neither the header nor the body of its request.
    @Test func requestThatIsACommandIsNotShown() throws {
        let begin = try #require(Self.call().firstRange(of: "*** Request Header"))
        let end = try #require(Self.call().firstRange(of: "*** Response Header"))
        let text =
            Self.call()[..<begin.lowerBound] + "*** curl Request ***\u{20}\n$ curl -v \\\n\t-X POST\n\n"
            + Self.call()[end.lowerBound...]
        let exchange = try read(String(text))[0]
        #expect(exchange.request.headers.fields.isEmpty && exchange.request.body?.isRecorded == false)
        #expect(exchange.response?.body?.text?.hasPrefix("{") == true)
    }

    /// Of fields of one name URLSession makes one.
    @Test func cookiesThatStandAsOneFieldAreApart() throws {
        let text = Self.call().replacing(
            "Content-Type application/json\n",
            with: "Set-Cookie a=1; Expires=Wed, 04 Mar 2026 10:54:08 GMT, b=2; Path=/\n"
        )
        #expect(
            try read(text)[0].response?.headers.all("set-cookie") == [
                "a=1; Expires=Wed, 04 Mar 2026 10:54:08 GMT", "b=2; Path=/",
            ]
        )
        let single = text.replacing(", b=2; Path=/", with: "")
        #expect(try read(single)[0].response?.headers.all("set-cookie").count == 1)
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\n*** Overview *** \nof something\n") }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        for line in ["x\n", "*** Overview ***\n", "*** Response Body ***\n", "*** \n", Self.rule + "\n"] {
            #expect(try read(Self.call() + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
