@testable import Captures
import TestSupport
import Testing

/// What the plugin of Ktor's client prints.
struct KtorLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log.txt")
    }

    private static func request(_ method: String = "POST", _ url: String = "https://op.example/token")
        -> String
    {
        """
        REQUEST: \(url)
        METHOD: \(method)
        COMMON HEADERS
        -> Accept: application/json
        -> Authorization: ***
        CONTENT HEADERS
        -> Content-Length: 29
        -> Content-Type: application/x-www-form-urlencoded
        BODY Content-Type: application/x-www-form-urlencoded
        BODY START
        grant_type=client_credentials
        BODY END

        """
    }

    private static func answer(_ url: String = "https://op.example/token") -> String {
        """
        RESPONSE: 401 Unauthorized
        METHOD: HttpMethod(value=POST)
        FROM: \(url)
        COMMON HEADERS
        -> content-type: application/json
        -> content-length: 26
        BODY Content-Type: application/json
        BODY START
        {"error":"invalid_client"}
        BODY END

        """
    }

    private static let marks = [
        "", "I/System.out( 4242): ", "03-04 10:54:08.356  4242  4271 D Ktor    : ",
        "2026-03-04 10:54:08.356 [worker-1] INFO  io.ktor.client.HttpClient - ",
    ]

    /// Of what a server logs at once only the first line has what stands before.
    @Test(arguments: marks, [false, true]) func callsAreExchanges(mark: String, isLoose: Bool) throws {
        let isLoose = isLoose && mark.hasPrefix("2026")
        let messages = [
            Self.request("HttpMethod(value=POST)"), Self.answer(),
            Self.request("GET", "https://api.example/down"),
        ]
        let text = messages.map { message in
            message.split(separator: "\n").enumerated().map { $0 > 0 && isLoose ? "\($1)" : mark + $1 }
                .joined(separator: "\n")
        }.joined(separator: "\n")
        let failed =
            "\(mark)REQUEST https://api.example/down failed with exception: java.net.UnknownHostException: api.example"
        let capture = try read("started\n\(text)\n\(failed)\n")
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "Ktor")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("authorization") == "***")
        #expect(token.request.body?.text == "grant_type=client_credentials")
        #expect(token.request.body?.isTruncated == false)
        #expect(token.response?.status == 401 && token.response?.statusText == "Unauthorized")
        #expect(token.response?.headers.first("content-type") == "application/json")
        #expect(token.response?.body?.text == #"{"error":"invalid_client"}"#)
        #expect((token.startedAt.nanoseconds != 0) == mark.hasPrefix("2026"))
        #expect(capture[1].request.method == "GET" && capture[1].response == nil)
        #expect(capture[1].failure == "java.net.UnknownHostException: api.example")
    }

    /// With another level, or of streams, there are none.
    @Test func bodyThatIsNotShownIsUnknown() throws {
        let isBody = { (line: Substring) in line.hasPrefix("BODY") || line.hasPrefix("grant_type") }
        let heads = Self.request().split(separator: "\n").filter { !isBody($0) }.joined(separator: "\n")
        let answer = Self.answer().replacing(#"{"error":"invalid_client"}"#, with: "[response body omitted]")
        let capture = try read("\(heads)\n\(answer)")
        #expect(capture[0].request.body?.isRecorded == false && capture[0].request.body?.size == 29)
        #expect(capture[0].response?.body?.isRecorded == false && capture[0].response?.body?.size == 26)
    }

    @Test(arguments: ["REQUEST: https://op.example/\nCOMMON HEADERS\n", "COMMON HEADERS\nREQUEST: http\n"])
    func otherTextIsNone(text: String) {
        #expect(throws: CaptureError.self) { try read("words\n" + text) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileLogsTakeNoQuadraticTime() throws {
        let begin = Self.request() + Self.answer() + Self.request()
        for line in [
            "x\n", "-> a: b\n", "BODY START\n", Self.request("GET"), "RESPONSE: 200\n",
            "REQUEST http failed with exception: \n",
        ] {
            #expect(try read(begin + String(repeating: line, count: 10_000)).count > 0)
        }
    }
}
