@testable import Captures
import TestSupport
import Testing

/// What Python's `http.client` prints with a `debuglevel`.
struct PythonLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.txt")
    }

    private static let head =
        #"send: b'POST /token HTTP/1.1\r\nHost: op.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 29\r\n\r\n'"#
    private static let body = "send: b'grant_type=client_credentials'"
    private static let answer = [
        #"reply: 'HTTP/1.1 401 Unauthorized\r\n'"#, "header: Content-Type: application/json",
        "header: Content-Length: 26", #"header: WWW-Authenticate: Basic realm="op: clients""#,
    ]
    private static let whole = [head, body] + answer

    private static let spellings: [(name: String, lines: [String])] = [
        ("printed", whole + [#"{"error":"invalid_client"}"#]),
        (
            "logged",
            whole.map { "2026-05-12 08:30:05,250 DEBUG http.client \($0)" }
        ),
        (
            "in one piece, as Python 2 has it",
            [head.dropLast().replacing("b'", with: "'") + "grant_type=client_credentials'"] + answer
        ),
        (
            "behind an answer on the way to it",
            [head, #"reply: 'HTTP/1.1 100 Continue\r\n'"#, "headers: [b'\\r\\n']", body] + answer
        ),
        ("among other lines", ["header: nothing", "DEBUG:root:logging in"] + whole + ["reply: ''"]),
    ]

    @Test(arguments: spellings.indices, [false, true])
    func requestsAndHeadsOfAnswersAreRead(row: Int, isCRLF: Bool) throws {
        let (name, lines) = Self.spellings[row]
        let capture = try read(lines.joined(separator: isCRLF ? "\r\n" : "\n"))
        try #require(capture.count == 1 && capture.losses.isEmpty, "\(name)")
        let exchange = capture[0]
        #expect(exchange.request.method == "POST" && exchange.request.httpVersion == "HTTP/1.1", "\(name)")
        #expect(exchange.request.url.text == "https://op.example/token", "\(name)")
        #expect(exchange.request.body?.text == "grant_type=client_credentials", "\(name)")
        let response = try #require(exchange.response, "\(name)")
        #expect(response.status == 401 && response.statusText == "Unauthorized", "\(name)")
        #expect(response.headers.first("www-authenticate") == #"Basic realm="op: clients""#, "\(name)")
        #expect(response.body?.isRecorded == false && response.body?.size == 26, "\(name)")
        #expect(!exchange.isZoneKnown)
        #expect(
            exchange.startedAt.nanoseconds == (name == "logged" ? 1_778_574_605_250_000_000 : 0),
            "\(name)"
        )
    }

    /// Of its versions before 3.8 names alone come, and the next request stands behind them.
    @Test func namesInOneLineAreNoFields() throws {
        let names = "header: Date header: Content-Type "
        let capture = try read(
            [Self.head, Self.body, Self.answer[0], names + Self.head, Self.body, Self.answer[0], names]
                .joined(separator: "\n")
        )
        try #require(capture.count == 2)
        for exchange in [capture[0], capture[1]] {
            #expect(exchange.request.body?.text == "grant_type=client_credentials")
            #expect(exchange.response?.status == 401 && exchange.response?.headers.fields.isEmpty == true)
        }
    }

    @Test func schemeIsOfTheConnection() throws {
        let connection = "DEBUG:urllib3.connectionpool:Starting new HTTP connection (1): op.example:80"
        let url = try read(([connection] + Self.whole).joined(separator: "\n"))[0].request.url
        #expect(url.text == "http://op.example/token")
        let other = "DEBUG:urllib3.connectionpool:Starting new HTTPS connection (1): op.example:443"
        #expect(
            try read(([other] + Self.whole).joined(separator: "\n"))[0].request.url.text
                == "https://op.example/token"
        )
    }

    /// A tunnel is no exchange, and a request without an answer has none.
    @Test func tunnelsAndFailures() throws {
        let tunnel = [#"send: b'CONNECT op.example:443 HTTP/1.0\r\n\r\n'"#, "header: Via: 1.1 proxy"]
        let capture = try read((tunnel + [Self.head, Self.body] + Self.whole).joined(separator: "\n"))
        try #require(capture.count == 2)
        #expect(capture[0].response == nil && capture[1].response?.status == 401)
    }

    /// Where threads print into each other nobody knows whose answer one is.
    @Test func answersOfThreadsAreNotMixedUp() throws {
        let other = Self.head.replacing("/token", with: "/introspect")
        let lines = [Self.head, Self.body, other, Self.body] + Self.answer + Self.answer
        let capture = try read(lines.joined(separator: "\n"))
        try #require(capture.count == 2)
        #expect(capture[0].response == nil && capture[1].response == nil)
    }

    @Test(arguments: [
        "", "\nsend: b'", "\nreply: \nheader: :", #"\nsend: b'\x'"#, "\nheader: a b", "\nsend: ''",
    ])
    func damagedLinesAreLeftOut(line: String) throws {
        let capture = try read(Self.whole.joined(separator: "\n") + line)
        #expect(capture.count == 1 && capture[0].response?.status == 401)
    }
}
