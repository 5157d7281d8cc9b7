import TestSupport
import Testing

@testable import Captures

/// Cassettes in JSON and in YAML.
struct VCRCassetteTests {
    private static func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.json")
    }

    private static let headers = #""headers":{"Content-Type":["application/x-www-form-urlencoded"]}"#
    private static let answer =
        #""status":{"code":400,"message":"Bad Request"},"headers":{"Content-Type":["application/json"]}"#

    private static let cassettes: [(name: String, text: String, isTimed: Bool)] = [
        (
            "vcrpy",
            #"{"version":1,"interactions":[{"request":{"method":"POST","uri":"https://op.example/token","body":"code=abcd",\#(headers)},"response":{\#(answer),"body":{"string":"{\"error\":\"invalid_grant\"}"}}}]}"#,
            false
        ),
        (
            "vcrpy, formerly",
            #"[{"request":{"body":"code=abcd","headers":{"Content-Type":["application/x-www-form-urlencoded"]},"method":"POST","uri":"https://op.example/token"},"response":{"status":{"message":"Bad Request","code":400},"headers":["Content-Type: application/json\r\n"],"body":{"string":"{\"error\":\"invalid_grant\"}"}}}]"#,
            false
        ),
        (
            "VCR",
            #"{"http_interactions":[{"request":{"method":"post","uri":"https://op.example/token","body":{"encoding":"US-ASCII","string":"code=abcd"},\#(headers)},"response":{\#(answer),"body":{"encoding":"UTF-8","string":"{\"error\":\"invalid_grant\"}"},"http_version":null},"recorded_at":"Wed, 04 Mar 2026 09:54:08 GMT"}],"recorded_with":"VCR 6.1.0"}"#,
            true
        ),
        (
            "Betamax",
            #"{"http_interactions":[{"recorded_at":"2026-03-04T09:54:08","request":{"body":{"encoding":"utf-8","string":"code=abcd"},\#(headers),"method":"POST","uri":"https://op.example/token"},"response":{"body":{"encoding":"utf-8","base64_string":"eyJlcnJvciI6ImludmFsaWRfZ3JhbnQifQ=="},\#(answer),"url":"https://op.example/token"}}],"recorded_with":"betamax/0.9.0"}"#,
            true
        ),
        (
            "PHP-VCR",
            #"[{"request":{"method":"POST","url":"https:\/\/op.example\/token","headers":{"Host":"op.example","Content-Type":"application\/x-www-form-urlencoded"},"body":"code=abcd"},"response":{"status":{"http_version":"1.1","code":"400","message":"Bad Request"},"headers":{"Content-Type":"application\/json"},"body":"{\"error\":\"invalid_grant\"}"},"index":0}]"#,
            false
        ),
    ]

    @Test(arguments: cassettes.indices) func interactionsAreExchanges(index: Int) throws {
        let (name, text, isTimed) = Self.cassettes[index]
        let capture = try Self.read(text)
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "VCR", "\(name)")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("content-type") == "application/x-www-form-urlencoded")
        #expect(token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.response?.headers.first("content-type") == "application/json")
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect(token.startedAt.rfc3339.hasPrefix("2026-03-04T09:54:08") == isTimed)
        #expect(token.isZoneKnown == (name == "VCR"))
    }

    private static let yaml: [(name: String, text: String)] = [
        (
            "VCR",
            """
            ---
            http_interactions:
            - request:
                method: post
                uri: https://op.example/token
                body:
                  encoding: US-ASCII
                  string: code=abcd
                headers:
                  Content-Type:
                  - application/x-www-form-urlencoded
                  Accept:
                  - "*/*"
              response:
                status:
                  code: 400
                  message: Bad Request
                headers:
                  Content-Type:
                  - application/json
                body:
                  encoding: UTF-8
                  string: '{"error":"invalid_grant"}'
                http_version:
              recorded_at: Wed, 04 Mar 2026 09:54:08 GMT
            recorded_with: VCR 6.1.0
            """
        ),
        (
            "vcrpy",
            """
            interactions:
            - request:
                body: code=abcd
                headers:
                  Accept: ['*/*']
                  Content-Type: [application/x-www-form-urlencoded]
                method: POST
                uri: https://op.example/token
              response:
                body:
                  string: !!binary |
                    eyJlcnJvciI6ImludmFsaWRfZ3JhbnQifQ==
                headers:
                  Content-Type: [application/json]
                status: {code: 400, message: Bad Request}
            version: 1
            """
        ),
        (
            "go-vcr",
            """
            ---
            version: 2
            interactions:
                - id: 0
                  request:
                    proto: HTTP/1.1
                    transfer_encoding: []
                    trailer: {}
                    host: op.example
                    remote_addr: ""
                    body: code=abcd
                    form:
                        code:
                            - abcd
                    headers:
                        Content-Type:
                            - application/x-www-form-urlencoded
                    url: https://op.example/token
                    method: POST
                  response:
                    proto: HTTP/1.1
                    transfer_encoding: []
                    uncompressed: false
                    body: '{"error":"invalid_grant"}'
                    headers:
                        Content-Type:
                            - application/json
                    status: 400 Bad Request
                    code: 400
                    duration: 12.3ms
            """
        ),
        (
            "vcrpy of Python 2",
            """
            interactions:
            - request:
                body: !!python/unicode 'code=abcd'
                headers:
                  Accept: ['*/*']
                  Content-Type: [application/x-www-form-urlencoded]
                method: POST
                uri: https://op.example/token
              response:
                body: {string: !!python/unicode '{"error":"invalid_grant"}'}
                headers: {Content-Type: [application/json], Server: [one that has a long name,
                    and another]}
                status: {code: 400, message: Bad
                    Request}
            version: 1
            """
        ),
        (
            "PHP-VCR",
            """
            -
                request:
                    method: POST
                    url: 'https://op.example/token'
                    headers:
                        Host: op.example
                        Content-Type: application/x-www-form-urlencoded
                    body: code=abcd
                response:
                    status:
                        http_version: '1.1'
                        code: '400'
                        message: 'Bad Request'
                    headers:
                        Content-Type: application/json
                    body: '{"error":"invalid_grant"}'
                index: 0

            """
        ),
    ]

    @Test(arguments: yaml.indices, [false, true]) func interactionsInYAMLAreExchanges(row: Int, isCRLF: Bool)
        throws
    {
        let (name, text) = Self.yaml[row]
        let capture = try Self.read(isCRLF ? text.replacing("\n", with: "\r\n") : text)
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "VCR", "\(name)")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("content-type") == "application/x-www-form-urlencoded")
        #expect(token.request.body?.text == "code=abcd")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect(token.startedAt.rfc3339.hasPrefix("2026-03-04T09:54:08") == (name == "VCR"))
    }

    /// The others are read, and it is told where it stands.
    @Test func interactionThatIsNotReadIsTold() throws {
        let item = try #require(Self.yaml[0].text.firstRange(of: "- request"))
        let broken = "- request: *other\n  response: {}\n"
        let text = Self.yaml[0].text[..<item.lowerBound] + broken + Self.yaml[0].text[item.lowerBound...]
        let capture = try Self.read(String(text))
        #expect(capture.count == 1 && capture.losses.map(\.line) == [3])
        #expect(throws: CaptureError.self) { try Self.read("---\nhttp_interactions:\n\(broken)") }
    }

    @Test func largeBodyInYAMLIsWhole() throws {
        let page = String(repeating: "a", count: 40_000)
        let text = Self.yaml[0].text.replacing(#"{"error":"invalid_grant"}"#, with: page)
        #expect(try Self.read(text)[0].response?.body?.text == page)
    }

    /// Bytes that are still coded, and an answer without any.
    @Test func bodiesAreDecodedAndMayBeNone() throws {
        let capture = try Self.read(
            #"""
            {"interactions":[
              {"request":{"method":"GET","uri":"https://app.example/cb?code=abcd","body":null,"headers":{}},
               "response":{"status":{"code":302,"message":"Found"},"headers":{"Location":["/"],"Set-Cookie":["a=1","b=2"]},"body":{"string":""}}},
              {"request":{"method":"GET","uri":"https://op.example/jwks","body":"","headers":{}},
               "response":{"status":{"code":200,"message":"OK"},"headers":{"Content-Encoding":["gzip"]},
                "body":{"base64_string":"H4sIAAAAAAACA6tWyk6tLFayio6tBQDvZ4gqCwAAAA=="}}}
            ],"version":1}
            """#
        )
        try #require(capture.count == 2)
        #expect(capture[0].request.body == nil && capture[0].response?.body?.bytes == [])
        #expect(capture[0].response?.headers.all("set-cookie") == ["a=1", "b=2"])
        #expect(capture[1].response?.body?.text == #"{"keys":[]}"#)
    }

    @Test func largeBodyIsFoundAgain() throws {
        let page = String(repeating: "a", count: 40_000)
        let capture = try Self.read(
            #"{"interactions":[{"request":{"method":"GET","uri":"https://op.example/"},"response":{"status":{"code":200},"body":{"string":"\#(page)"}}}]}"#
        )
        #expect(capture[0].response?.body?.text == page)
    }

    @Test func whatIsWholeOfOneThatBreaksOffIsRead() throws {
        let text = Self.cassettes[0].text
        let interaction = try #require(text.firstRange(of: "[")).upperBound
        let twice =
            "\(text[..<interaction])\(text[interaction...].dropLast(2)),\(text[interaction...].dropLast(30))"
        let capture = try Self.read(twice)
        #expect(capture.count == 1 && capture.losses.count == 1)
    }

    /// Contracts (Pact) have no server, HAR's entries a status.
    @Test func listsOfOtherRequestsAreNone() throws {
        #expect(throws: CaptureError.self) {
            try Self.read(
                #"{"consumer":{"name":"a"},"interactions":[{"request":{"method":"GET","path":"/"},"response":{"status":200}}]}"#
            )
        }
        let entries = try Self.read(
            #"[{"request":{"method":"GET","url":"https://op.example/jwks"},"response":{"status":200}}]"#
        )
        #expect(entries.creator.name != "VCR" && entries[0].response?.status == 200)
    }
}
