import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct CookiesTooLargeTests {
    private let rule = "cookies-too-large"
    private let broken = "user-agent/cookies-too-large"

    private func answered(_ status: Int, _ text: String, _ path: String = "user-agent/cookies-too-large")
        throws
        -> Recording
    {
        try Recording(path).answeringCallback(status, Body(text: text, mediaType: "text/html"))
    }

    @Test func countsTheCookies() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 response.status ", "3 response.body ", "3 request.header Cookie"])
        #expect(finding.evidence[1].value == "400 Request Header Or Cookie Too Large")
        #expect(finding.evidence[2].value.hasSuffix("bytes in 91 cookies"))
        #expect(finding.notes == ["90 begin with shop_nonce."])
        #expect(recording.outcomes == [.failure])
    }

    @Test func twoCookiesOfOneBeginningAreNoHeap() throws {
        let cookies = ["shop_nonce.1", "shop_nonce.2"].map { $0 + "=" + String(repeating: "x", count: 4500) }
        let recording = try Recording(broken).sendingHeader(
            "Cookie",
            cookies.joined(separator: "; "),
            to: "/callback"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[2].value == "9028 bytes in 2 cookies")
        #expect(finding.notes.isEmpty)
    }

    @Test func leavesAnAcceptedRequestAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        (431, ""), (494, ""), (400, ""),
        (413, "HTTP Error 400. The size of the request headers is too long."),
    ])
    func firesOn(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) != nil)
    }

    @Test(arguments: [(500, "Request Header Or Cookie Too Large"), (413, "")])
    func leavesAlone(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) == nil)
    }

    @Test func leavesABadRequestWithFewCookiesAlone() throws {
        #expect(try answered(400, "", "user-agent/callback-rejected-by-app").finding(rule) == nil)
    }

    /// One who clears the cookies gets in again.
    @Test(
        arguments: [(nil, Severity.error, Outcome.failure), (200, .note, .success)]
            as [(Int?, Severity, Outcome)]
    )
    func findsThePageAfterTheCallback(later: Int?, severity: Severity, outcome: Outcome) throws {
        var recording = try Recording(broken + ".near-miss").without { $0.request.url.path == "/" }
        var home = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        home.request.url = RecordedURL("https://www.shop.example/")
        home.startedAt = home.endedAt + .milliseconds(10)
        home.response = RecordedResponse(status: 431)
        recording.exchanges.append(home)
        if let later {
            home.startedAt = home.startedAt + .seconds(60)
            home.response?.status = later
            recording.exchanges.append(home)
        }
        #expect(recording.finding(rule)?.severity == severity)
        #expect(recording.outcomes == [outcome])
    }

    @Test func goesByTheTextInASanitizedCapture() throws {
        #expect(try Recording(broken).sanitized.finding(rule) != nil)
        let recording = try answered(431, "").sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func countsCookiesThatAProducerLists() throws {
        let recording = try Recording(broken).editing { exchange in
            let cookies = exchange.request.cookies
            exchange.request.headers.remove("cookie")
            exchange.request.listedCookies = cookies
        }
        #expect(recording.finding(rule)?.isPrimary == true)
    }
}
