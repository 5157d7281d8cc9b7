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

    /// The login, and another one that its callback began at once when the first was refused.
    private func begunAnew(sending verifier: String?) throws -> Recording {
        let first = try Recording(broken)
        let (state, code) = ("second-state-0123456789", "second-code-0123456789")
        let second = Recording(Array(first.exchanges.dropFirst()))
            .asking("state", state).asking("nonce", "second-nonce-0123456789")
            .asking("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
            .redirecting(with: [("code", code), ("state", state)])
            .sending("code", code).sending("code_verifier", verifier)
            .editing { $0.startedAt = $0.startedAt + .seconds(9) }
        let next = try #require(second.exchanges.first).request.url.text
        let led = first.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .milliseconds(300)
            exchange.response?.status = 302
            exchange.response?.body = nil
            exchange.response?.redirect(to: next)
        }
        return Recording(led.exchanges + second.exchanges)
    }

    /// Each has its own challenge, and its own request.
    @Test(
        arguments: [(nil, true), ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", false)] as [(String?, Bool)]
    )
    func readsEachOfTwoLogins(verifier: String?, isMissing: Bool) throws {
        let recording = try begunAnew(sending: verifier)
        #expect(recording.outcomes == [.failure])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        let first = [
            "1 request.query code_challenge", "4 request.body code_verifier", "4 response.body error",
        ]
        let second = [
            "5 request.query code_challenge", "8 request.body code_verifier", "8 response.body error",
        ]
        #expect(finding.places == first + (isMissing ? second : []))
    }

    @Test func saysNothingWithoutTheBackChannel() throws {
        #expect(try Recording(broken).frontChannel.finding(rule) == nil)
    }
}
