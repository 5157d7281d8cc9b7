import Captures
import Diagnosis
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
        let recording = try Recording(broken).asking("scope", "openid").asking("access_type", "offline")
        #expect(recording.finding(rule) == nil)
        let atGoogle = recording.editing { exchange in
            let text = exchange.request.url.text.replacing(
                "id.harbour.example/authorize",
                with: "accounts.google.com/o/oauth2/v2/auth"
            )
            exchange.request.url = RecordedURL(text)
        }
        #expect(atGoogle.finding(rule)?.places.first == "1 request.query access_type")
    }

    @Test func leavesARefreshAlone() throws {
        #expect(try Recording(broken).sending("grant_type", "refresh_token").finding(rule) == nil)
    }

    @Test func abstainsWithoutAnswerOrRequest() throws {
        let recording = try Recording(broken)
        #expect(recording.withoutAuthorization.abstention(rule) != nil)
        let unsaved = recording.editingLast("/token") { $0.response?.body = Body(content: .missing) }
        #expect(unsaved.abstention(rule) != nil)
    }
}
