import Captures
import Diagnosis
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
    }

    @Test func isAWarningWhereTheAppWentOn() throws {
        let recording = try answering(
            [("iss", nil)],
            "authorization-response/issuer-param-mismatch.near-miss"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: [JSONValue.bool(false), .null, .string("true")])
    func leavesMetadataThatPromisesNothingAlone(value: JSONValue) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["authorization_response_iss_parameter_supported"] = value
        }
        #expect(recording.finding(rule) == nil)
    }

    /// The provider's answer with other parameters, in the redirect and at the callback.
    private func answering(_ changes: [(String, String?)], _ path: String? = nil) throws -> Recording {
        try Recording(path ?? broken).editing { exchange in
            let change = { (url: String) in changes.reduce(url) { Recording.changing($0, $1.0, $1.1) } }
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(change(exchange.request.url.text))
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(to: change(location))
            }
        }
    }

    @Test func leavesTheNearMissAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }
}
