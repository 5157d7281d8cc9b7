import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IssuerParamMissingTests {
    private let rule = "issuer-param-missing"
    private let broken = "authorization-response/issuer-param-missing"

    @Test func showsThePromiseAndTheAnswer() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.body authorization_response_iss_parameter_supported", "4 request.query iss",
            ]
        )
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("callback-rejected-by-app")?.effectOf == rule)
    }

    /// A promise that was taken back later was one.
    @Test func goesByTheMetadataOfTheTime() throws {
        let recording = try Recording(broken)
        let later = try recording.rereadingMetadata {
            $0["authorization_response_iss_parameter_supported"] = false
        }
        #expect(later.finding(rule)?.isPrimary == true)
        #expect(later.finding(rule)?.places == recording.finding(rule)?.places)
    }

    @Test func isAWarningWhereTheAppWentOn() throws {
        let recording = try Recording("authorization-response/issuer-param-mismatch.near-miss")
            .redirecting(with: [("iss", nil)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    /// Authlib leaves it out of errors (RFC 9207, section 2, wants it there, too).
    @Test func isNotWhyALoginEndsThatTheProviderRefused() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("code", nil), ("error", "invalid_request"), ("error_description", "Missing 'x' in request."),
        ])
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(!finding.isPrimary)
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [JSONValue.bool(false), .null, .string("true")])
    func leavesMetadataThatPromisesNothingAlone(value: JSONValue) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["authorization_response_iss_parameter_supported"] = value
        }
        #expect(recording.finding(rule) == nil)
    }
}
