@testable import Captures
import TestSupport
import Testing

/// What Faraday's logger prints.
struct FaradayLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.txt")
    }

    private static let mark = "I, [2026-03-04T10:54:08.123456 #4242]  INFO -- "

    private static let request = """
        \(mark)request: POST https://op.example/token
        \(mark)request: User-Agent: "Faraday v2.9.0"
        Content-Type: "application/x-www-form-urlencoded"

        """
    private static let answer = """
        \(mark)response: Status 400
        \(mark)response: content-type: "application/json"
        set-cookie: "a=1; Path=/, b=2; Path=/"

        """
    private static let (sent, told) = (
        "\(mark)request: grant_type=authorization_code&code=abcd\n",
        "\(mark)response: {\n  \"error\": \"invalid_grant\"\n}\n"
    )

    @Test func callsAreExchanges() throws {
        let other = "D, [2026-03-04T10:54:08.223456 #4242] DEBUG -- : words\n"
        let text = "started\n" + Self.request + Self.sent + other + Self.answer + Self.told + other
        let capture = try read(text + Self.request.replacing("/token", with: "/me"))
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Faraday")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.fields.map(\.name) == ["User-Agent", "Content-Type"])
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400)
        #expect(token.response?.headers.all("set-cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(token.response?.body?.text == "{\n  \"error\": \"invalid_grant\"\n}")
        #expect(token.startedAt.rfc3339 == "2026-03-04T10:54:08.123456Z" && !token.isZoneKnown)
        #expect(capture[1].response == nil)
    }

    /// Without `bodies: true` nothing is known of them.
    @Test func bodiesThatAreNotPrintedAreMissing() throws {
        let capture = try read(Self.request + Self.answer)
        try #require(capture.count == 1)
        #expect(capture[0].request.body?.isRecorded == false)
        #expect(capture[0].response?.body?.isRecorded == false)
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) {
            try read("\(Self.mark)request: words\n\(Self.mark)response: x\n")
        }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        for part in [Self.sent, Self.told, Self.answer, "x\n"] {
            #expect(try read(Self.request + Self.answer + String(repeating: part, count: 50_000)).count == 1)
        }
    }
}
