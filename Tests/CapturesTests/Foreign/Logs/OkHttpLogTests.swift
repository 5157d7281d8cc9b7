@testable import Captures
import TestSupport
import Testing

/// What OkHttp's interceptor logs.
struct OkHttpLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log.txt")
    }

    private static let lines = """
        --> POST https://op.example/token http/1.1
        Content-Type: application/x-www-form-urlencoded
        Content-Length: 29
        Authorization: ██
        X-Empty:

        grant_type=client_credentials
        --> END POST (29-byte body)
        <-- 401 Unauthorized https://op.example/token (245ms)
        WWW-Authenticate: Basic realm="x"
        Content-Type: application/json

        {
          "error": "invalid_client"
        }
        <-- END HTTP (31-byte body)
        """

    private static let marks = [
        "", "INFO: ", "D/OkHttp: ", "D/OkHttp  ( 4242): ",
        "03-04 10:54:08.356  4242  4271 D okhttp.OkHttpClient: ",
        "2026-03-04 10:54:08.356 4242-4271  okhttp.OkHttpClient     com.example.app      D  ",
        "10:54:08.356 [http-nio-8080-exec-1] DEBUG okhttp3 - ",
    ]

    @Test(arguments: marks, [false, true]) func callsAreExchanges(mark: String, isCRLF: Bool) throws {
        let lines = Self.lines.split(separator: "\n", omittingEmptySubsequences: false)
        let text = (["something before"] + lines.map { mark + $0 } + ["something behind"])
            .joined(separator: isCRLF ? "\r\n" : "\n")
        let capture = try read(text)
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "OkHttp")
        let exchange = capture[0]
        #expect(exchange.request.url.text == "https://op.example/token" && exchange.request.method == "POST")
        #expect(exchange.request.headers.first("authorization") == "██")
        #expect(exchange.request.headers.first("x-empty") == "")
        #expect(exchange.request.body?.text == "grant_type=client_credentials")
        #expect(exchange.response?.status == 401 && exchange.response?.statusText == "Unauthorized")
        #expect(exchange.response?.body?.text == "{\n  \"error\": \"invalid_client\"\n}")
        #expect(exchange.response?.body?.isTruncated == false)
        #expect(exchange.duration == .milliseconds(245) && !exchange.isZoneKnown)
        #expect((exchange.startedAt.nanoseconds != 0) == mark.hasPrefix("2026"))
    }

    /// Each thread's lines have its number before them.
    @Test func callsOfSeveralThreadsAreToldApart() throws {
        let capture = try read(
            """
            03-04 10:54:08.100  42  70 D okhttp.OkHttpClient: --> GET https://op.example/jwks
            03-04 10:54:08.101  42  71 D okhttp.OkHttpClient: --> GET https://op.example/userinfo
            03-04 10:54:08.102  42  70 D okhttp.OkHttpClient: --> END GET
            03-04 10:54:08.103  42  71 D okhttp.OkHttpClient: Authorization: Bearer t1
            03-04 10:54:08.104  42  71 D okhttp.OkHttpClient: --> END GET
            03-04 10:54:08.200  42  71 D okhttp.OkHttpClient: <-- 401 https://op.example/userinfo (99ms)
            03-04 10:54:08.201  42  70 D okhttp.OkHttpClient: <-- 200 OK https://op.example/jwks (101ms, 2-byte body)
            03-04 10:54:08.202  42  42 W System.err: WWW-Authenticate: none of its lines
            03-04 10:54:08.203  42  71 D okhttp.OkHttpClient: www-authenticate: Bearer error="invalid_token"
            03-04 10:54:08.204  42  71 D okhttp.OkHttpClient: <-- END HTTP (0-byte body)
            03-04 10:54:09.000  42  72 D okhttp.OkHttpClient: --> GET https://api.example/me h2
            03-04 10:54:09.001  42  72 D okhttp.OkHttpClient: --> END GET
            03-04 10:54:09.100  42  72 D okhttp.OkHttpClient: <-- HTTP FAILED: java.net.UnknownHostException: api.example
            """
        )
        try #require(capture.count == 3)
        #expect(capture[0].response?.status == 200 && capture[0].request.headers.fields.isEmpty)
        #expect(capture[0].response?.body?.isRecorded == false && capture[0].response?.body?.size == 2)
        #expect(capture[1].request.headers.first("authorization") == "Bearer t1")
        #expect(capture[1].response?.headers.all("www-authenticate") == [#"Bearer error="invalid_token""#])
        #expect(capture[1].response?.body?.bytes == [])
        #expect(capture[2].failure?.hasPrefix("java.net.UnknownHostException") == true)
        #expect(capture[2].response == nil && capture[2].request.httpVersion == "HTTP/2")
    }

    /// Some logs print the lines of a body without what stands before, others leave empty lines out, or divide long ones.
    @Test(arguments: [
        (["", "{", "  \"a\": 1}"], 11, "{\n  \"a\": 1}"), (["a=b&c=d"], 7, "a=b&c=d"),
        (["", "abc", "def"], 6, "abcdef"), (["", "abc"], 9, "abc"),
    ]) func bodyIsAsLongAsItIsTold(lines: [String], size: Int, body: String) throws {
        for mark in ["", "INFO 1 --- [main] c.e.Http : "] {
            let text =
                ["\(mark)--> POST https://op.example/token", "\(mark)Content-Type: text/plain"]
                + lines.enumerated().map { $0.offset > 1 && size > 9 ? $0.element : mark + $0.element }
                + ["\(mark)--> END POST (\(size)-byte body)"]
            let capture = try read(text.joined(separator: "\n"))
            #expect(capture[0].request.body?.text == body)
            #expect(capture[0].request.body?.isTruncated == (size == 9))
        }
    }

    @Test(arguments: ["--> END POST (binary 12-byte body omitted)", "--> END POST", ""])
    func bodyThatIsNotShownIsUnknown(end: String) throws {
        let capture = try read("--> POST https://op.example/token (12-byte body)\n\(end)\n")
        #expect(capture[0].request.body?.isRecorded == false && capture[0].response == nil)
    }

    @Test(arguments: ["--> the next step\n<-- back\n", "a --> b\n--> GET /relative\n"])
    func arrowsOfOthersAreNone(text: String) {
        #expect(throws: CaptureError.self) { try read(text) }
    }

    @Test(.timeLimit(.minutes(1))) func wordsOfALineAreNotCounted() throws {
        let words = String(repeating: "a ", count: 2 << 20)
        let capture = try read(
            "--> GET https://op.example/ \(words)\n--> END GET\n<-- 200 \(words)\n\n\(words)\n<-- END HTTP (\(words))\n"
        )
        #expect(capture.count == 1 && capture[0].response?.status == 200)
        #expect(capture[0].response?.body?.bytes?.count == words.utf8.count)
    }

    @Test(.timeLimit(.minutes(1))) func hostileLogsTakeNoQuadraticTime() throws {
        let begin = "--> POST https://op.example/token\n"
        for line in [
            "x\n", "\n", "a: b\n", "<-- 200 OK https://op.example/token (1ms)\n", begin, "7 " + begin,
        ] {
            #expect(try read(begin + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
