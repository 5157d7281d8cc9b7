import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientAuthDuplicateTests {
    private let rule = "client-auth-duplicate"
    private let broken = "token-request/client-auth-duplicate"

    @Test func namesBothWays() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "4 request.header Authorization", "4 request.body client_secret", "4 response.body error",
            ]
        )
        #expect(finding.evidence[0].value == "Basic")
    }

    @Test func leavesAnEmptySecretAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func countsAnAssertion() throws {
        let finding = try Recording(broken).sending("client_secret", nil)
            .sending("client_assertion", "\(encoded("{\"alg\":\"ES256\"}")).e30.c2ln").finding(rule)
        #expect(finding?.places[1] == "4 request.body client_assertion")
    }

    @Test func leavesADPoPProofAlone() throws {
        let recording = try Recording(broken + ".near-miss").editing {
            $0.request.headers.append("DPoP", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }

    @Test func isAWarningWhereTheCodeWasRefused() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "invalid_grant"])
        #expect(recording.finding(rule)?.severity == .warning)
    }
}
