import TestSupport
import Testing

@testable import Captures

/// What Pulse shares as text.
struct PulseExportTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "pulse.txt")
    }

    private static func token(
        request: String,
        answer: String,
        date: String = "Mar 4, 2026 at 10:54:08 AM (GMT+1)"
    )
        -> String
    {
        """
        URLSessionDataTask
        Host: op.example
        Date: \(date)
        Duration: 245ms

        Request Headers (1)
        Content-Type: application/x-www-form-urlencoded

        Request Body (93 bytes)
        \(request)

        Response Headers (2)
        Content-Type: application/json
        Set-Cookie: a=1; Path=/, b=2; Path=/

        Response Body (95 bytes)
        \(answer)

        """
    }

    private static let alone = "400 Bad Request\n\nPOST\nhttps://op.example/token\n\n"
    private static let listed =
        "10:54:08.123 · POST · 400 Bad Request · 95 bytes\nhttps://op.example/token\n\n"

    @Test(arguments: [alone, listed, "10:54:07.001 · INFO · Auth\nit said {this}\n\n\(listed)"])
    func callIsAnExchange(headline: String) throws {
        let capture = try Self.read(
            headline + Self.token(request: "code: ab&cd\nscope: a b", answer: "{\n  \"error\": \"x\"\n}")
        )
        try #require(capture.count == 1 && capture.creator.name == "Pulse")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && token.isZoneKnown)
        #expect(token.duration == .milliseconds(245))
        #expect(FormBody.items(of: token.request.body)?.first("code") == "ab&cd")
        #expect(token.response?.status == 400 && token.response?.headers.all("set-cookie").count == 2)
        #expect(token.response?.body?.text == "{\n  \"error\": \"x\"\n}")
    }

    @Test(
        arguments: [
            ("Mar 4, 2026 at 10:54:08 PM (GMT-10:30)", "2026-03-05T09:24:08.000000Z", true),
            ("Mar 4, 2026 at 12:54:08 AM (PST)", "2026-03-04T08:54:08.000000Z", true),
            ("Mar 4, 2026 at 10:54:08 AM (GMT)", "2026-03-04T10:54:08.000000Z", true),
            // Of China's, Cuba's or North America's.
            ("Mar 4, 2026 at 10:54:08 AM (CST)", "2026-03-04T10:54:08.000000Z", false),
        ]
    )
    func zoneIsTold(date: String, time: String, isKnown: Bool) throws {
        let exchange = try Self.read(Self.alone + Self.token(request: "–", answer: "–", date: date))[0]
        #expect(exchange.startedAt.rfc3339 == time && exchange.isZoneKnown == isKnown)
        #expect(exchange.response?.body?.isRecorded == false && exchange.request.body?.isRecorded == false)
    }

    /// Pulse shows them without; what remains no JSON is none of the server's mistakes.
    @Test func stringsGetTheirEscapesBack() throws {
        let answers = [
            (
                "{\n  \"a\": \"say \"x\"\",\n  \"b\": 1\n}", "{\n  \"a\": \"say \\\"x\\\"\",\n  \"b\": 1\n}",
                false
            ),
            ("[\n  1 2\n]", "[\n  1 2\n]", true), ("1 2\n3", "1 2\n3", false),
            ("{\n  \"a\": [\"say \"x\"\"]\n}", "{\n  \"a\": [\"say \"x\"\"]\n}", true),
        ]
        for (shown, text, isCut) in answers {
            let body = try Self.read(Self.alone + Self.token(request: "code=a", answer: shown))[0].response?
                .body
            #expect(body?.text == text && body?.isTruncated == isCut)
        }
    }

    /// Of what is no text its size stands there.
    @Test(arguments: [("1.2 KB", false), ("12 bytes", false), ("12 words", true), ("two bytes", true)])
    func sizeIsNoBody(shown: String, isRecorded: Bool) throws {
        let answer = try Self.read(Self.alone + Self.token(request: "code=a", answer: shown))[0].response
        #expect(answer?.body?.isRecorded == isRecorded)
    }

    @Test(.timeLimit(.minutes(1))) func hostileExportTakesNoQuadraticTime() throws {
        let text =
            String(repeating: "\n", count: 50_000)
            + String(repeating: "URLSessionDataTask\n", count: 50_000) + "\nResponse Body\n"
        #expect(throws: CaptureError.self) { try Self.read(text) }
    }

    @Test func callWithoutAnAnswerIsRead() throws {
        let capture = try Self.read(
            Self.listed + Self.token(request: "code=abcd", answer: "{\n  \"error\": \"x\"\n}") + """

                10:54:09.001 · INFO · Auth
                Request Headers

                10:54:09.123 · POST · -1001 (Timed Out)
                https://op.example/token

                URLSessionUploadTask
                Host: op.example

                Error
                Domain: NSURLErrorDomain
                Code: -1001 (Timed Out)
                Description: The request timed out.

                Request Headers
                –

                Response Body
                –
                """
        )
        #expect(capture.count == 2 && capture[1].response == nil)
        #expect(capture[1].failure == "The request timed out.")
        #expect(capture[0].response?.body?.text == "{\n  \"error\": \"x\"\n}")
    }
}
