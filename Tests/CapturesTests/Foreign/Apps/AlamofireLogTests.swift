@testable import Captures
import TestSupport
import Testing

/// What Alamofire says of its answers.
struct AlamofireLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "console.txt")
    }

    private static let answered = """
        [Request]: POST https://op.example/token
            [Headers]:
                Accept: application/json
                Content-Type: application/x-www-form-urlencoded; charset=utf-8
            [Body]: 95 bytes
        [Response]:
            [Status Code]: 400
            [Headers]:
                Content-Length: 25
                Content-Type: application/json
            [Body]:
                {
                  "error": "invalid_grant"
                }
        [Network Duration]: 0.245s
        [Serialization Duration]: 0.0001s
        [Result]: failure(Alamofire.AFError.responseValidationFailed(reason: unacceptable))
        """

    private static let failed = """
        [Request]: GET https://api.example/me
            [Headers]:
                Authorization: Bearer t1
            [Body]: None
        [Response]: None
        [Network Duration]: None
        [Serialization Duration]: 0.0s
        [Result]: failure(Alamofire.AFError.sessionTaskFailed(error: no route))
        """

    /// Of what is printed at once only the first line has what the system sets before.
    @Test(arguments: ["", "2026-03-04 10:54:08.123456 App[4242:99] "])
    func answersAreExchanges(mark: String) throws {
        let capture = try read("app started\n\(mark)\(Self.answered)\nwords\n\(mark)\(Self.failed)\nwords\n")
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Alamofire")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.fields.map(\.name) == ["Accept", "Content-Type"])
        #expect(token.request.body?.isRecorded == false && token.request.body?.size == 95)
        #expect(token.response?.status == 400 && token.failure == nil)
        #expect(token.response?.headers.first("content-length") == "25")
        #expect(token.response?.body?.text == "{\n  \"error\": \"invalid_grant\"\n}")
        #expect(token.response?.body?.isTruncated == false)
        #expect(token.duration == .milliseconds(245))
        #expect((token.startedAt.nanoseconds != 0) == !mark.isEmpty)
        #expect(capture[1].response == nil && capture[1].request.body == nil)
        #expect(capture[1].failure == "Alamofire.AFError.sessionTaskFailed(error: no route)")
    }

    /// An answer of which no status is there would look as if nobody had answered.
    @Test func answerWithoutStatusIsLeftOut() throws {
        let capture = try read(
            "\(Self.failed)\n\(Self.answered.replacing("[Status Code]", with: "[Other]"))\n"
        )
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/me"])
    }

    @Test(arguments: ["[Request]: None\n[Result]: success(1)\n", "[Request]: POST of a form\n"])
    func otherTextIsNone(text: String) {
        #expect(throws: CaptureError.self) { try read("words\n" + text) }
    }

    /// What an app of its own prints so is no reason to pass over what another tool says.
    @Test func titleOfAnotherToolIsNone() throws {
        let log = """
            [Request]: POST https://op.example/token
            --> POST https://op.example/token http/1.1
            Content-Type: application/x-www-form-urlencoded

            code=abcd
            --> END POST (9-byte body)
            <-- 400 Bad Request https://op.example/token (12ms)
            <-- END HTTP (0-byte body)

            """
        let capture = try read(log)
        #expect(capture.creator.name == "OkHttp" && capture[0].response?.status == 400)
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        for line in [
            "x\n", "        x\n", "    [Body]:\n", "    [Headers]:\n", "[Request]: GET https://a.example/\n",
        ] {
            #expect(try read(Self.failed + "\n" + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
