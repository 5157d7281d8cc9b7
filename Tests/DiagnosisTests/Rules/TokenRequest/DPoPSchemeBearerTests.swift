import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct DPoPSchemeBearerTests {
    private let rule = "dpop-scheme-bearer"
    private let broken = "token-request/dpop-scheme-bearer"

    @Test func namesTypeAndScheme() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "2 response.body token_type", "3 request.header Authorization",
                "3 response.header WWW-Authenticate",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["DPoP", "Bearer"])
    }

    @Test func leavesABearerTokenAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func leavesTheRightSchemeAlone() throws {
        #expect(try Recording("token-request/dpop-key-mismatch").finding(rule) == nil)
    }

    @Test func wantsAProofWithTheRightScheme() throws {
        let recording = try Recording("token-request/dpop-key-mismatch").sendingHeader(
            "DPoP",
            nil,
            to: "/userinfo"
        )
        #expect(recording.finding(rule)?.evidence[1].note == "without a DPoP header")
        #expect(recording.finding(rule)?.title == "A DPoP-bound token is sent without its proof")
        #expect(try Recording(broken).finding(rule)?.title.contains("bearer token") == true)
    }

    /// The proof may be in a header field that is not in the capture; the scheme is there.
    @Test func wantsNoProofThatMayBeThere() throws {
        let recording = try Recording("token-request/dpop-key-mismatch")
            .sendingHeader("DPoP", nil, to: "/userinfo").editing { $0.unknownFields.request = 1 }
        #expect(recording.finding(rule) == nil)
        let bearer = try Recording(broken).editing { $0.unknownFields.request = 1 }
        #expect(bearer.finding(rule)?.evidence[1].note == "not the scheme DPoP")
    }

    @Test func proofBesideAnotherSchemeIsNotDenied() throws {
        let plain = try #require(Recording(broken).finding(rule))
        #expect(plain.explanation.contains("by itself"))
        let proof = try #require(
            Recording("token-request/dpop-key-mismatch").exchanges.first {
                $0.request.url.path == "/userinfo"
            }?
            .request.headers.first("dpop")
        )
        let recording = try Recording(broken).sendingHeader("DPoP", proof, to: "/userinfo")
        let beside = try #require(recording.finding(rule))
        #expect(!beside.explanation.contains("by itself") && beside.explanation.contains("proof beside it"))
    }

    @Test func readsTheTypeInAnyCase() throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["token_type"] = "dpop" }
        #expect(recording.finding(rule) != nil)
    }

    @Test func isAWarningWhereTheServerTookIt() throws {
        let recording = try Recording(broken).answering("/userinfo", 200, ["sub": "alice"])
        #expect(recording.finding(rule)?.severity == .warning)
    }
}
