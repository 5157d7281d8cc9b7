import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCEVerifierMissingTests {
    private let rule = "pkce-verifier-missing"
    private let broken = "token-request/pkce-verifier-missing"

    @Test func namesTheChallengeAndWhatWasSent() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "4 request.body code_verifier", "4 response.body error",
            ]
        )
        #expect(finding.notes.first == "sent: grant_type, code, redirect_uri, client_id, client_secret")
    }

    @Test func leavesABackEndsVerifierAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.isEmpty)
    }

    @Test func takesAnEmptyVerifierForNone() throws {
        #expect(try Recording(broken).sending("code_verifier", "").finding(rule) != nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWithoutAChallenge() throws {
        #expect(try Recording(broken).asking("code_challenge", nil).finding(rule) == nil)
    }

    @Test func saysNothingOfAClientThatWasRefused() throws {
        #expect(
            try Recording(broken).answering("/token", 401, ["error": "invalid_client"]).finding(rule) == nil
        )
    }

    @Test func abstainsWhereTheTokenRequestWasNotSaved() throws {
        let recording = try Recording(broken).withMetadata().editing { exchange in
            if exchange.request.url.path == "/token" { exchange.request.body = Body(content: .missing) }
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingWithoutTheBackChannel() throws {
        #expect(try Recording(broken).frontChannel.finding(rule) == nil)
    }
}
