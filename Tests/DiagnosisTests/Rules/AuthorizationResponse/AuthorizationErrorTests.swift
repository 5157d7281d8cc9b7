import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct AuthorizationErrorTests {
    private let rule = "authorization-error"
    private let broken = "authorization-response/authorization-error"

    @Test func repeatsTheText() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 request.query error"])
        #expect(finding.evidence[0].value == "invalid_request: The parameter claims_locales is too long")
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        "authorization-response/user-cancelled", "authorization-response/access-denied-by-policy",
        "authorization-request/redirect-uri-not-registered", "user-agent/proxy-scheme-downgrade",
    ])
    func leavesToOtherRulesWhatTheyExplain(path: String) throws {
        #expect(try Recording(path).finding(rule) == nil)
    }

    private func page(_ status: Int, _ text: String, header: (String, String)? = nil) throws -> Recording {
        try Recording(Array(Recording(broken).exchanges.prefix(2))).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(
                status: status,
                headers: HeaderFields(header.map { [$0] } ?? []),
                body: Body(text: text, mediaType: "text/html")
            )
        }
    }

    @Test func findsAPageOfTheProvider() throws {
        #expect(try page(400, "<p>invalid_request: display</p>").finding(rule)?.isPrimary == true)
        #expect(try page(400, "<p>Something is not right</p>").finding(rule) != nil)
        #expect(try page(200, "<p>AADSTS900144: The request body must contain</p>").finding(rule) != nil)
    }

    @Test func leavesTheBrowsersTicketAlone() throws {
        let recording = try page(401, "<form></form>", header: ("WWW-Authenticate", "Negotiate"))
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesFailuresAndThrottlingAlone() throws {
        #expect(try page(503, "invalid_request").finding(rule) == nil)
        #expect(try page(429, "").finding(rule) == nil)
    }

    /// Behind the sign-in page: what can be filled in again is no end.
    @Test(arguments: [
        (400, "<p>Your login attempt timed out.</p><a href=/>Restart</a>", true),
        (422, "<form method=post><input name=user></form>", false), (401, "<p>No</p>", false),
        (404, "<p>No</p>", false), (400, "", false),
    ])
    func pageThatEndsTheSignInIsARefusal(status: Int, text: String, fires: Bool) throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(3))).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = RecordedResponse(
                status: status,
                body: Body(text: text, mediaType: "text/html")
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    @Test func leavesAWrongPasswordAlone() throws {
        let recording = try Recording(Array(Recording(broken).exchanges.prefix(3))).editing { exchange in
            guard exchange.request.url.path == "/sign-in" else { return }
            exchange.response = RecordedResponse(
                status: 401,
                body: Body(text: "<p>Wrong name or password</p>", mediaType: "text/html")
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }
}
