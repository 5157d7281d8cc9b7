import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import Testing

/// Apps that keep the verifier in the session, and exchange the code also where they do not find it.
extension StateCookieLostTests {
    /// `cookie`: what the callback brings.
    private func withoutVerifier(cookie: String?) throws -> Recording {
        try Recording("healthy/web-code-flow").sending("code_verifier", nil)
            .answering("/token", 400, ["error": "invalid_grant"])
            .editing { exchange in
                guard exchange.request.url.path == "/callback" else { return }
                exchange.request.headers.remove("Cookie")
                exchange.request.listedCookies = []
                if let cookie { exchange.request.headers.append("Cookie", cookie) }
                exchange.response = RecordedResponse(status: 500)
            }
    }

    @Test func isTheCauseOfAVerifierThatIsMissing() throws {
        let recording = try withoutVerifier(cookie: nil)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.explanation.contains("had no verifier to send"))
        #expect(recording.finding("pkce-verifier-missing")?.isPrimary == false)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAloneAnAppThatLosesTheVerifierItself() throws {
        let recording = try withoutVerifier(cookie: "theme=dark")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("pkce-verifier-missing")?.isPrimary == true)
        // One that was refused for something else had no need of it yet.
        let refused = try withoutVerifier(cookie: nil).answering("/token", 401, ["error": "invalid_client"])
        #expect(refused.finding(rule) == nil)
    }
}
