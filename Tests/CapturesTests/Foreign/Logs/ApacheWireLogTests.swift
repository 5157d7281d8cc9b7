@testable import Captures
import TestSupport
import Testing

/// What Apache's HttpClient logs of the wire.
struct ApacheWireLogTests {
    private func read(_ lines: [String]) throws -> Capture {
        try CaptureReader.read(bytes: Array(lines.joined(separator: "\n").utf8), name: "login.log")
    }

    private static let request = [
        #"POST /token HTTP/1.1[\r][\n]"#, #"Host: op.example[\r][\n]"#,
        #"Content-Type: application/x-www-form-urlencoded[\r][\n]"#, #"Content-Length: 29[\r][\n]"#,
        #"[\r][\n]"#, "grant_type=client_credentials",
    ]
    private static let answer = [
        #"HTTP/1.1 401 Unauthorized[\r][\n]"#, #"Content-Type: application/json[\r][\n]"#,
        #"Content-Length: 28[\r][\n]"#, #"[\r][\n]"#, #"{"error":[\n]"#,
        #""invalid_client"[0xc3][0xa9]}[\n]"#,
    ]

    /// With what version 4 has before each line, in a log of Spring's.
    private static func logged(
        _ request: [String] = request,
        _ answer: [String] = answer,
        connection: String = "http-outgoing-0 "
    ) -> [String] {
        let start = "DEBUG 4711 --- [main] org.apache.http.wire : \(connection)"
        return request.map { "2026-05-12 08:30:05.250 \(start)>> \"\($0)\"" }
            + answer.map { "2026-05-12 08:30:05.350 \(start)<< \"\($0)\"" }
    }

    /// What is logged besides of the heads.
    private static let heads = [
        ">> POST /token HTTP/1.1", ">> Host: op.example",
        ">> Content-Type: application/x-www-form-urlencoded", ">> Content-Length: 29",
        "<< HTTP/1.1 401 Unauthorized", "<< Content-Type: application/json", "<< Content-Length: 28",
    ].map { "2026-05-12 08:30:05.250 DEBUG org.apache.http.headers : http-outgoing-0 \($0)" }

    private static let forms: [(name: String, lines: [String])] = [
        ("version 4", logged()), ("with the heads besides", heads + logged()),
        ("version 3", logged(connection: "")), ("version 5", logged(connection: "http-outgoing-0000000001 ")),
        (
            "with an answer on the way to it",
            logged(Array(request.prefix(5)), [#"HTTP/1.1 100 Continue[\r][\n]"#, #"[\r][\n]"#])
                + logged([request[5]], answer)
        ),
    ]

    @Test(arguments: forms.indices) func messagesOfTheWireAreRead(row: Int) throws {
        let (name, lines) = Self.forms[row]
        let capture = try read(lines)
        try #require(capture.count == 1 && capture.losses.isEmpty, "\(name)")
        let exchange = capture[0]
        #expect(exchange.request.method == "POST", "\(name)")
        #expect(exchange.request.url.text == "https://op.example/token", "\(name)")
        #expect(exchange.request.body?.text == "grant_type=client_credentials", "\(name)")
        #expect(exchange.response?.status == 401, "\(name)")
        #expect(exchange.response?.body?.text == "{\"error\":\n\"invalid_client\"é}\n", "\(name)")
        #expect(exchange.response?.body?.isTruncated == false, "\(name)")
        #expect(
            exchange.startedAt.nanoseconds == 1_778_574_605_250_000_000 && !exchange.isZoneKnown,
            "\(name)"
        )
    }

    @Test func headsAloneAreMessagesWhoseBodiesAreMissing() throws {
        let capture = try read(Self.heads)
        try #require(capture.count == 1)
        #expect(capture[0].request.body?.isRecorded == false && capture[0].request.body?.size == 29)
        #expect(capture[0].response?.status == 401 && capture[0].response?.body?.isRecorded == false)
    }

    /// Connections are told apart, and one is used again.
    @Test func messagesOfSeveralConnectionsAreTheirs() throws {
        let other = Self.logged(
            [#"GET /userinfo HTTP/1.1[\r][\n]"#, #"Host: op.example[\r][\n]"#, #"[\r][\n]"#],
            [#"HTTP/1.1 204 No Content[\r][\n]"#, #"[\r][\n]"#],
            connection: "http-outgoing-1 "
        )
        let first = Self.logged()
        let capture = try read(Array(first.prefix(6)) + other + Array(first.dropFirst(6)) + first)
        #expect(capture.indices.map { capture[$0].response?.status } == [401, 204, 401])
        #expect(
            capture[1].request.url.text == "https://op.example/userinfo" && capture[1].request.body == nil
        )
    }

    /// Version 3 names no connections: whose answer one is, nobody knows where threads log into each other.
    @Test func answersOfThreadsAreNotMixedUp() throws {
        let first = Self.logged(connection: "")
        let other = Self.logged(
            [#"GET /userinfo HTTP/1.1[\r][\n]"#, #"Host: op.example[\r][\n]"#, #"[\r][\n]"#],
            [#"HTTP/1.1 204 No Content[\r][\n]"#, #"[\r][\n]"#],
            connection: ""
        )
        let mixed = first.prefix(6) + other.prefix(3) + first.dropFirst(6) + other.dropFirst(3)
        let capture = try read(Array(mixed) + first)
        #expect(capture.indices.map { capture[$0].response?.status } == [nil, nil, 401])
        let inTurn = try read(first + other)
        #expect(inTurn.indices.map { inTurn[$0].response?.status } == [401, 204])
    }

    @Test(arguments: [
        "[route: {}->http://op.example:80]", "[route: {}->http://proxy.example:3128->http://op.example:80]",
        "[route: {}->[http://op.example:80]]",
    ])
    func schemeIsOfTheRoute(route: String) throws {
        let line =
            "DEBUG PoolingHttpClientConnectionManager : Connection request: \(route)[total kept alive: 0]"
        #expect(try read([line] + Self.logged())[0].request.url.text == "http://op.example/token")
    }

    /// What the log does not have any more is missing.
    @Test func logThatBreaksOffHasCutBodies() throws {
        let capture = try read(Array(Self.logged().dropLast()))
        #expect(capture[0].response?.body?.isTruncated == true)
        let headOnly = try read(Array(Self.logged().dropLast(2)))
        #expect(headOnly[0].response?.body?.isRecorded == false)
    }

    @Test(arguments: [
        "", " >> ", " >> \"", " << \"[0x", "[route: ", "[route: ]", " << \"[0xzz]\"", " << [0x123]",
    ])
    func damagedLinesAreNoObstacle(line: String) throws {
        let capture = try read(["DEBUG wire :\(line)"] + Self.logged() + [line])
        #expect(capture.indices.contains { capture[$0].response?.status == 401 })
    }
}
