import TestSupport
import Testing

@testable import Captures

/// Results of JMeter's in XML.
struct JMeterResultsTests {
    private static func read(_ samples: String, end: String = "</testResults>\n") throws -> Capture {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testResults version=\"1.2\">\n"
        return try CaptureReader.read(bytes: Array((head + samples + end).utf8), name: "login.jtl")
    }

    private static func sample(
        rc: String = "400",
        rm: String = "Bad Request",
        path: String = "/token",
        body: String = "code=abcd&amp;x=1",
        within: String = ""
    ) -> String {
        """
        <httpSample t="245" it="0" lt="240" ct="20" ts="1772618048356" s="false" lb="token" rc="\(rc)" rm="\(rm)" tn="1-1" dt="text" by="300">
        \(within)
          <responseHeader class="java.lang.String">HTTP/1.1 \(rc) \(rm)
        Content-Type: application/json
        Set-Cookie: a=1
        </responseHeader>
          <requestHeader class="java.lang.String">Connection: keep-alive
        Content-Type: application/x-www-form-urlencoded
        </requestHeader>
          <responseData class="java.lang.String">{&quot;error&quot;:&quot;invalid_grant&quot;}</responseData>
          <responseFile class="java.lang.String"></responseFile>
          <cookies class="java.lang.String">sid=s1</cookies>
          <method class="java.lang.String">POST</method>
          <queryString class="java.lang.String">\(body)</queryString>
          <java.net.URL>https://op.example\(path)</java.net.URL>
        </httpSample>

        """
    }

    @Test func sampleIsAnExchange() throws {
        let capture = try Self.read(Self.sample())
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "JMeter")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.fields.map(\.name) == ["Connection", "Content-Type", "Cookie"])
        #expect(token.request.cookie("sid") == "s1" && token.request.body?.text == "code=abcd&x=1")
        #expect(token.response?.status == 400 && token.response?.statusText == "Bad Request")
        #expect(token.response?.httpVersion == "HTTP/1.1")
        #expect(token.response?.headers.fields.map(\.name) == ["Content-Type", "Set-Cookie"])
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect(token.startedAt.rfc3339 == "2026-03-04T09:54:08.356000Z" && token.isZoneKnown)
        #expect(token.duration == .milliseconds(245))
    }

    /// One that was redirected has nothing that its hops do not have.
    @Test func hopsStandForTheSampleThatTheyAreIn() throws {
        let hops =
            Self.sample(rc: "302", rm: "Found", path: "/a") + Self.sample(rc: "200", rm: "OK", path: "/b")
        let capture = try Self.read(
            "<sample lb=\"login\" rc=\"200\">\(Self.sample(path: "/b", within: hops))</sample>\(Self.sample())"
        )
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/a", "/b", "/token"])
        #expect(capture.indices.map { capture[$0].response?.status } == [302, 200, 400])
    }

    @Test func failureAndWhatIsMissingAreTold() throws {
        let failed = Self.sample(
            rc: "Non HTTP response code: java.net.UnknownHostException",
            rm: "Non HTTP response message: op.example",
            body: "&lt;actual file content, not shown here&gt;"
        )
        let short =
            "<httpSample t=\"1\" ts=\"1772618048357\" rc=\"401\" rm=\"Unauthorized\"><method>POST</method><java.net.URL>https://op.example/par</java.net.URL></httpSample>"
        let capture = try Self.read(failed + short)
        try #require(capture.count == 2)
        #expect(capture[0].response == nil && capture[0].failure == "Non HTTP response message: op.example")
        #expect(capture[0].request.body?.isRecorded == false)
        #expect(capture[1].response?.status == 401 && capture[1].response?.body?.isRecorded == false)
        #expect(capture[1].request.body?.isRecorded == false)
    }

    @Test func sampleThatBreaksOffIsTold() throws {
        let capture = try Self.read(Self.sample() + Self.sample().dropLast(100), end: "")
        #expect(capture.count == 1 && capture.losses.count == 1 && capture.losses[0].isEnd)
    }

    @Test(arguments: [
        "", "<httpSample t=\"1\" ts=\"1772618048356\" rc=\"200\" rm=\"OK\" lb=\"token\"/>\n",
        "<sample lb=\"a\"><java.net.URL>https://op.example/</java.net.URL></sample>\n",
    ]) func resultsWithoutMessagesAreNone(samples: String) {
        #expect(throws: CaptureError.self) { try Self.read(samples) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileResultsTakeNoQuadraticTime() throws {
        for text in ["<httpSample>", "<method>", "</httpSample>", "<httpSample><method>x</method>", "<a>"] {
            #expect(try Self.read(Self.sample() + String(repeating: text, count: 20_000)).count == 1)
        }
    }
}
