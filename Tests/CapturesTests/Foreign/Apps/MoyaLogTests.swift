@testable import Captures
import TestSupport
import Testing

/// What Moya's logger prints.
struct MoyaLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "console.txt")
    }

    private static func request(_ mark: String, _ url: String = "https://op.example/token") -> String {
        [
            "Request: \(url)",
            #"Request Headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8", "X-A": "a\"b, c"]"#,
            "HTTP Request Method: POST", "Request Body: grant_type=authorization_code&code=abcd",
        ].map { "\(mark)Moya_Logger: [3/4/26, 10:54 AM] \($0)\n" }.joined()
    }

    private static func answer(
        _ mark: String,
        _ url: String = "https://op.example/token",
        body: String = "Moya_Logger: [3/4/26, 10:54 AM] Response Body: "
    ) -> String {
        """
        \(mark)Moya_Logger: [3/4/26, 10:54 AM] Response: <NSHTTPURLResponse: 0x600000c0d2e0> { URL: \(url) } { Status Code: 400, Headers {
            "Cache-Control" =     (
                "no-store, max-age=0"
            );
            "Content-Type" = "application/json";
            "Set-Cookie" =     (
                "a=1; Path=/, b=2; Path=/"
            );
            Vary = Origin;
        } }
        \(body.isEmpty ? "" : mark)\(body){
          "error" : "invalid_grant",
          "x" : "}"
        }
        words of { others

        """
    }

    /// Of what is printed at once only the first line has what the system sets before.
    @Test(arguments: ["", "2026-03-04 10:54:08.123456 App[4242:99] "])
    func callsAreExchanges(mark: String) throws {
        let capture = try read("started\n" + Self.request(mark) + "words\n" + Self.answer(mark))
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "Moya")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(
            token.request.headers.first("content-type") == "application/x-www-form-urlencoded; charset=utf-8"
        )
        #expect(token.request.headers.first("x-a") == #"a"b, c"#)
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400)
        let fields = token.response?.headers
        #expect(fields?.first("cache-control") == "no-store, max-age=0" && fields?.first("vary") == "Origin")
        #expect(fields?.first("content-type") == "application/json")
        #expect(fields?.all("set-cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(
            token.response?.body?.text == "{\n  \"error\" : \"invalid_grant\",\n  \"x\" : \"}\"\n}"
        )
        #expect((token.startedAt.nanoseconds != 0) == !mark.isEmpty)
    }

    /// Before its version 14 the body is printed behind, as it came.
    @Test func bodyMayStandBehind() throws {
        let capture = try read(Self.request("") + Self.answer("", body: ""))
        #expect(capture[0].response?.body?.text?.hasSuffix("\"x\" : \"}\"\n}") == true)
    }

    /// Answers come in any order, and the one of a request that was redirected is another's.
    @Test func answersAreTheirsWhoseURLTheyName() throws {
        let (first, second) = ("https://op.example/a", "https://op.example/b")
        let crossed = try read(
            Self.request("", first) + Self.request("", second) + Self.answer("", second)
                + Self.answer("", first)
        )
        #expect(crossed.indices.map { crossed[$0].request.url.text } == [first, second])
        #expect(crossed.indices.allSatisfy { crossed[$0].response?.status == 400 })
        let text =
            Self.request("", first) + Self.answer("", second) + Self.request("", second)
            + Self.answer("", second)
        let redirected = try read(text)
        #expect(redirected.indices.map { redirected[$0].request.url.text } == [second])
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\nMoya_Logger: [3/4/26] Request: nothing\n") }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        let begin = "Moya_Logger: [3/4/26] "
        for part in [
            "\(begin)Response: <NSHTTPURLResponse: 0x1> { URL: https://a.example/ } { Status Code: 200, Headers {\n",
            "\(begin)Response Body: {\n", "{[\n", "\(begin)Request: https://a.example/\n", "\(begin)\n",
        ] {
            let text = Self.request("") + Self.answer("") + String(repeating: part, count: 50_000)
            #expect(try read(text).count >= 1)
        }
    }
}
