import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct PARRequiredTests {
    private let rule = "par-required"
    private let broken = "authorization-request/par-required"

    @Test func namesTheMetadataTheRequestAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.body require_pushed_authorization_requests", "2 request.query request_uri",
                "2 response.body ",
            ]
        )
    }

    /// A provider that asks for it no more had asked for it.
    @Test func goesByTheMetadataOfTheTime() throws {
        let recording = try Recording(broken)
        let later = try recording.rereadingMetadata {
            $0["require_pushed_authorization_requests"] = false
        }
        #expect(later.finding(rule)?.isPrimary == true)
        #expect(later.finding(rule)?.places == recording.finding(rule)?.places)
    }

    @Test func leavesAnAcceptedRequestAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func saysNothingWithoutTheMember() throws {
        let recording = try Recording(broken).stating(
            "require_pushed_authorization_requests",
            nil,
            at: "/.well-known/openid-configuration"
        )
        #expect(recording.finding(rule) == nil)
        for words in [
            "Pushed Authorization Request is only allowed.", "Pushed Authorization Request must be used",
            "This client is required to use pushed authorization requests",
        ] {
            #expect(recording.saying(words).finding(rule) != nil, "\(words)")
        }
    }

    @Test func leavesAPushedRequestAlone() throws {
        #expect(
            try Recording(broken).asking("request_uri", "urn:ietf:params:oauth:request_uri:x").finding(rule)
                == nil
        )
    }

    @Test func leavesARefusalThatNamesAnotherFaultAlone() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=invalid_scope"
        )
        #expect(recording.finding(rule) == nil)
    }
}
