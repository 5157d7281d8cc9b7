import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct SilentLoginRequiredTests {
    private let rule = "silent-login-required"
    private let broken = "authorization-request/silent-login-required"

    @Test func namesRequestAnswerAndCookies() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == ["1 request.query prompt", "2 request.query error", "1 request.cookie "]
        )
        #expect(finding.evidence.map(\.value) == ["none", "login_required", "none"])
    }

    @Test func isANoteBeforeAnInteractiveLogin() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: ["interaction_required", "consent_required", "account_selection_required"])
    func knowsTheOtherAnswers(error: String) throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=" + error
        )
        #expect(recording.finding(rule)?.evidence[1].value == error)
    }

    @Test func leavesAnotherErrorAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_request"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesARequestThatMayShowPagesAlone() throws {
        #expect(try Recording(broken).asking("prompt", "login").finding(rule) == nil)
        #expect(try Recording(broken).asking("prompt", nil).finding(rule) == nil)
    }

    @Test func readsAPageThatPostsTheAnswer() throws {
        let recording = try Recording(broken).asking("response_mode", "web_message").saying(
            "<script>window.parent.postMessage({response:{\"error\":\"login_required\"}})</script>",
            status: 200
        )
        #expect(recording.finding(rule)?.places[1] == "1 response.body error")
    }

    @Test func namesTheCookiesThatWereSent() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Cookie", "harbour=not-a-session; theme=dark")
            }
        }
        #expect(recording.finding(rule)?.evidence.last?.value == "harbour, theme")
        #expect(recording.sanitized.finding(rule)?.evidence.last?.value == "not recorded")
    }

    /// Okta's page quotes with apostrophes; Auth0's with quotation marks.
    @Test(arguments: [
        ("okta_post_message", "data.error = 'login_required';"),
        ("web_message", #"{"error":"login_required"}"#),
    ])
    func readsWhatAPagePosts(mode: String, script: String) throws {
        let recording = try Recording(broken).asking("response_mode", mode).saying(
            "<script>\(script)</script>",
            status: 200
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].value == "login_required")
        #expect(finding.places[1].hasSuffix("response.body error"))
        #expect(try Recording(broken).saying("<script>\(script)</script>", status: 200).finding(rule) == nil)
    }
}
