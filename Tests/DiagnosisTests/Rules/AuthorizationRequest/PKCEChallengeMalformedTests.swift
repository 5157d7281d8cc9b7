import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PKCEChallengeMalformedTests {
    private let rule = "pkce-challenge-malformed"
    private let broken = "authorization-request/pkce-challenge-malformed"

    @Test func saysWhatTheChallengeLooksLike() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query code_challenge", "1 request.query code_challenge_method",
                "2 request.query error",
            ]
        )
        #expect(finding.notes == ["44 characters: padded with \"=\""])
    }

    @Test func leavesAProperChallengeAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3", "hexadecimal"),
        ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM=", "standard Base64"),
        ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM", "standard Base64"),
        (
            "MTNkMzFlOTYxYTFhZDhlYzJmMTZiMTBjNGM5ODJlMDg3NmE4NzhhZDZkZjE0NDU2NmVlMTg5NGFjYjcwZjljMw",
            "hexadecimal text"
        ),
        ("short", "too short"), (String(repeating: "a", count: 50), "too long"),
        ("a.b~c", "not of base64url"), ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw.cM", "not of base64url"),
        (String(repeating: "a", count: 27), "SHA-1"), (String(repeating: "~", count: 27), "not of base64url"),
        (String(repeating: "g", count: 64), "too long"),
    ])
    func knowsTheUsualShapes(challenge: String, words: String) throws {
        let note = try Recording(broken).asking("code_challenge", challenge).finding(rule)?.notes.first
        #expect(note?.contains(words) == true)
    }

    @Test func leavesItToTheVerifierWhereOneIsKnown() throws {
        let recording = try Recording("token-request/pkce-verifier-mismatch")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("pkce-verifier-mismatch") != nil)
    }

    @Test func isAnErrorWhereTheAppFailedWithTheCode() throws {
        #expect(
            try Recording("token-request/pkce-verifier-mismatch").frontChannel.finding(rule)?.severity
                == .error
        )
    }

    @Test func onlyWarnsWhereItWentOn() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }

    @Test func leavesPlainAlone() throws {
        #expect(try Recording(broken).asking("code_challenge_method", "plain").finding(rule) == nil)
    }
}
