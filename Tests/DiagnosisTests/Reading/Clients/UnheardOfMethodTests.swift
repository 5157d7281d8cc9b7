import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

/// A challenge method that no provider has, where no metadata say which ones this provider takes.
struct UnheardOfMethodTests {
    private let note = "in another case: S256 is meant"

    @Test(arguments: [("s256", true), ("S256", false)])
    func refusedPushTellsOfIt(method: String, isTold: Bool) throws {
        let recording = try Recording("authorization-request/par-rejected")
            .sending("code_challenge_method", method, to: "/par")
        let finding = try #require(recording.finding("par-rejected"))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("challenge method") == isTold)
        #expect((finding.notes.last == note) == isTold)
        // It is a challenge's method, or nothing.
        let without = try #require(
            recording.sending("code_challenge", nil, to: "/par").finding("par-rejected")
        )
        #expect(!without.title.contains("challenge method"))
    }

    /// A provider that goes on with the login cannot hold the verifier against the challenge.
    @Test(arguments: [("s256", true), ("S256", false), ("plain", false)])
    func refusedCodeTellsOfIt(method: String, isTold: Bool) throws {
        let recording = try Recording("token-request/token-invalid-grant")
            .asking("code_challenge_method", method)
        let finding = try #require(recording.finding("token-invalid-grant"))
        #expect(finding.title.contains("challenge method") == isTold)
        #expect((finding.places.last == "1 request.query code_challenge_method") == isTold)
        #expect(recording.finding("pkce-method-unsupported") == nil)
        if isTold { #expect(finding.isPrimary) }
    }
}
