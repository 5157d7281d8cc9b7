import Captures
import Diagnosis
import Flows
import OAuth
import Testing

struct ProviderSessionCookieMissingTests {
    private let rule = "provider-session-cookie-missing"
    private let broken = "user-agent/provider-session-cookie-missing"

    private func answered(_ status: Int, _ text: String, cookie: String? = nil) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = RecordedResponse(
                status: status,
                body: Body(text: text, mediaType: "text/html")
            )
            if let cookie { exchange.request.headers.append("Cookie", cookie) }
        }
    }

    @Test func showsTheCookieAndTheProvidersWords() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 response.header Set-Cookie", "2 request.header Cookie", "2 response.body "]
        )
        #expect(finding.evidence[1].value == "none")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        (200, "Your login attempt timed out. Login will start from the beginning."), (400, ""), (403, "no"),
        (200, "Authentication flow timed out"),
    ])
    func firesOn(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) != nil)
    }

    @Test(arguments: [(200, "Wrong name or password"), (500, ""), (429, "")])
    func leavesAlone(status: Int, text: String) throws {
        #expect(try answered(status, text).finding(rule) == nil)
    }

    @Test func leavesAStepWithItsCookieAlone() throws {
        #expect(try answered(400, "session has timed out", cookie: "harbour=1").finding(rule) == nil)
        #expect(try answered(400, "session has timed out", cookie: "other=1").finding(rule) != nil)
    }

    @Test func leavesACookieForAnotherPathAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response?.headers.fields.removeAll { $0.name == "Set-Cookie" }
            exchange.response?.headers.append("Set-Cookie", "harbour=1234567890; Path=/authorize; Secure")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWhereCookiesAreNotRecorded() throws {
        #expect(try Recording(broken).sanitized.abstention(rule)?.contains("stripped") == true)
        let recording = try answered(400, "").without { $0.request.url.path == "/" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule)?.contains("may not have been recorded") == true)
    }
}
