@testable import Captures
import TestSupport
import Testing

/// Messages of HTTP as text, one behind the other.
struct MessageLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "messages.txt")
    }

    private static let request = """
        POST /token HTTP/1.1
        Host: op.example
        Content-Type: application/x-www-form-urlencoded
        Content-Length: 29

        grant_type=client_credentials
        """

    private static let answer = """
        HTTP/1.1 401 Unauthorized
        Content-Type: application/json
        Content-Length: 26

        {"error":"invalid_client"}
        """

    private static let goMark = "2026/03/04 10:54:08 "

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\"", with: "\\\"").replacing("\n", with: "\\r\\n") + "\""
    }

    private static let forms: [(name: String, text: String)] = [
        ("HTTPie", "\(request)\n\n\n\(answer)\n\n\n"),
        (
            "ZAP",
            "==== 7 ==========\n\(request.replacing("/token", with: "https://op.example/token"))\n\(answer)\n"
        ),
        ("Fiddler", "\(request)\n\(answer)\n\n\(String(repeating: "-", count: 66))\n\nnotes of somebody\n"),
        (
            "GoReplay",
            "1 5f3a0b6c7d8e9f0a1b2c3d4e 1772618048356000000 0\n\(request)\n🐵🙈🙉\n"
                + "2 5f3a0b6c7d8e9f0a1b2c3d4e 1772618048400000000 44000000\n\(answer)\n🐵🙈🙉\n"
                + "3 5f3a0b6c7d8e9f0a1b2c3d4e 1772618049400000000 44000000\nHTTP/1.1 200 OK\n\n{}\n🐵🙈🙉\n"
        ),
        ("Go", "\(goMark)\(request)\n\(goMark)\(answer)\n2026/03/04 10:54:09 words of others\n"),
        ("Go, quoted", "\(goMark)\(quoted(request))\n\(goMark)\(quoted(answer))\nwords of others\n"),
        ("with an answer on the way to it", "\(request)\nHTTP/1.1 100 Continue\n\n\(answer)\n"),
    ]

    @Test(arguments: forms.indices, [false, true]) func pairsAreExchanges(row: Int, isCRLF: Bool) throws {
        let (name, text) = Self.forms[row]
        let capture = try read(isCRLF ? text.replacing("\n", with: "\r\n") : text)
        try #require(capture.count == 1 && capture.losses.isEmpty, "\(name)")
        let exchange = capture[0]
        #expect(exchange.request.url.text == "https://op.example/token", "\(name)")
        #expect(exchange.request.body?.text == "grant_type=client_credentials", "\(name)")
        #expect(
            exchange.response?.status == 401 && exchange.response?.statusText == "Unauthorized",
            "\(name)"
        )
        #expect(exchange.response?.body?.text == #"{"error":"invalid_client"}"#, "\(name)")
        #expect(exchange.response?.body?.isTruncated == false, "\(name)")
        #expect(exchange.isZoneKnown == (name == "GoReplay"), "\(name)")
        #expect(exchange.startedAt.isKnown == name.hasPrefix("Go"), "\(name)")
    }

    /// What it sends it tells behind the head, and of an answer the head alone: the body went into a file.
    @Test(arguments: ["[POST data: ", "[BODY data: "]) func wgetTellsNoBodiesOfAnswers(mark: String) throws {
        let head = Self.request.replacing("grant_type=client_credentials", with: "")
        let text = """
            ---request begin---
            \(head)---request end---
            \(mark)grant_type=client_credentials]
            HTTP request sent, awaiting response...
            ---response begin---
            HTTP/1.1 401 Unauthorized
            Content-Type: application/json
            Transfer-Encoding: chunked

            ---response end---
            401 Unauthorized
            Registered socket 4 for persistent reuse.
            """
        let capture = try read(text + "\n" + text)
        #expect(capture.count == 2)
        for index in capture.indices {
            let exchange = capture[index]
            #expect(exchange.request.body?.text == "grant_type=client_credentials")
            #expect(exchange.response?.status == 401 && exchange.response?.body?.isRecorded == false)
            #expect(exchange.response?.body?.mediaType == "application/json")
        }
    }

    /// Their numbers say which answer is whose.
    @Test func answersOfGoReplayComeInAnyOrder() throws {
        let first = "5f3a0b6c7d8e9f0a1b2c3d4e"
        let second = "6f3a0b6c7d8e9f0a1b2c3d4e"
        let message = { (kind: Int, number: String, text: String) in
            "\(kind) \(number) 1772618048356000000 0\n\(text)\r\n\r\n\n🐵🙈🙉\n"
        }
        let capture = try read(
            message(1, first, "GET /1 HTTP/1.1\r\nHost: a.example")
                + message(1, second, "GET /2 HTTP/1.1\r\nHost: a.example")
                + message(2, second, "HTTP/1.1 202 Accepted") + message(2, first, "HTTP/1.1 201 Created")
                + message(2, "7f3a0b6c7d8e9f0a1b2c3d4e", "HTTP/1.1 500 Of Nobody")
        )
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/1", "/2"])
        #expect(capture.indices.map { capture[$0].response?.status } == [201, 202])
    }

    /// What ends before its length is cut; what was written in another form is not.
    @Test(arguments: [("{\"error\":\"inv", true), ("{\n    \"error\": \"invalid_client\"\n}", false)])
    func bodyIsComparedWithItsLength(body: String, isTruncated: Bool) throws {
        let text =
            "GET / HTTP/1.1\nHost: a.example\n\nHTTP/1.1 400 Bad Request\nContent-Length: 26\n\n\(body)\n"
        let answer = try #require(try read(text)[0].response)
        #expect(answer.body?.text == body && answer.body?.isTruncated == isTruncated)
    }

    /// As many empty lines belong to a body as its length says.
    @Test(arguments: [("5", "{ }\n\n"), ("3", "{ }"), ("9", "{ }")])
    func emptyLinesBehindABodyAreItsOwnWhereTheyAreCounted(length: String, body: String) throws {
        let head = "GET / HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\nContent-Length: \(length)\n\n"
        #expect(try read("\(head){ }\n\n\n")[0].response?.body?.text == body)
    }

    @Test(arguments: [
        "POST /token HTTP/1.1\nHost: a.example\n\na=b", "HTTP/1.1 200 OK\n\n{}",
        "WARC/1.0\r\nWARC-Type: request\r\n\r\nGET / HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "GET it done\nHTTP/1.1 200 OK\n", "### token\nPOST https://a.example/token\n\na=b\n",
    ]) func nothingIsMadeOfLess(text: String) {
        #expect(throws: CaptureError.self) { try read(text) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileTextsTakeNoQuadraticTime() throws {
        let pair = "GET / HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\n\n"
        for line in [
            "x\n", "x x x x x x x x x x", "HTTP/1.1 100 Continue\n",
            "1 5f3a0b6c7d8e9f0a1b2c3d4e 1772618048356000000\n", pair,
            "[POST data: a]\n---response begin---\n", Self.goMark + "\"GET / HTTP/1.1\\n\\n\\n\\n\\n\"\n",
        ] {
            #expect(try read(pair + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
