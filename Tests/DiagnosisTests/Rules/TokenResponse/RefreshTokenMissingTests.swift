import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RefreshTokenMissingTests {
    private let rule = "refresh-token-missing"
    private let broken = "token-response/refresh-token-missing"

    @Test func showsTheWishAndTheMembers() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query scope", "4 response.body refresh_token"])
    }

    @Test func leavesLoginsAloneThatDidNotAsk() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func showsThePrompt() throws {
        let finding = try #require(Recording(broken).asking("prompt", "login").finding(rule))
        #expect(finding.places[1] == "1 request.query prompt")
    }

    @Test func readsTheParameterOfGoogle() throws {
        let recording = try Recording(broken).asking("scope", "openid")
        func atGoogle(_ type: String) -> Recording {
            recording.asking("access_type", type).editing { exchange in
                let text = exchange.request.url.text.replacing(
                    "id.harbour.example/authorize",
                    with: "accounts.google.com/o/oauth2/v2/auth"
                )
                exchange.request.url = RecordedURL(text)
            }
        }
        #expect(recording.asking("access_type", "offline").finding(rule) == nil)
        #expect(atGoogle("offline").finding(rule)?.places.first == "1 request.query access_type")
        #expect(atGoogle("online").finding(rule) == nil)
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken).sending("grant_type", "refresh_token").finding(rule) == nil)
    }

    /// oidc-agent gives up a login without one, and says so on its page, which has status 200: the app's refusal has its words.
    @Test(arguments: [(true, 200), (false, 500)])
    func isAWarningWhereTheAppRefusesTheLoginForIt(isAsked: Bool, status: Int) throws {
        let page = """
            <title>Code Exchange Failed</title><h3>An error occurred during code exchange.</h3>\
            <h4>Error: Could not get a refresh token</h4>
            """
        let recording = try Recording(isAsked ? broken : broken + ".near-miss")
            .editingAnswer(of: "/token") { $0["refresh_token"] = nil }
            .answeringCallback(status, Body(text: page, mediaType: "text/html"))
        #expect(recording.finding(rule)?.severity == (isAsked ? .warning : nil))
        let refusal = try #require(recording.finding("callback-rejected-by-app"))
        #expect(refusal.isPrimary && refusal.title == "The app refuses a login that brings no refresh token")
        #expect(refusal.evidence.contains { $0.value == "Could not get a refresh token" })
        #expect(refusal.places.contains("4 response.body refresh_token"))
        #expect(recording.outcomes == [.failure])
    }

    @Test func abstainsWithoutAnswerOrRequest() throws {
        let recording = try Recording(broken)
        #expect(recording.withoutAuthorization.abstention(rule) != nil)
        let unsaved = recording.editingLast("/token") { $0.response?.body = Body(content: .missing) }
        #expect(unsaved.abstention(rule) != nil)
    }
}
