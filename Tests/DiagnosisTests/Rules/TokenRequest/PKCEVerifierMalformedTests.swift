import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct PKCEVerifierMalformedTests {
    private let rule = "pkce-verifier-malformed"
    private let broken = "token-request/pkce-verifier-malformed"

    /// A login with a verifier and the challenge that it makes.
    private func recording(_ verifier: String) throws -> Recording {
        try Recording(broken).sending("code_verifier", verifier)
            .asking("code_challenge", CodeChallenge.s256(of: verifier))
    }

    @Test func namesLengthAndCharacters() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 request.body code_verifier", "1 request.query code_challenge", "4 response.body error",
            ]
        )
        #expect(
            finding.notes.first
                == "24 characters, 43 are the least; 1 character that is not allowed: a space"
        )
        #expect(try Recording(broken).finding("pkce-verifier-mismatch") == nil)
    }

    @Test func namesACharacterBeyondASCIIByItsCodePoint() throws {
        let finding = try recording(String(repeating: "a", count: 43) + "ü").finding(rule)
        #expect(finding?.notes.first == "1 character that is not allowed: U+00FC")
    }

    @Test func leavesEveryAllowedCharacterAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        (42, true), (43, false), (128, false), (129, true),
    ]) func countsCharacters(length: Int, isWrong: Bool) throws {
        let verifier = String(repeating: "ab", count: length / 2) + (length % 2 == 1 ? "c" : "")
        #expect(try (recording(verifier).finding(rule) != nil) == isWrong)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        let finding = try Recording(broken).granted().finding(rule)
        #expect(finding?.severity == .warning)
    }

    /// As plain as it was sent it is too short all the same (RFC 7636, section 4.1).
    @Test func plainOneHasTheSameForm() throws {
        let sent = try #require(Recording(broken).flows.first?.tokenRequests.first?.codeVerifier)
        let recording = try Recording(broken).asking("code_challenge", sent)
            .asking("code_challenge_method", "plain")
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// What another endpoint took, and another verifier of another code, show nothing of this one.
    @Test(
        arguments: [("/oauth/token", nil), ("/token", "another-8675309")] as [(String, String?)]
    )
    func isAnErrorWhereAnotherWasTakenBefore(path: String, other: String?) throws {
        var recording = try Recording(broken)
        var first = Recording([recording.exchanges[4]]).granted()
        if let other { first = first.sending("code", other).sending("code_verifier", other) }
        first.exchanges[0].startedAt = first.exchanges[0].startedAt - .milliseconds(20)
        first.exchanges[0].request.url = RecordedURL("https://id.harbour.example" + path)
        recording.exchanges.insert(first.exchanges[0], at: 4)
        let finding = recording.finding(rule)
        #expect(finding?.severity == .error)
        #expect(finding?.places.first == "5 request.body code_verifier")
    }

    /// A code that is sent twice, and a verifier that is used for two logins.
    @Test(arguments: [true, false])
    func isAWarningWhereItWasTakenBefore(isSameCode: Bool) throws {
        var recording = try Recording(broken)
        var first = recording.exchanges[4]
        first.startedAt = first.startedAt - .milliseconds(20)
        first.response?.status = 200
        first.response?.body = .json(#"{"access_token":"not-a-token","token_type":"Bearer"}"#)
        recording.exchanges.insert(first, at: 4)
        if !isSameCode { recording = recording.sending("code", "another-code-8675309") }
        let severities = recording.findings.filter { $0.rule == rule }.map(\.severity)
        #expect(!severities.isEmpty && severities.allSatisfy { $0 == .warning })
        #expect(recording.findings.allSatisfy { $0.effectOf != rule })
    }

    @Test func leavesAVerifierThatDoesNotFitToItsOwnRule() throws {
        let recording = try Recording(broken).sending("code_verifier", "too short")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("pkce-verifier-mismatch") != nil)
    }

    @Test func isAWarningWhereTheClientWasRefused() throws {
        let recording = try Recording(broken).answering("/token", 401, ["error": "invalid_client"])
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func isAWarningWhereThereWasNoCode() throws {
        let recording = try Recording(broken).sending("code", "")
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test func abstainsWhereTheVerifierWasTakenOut() throws {
        let recording = try Recording(broken).sending("code_verifier", "[REDACTED]")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
