import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct IssuerParamMismatchTests {
    private let rule = "issuer-param-mismatch"
    private static let broken = "authorization-response/issuer-param-mismatch"
    private let broken = Self.broken

    @Test func showsBothIssuers() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 response.body issuer", "4 request.query iss"])
        #expect(finding.notes == ["a \"/\" too many at the end"])
        #expect(recording.outcomes == [.failure])
    }

    @Test func isAnErrorThoughTheAppAcceptedIt() throws {
        let recording = try Recording(broken + ".near-miss").redirecting(with: [
            ("iss", "https://id.other.example")
        ])
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    /// An answer without a code names its issuer all the same.
    @Test(arguments: [(Self.broken, true), (Self.broken + ".near-miss", false)])
    func readsAnAnswerWithoutACode(name: String, fires: Bool) throws {
        let recording = Recording(Array(try Recording(name).exchanges.prefix(5)))
            .redirecting(with: [("code", nil)])
        #expect(
            recording.finding(rule)?.places
                == (fires ? ["0 response.body issuer", "3 response.location iss"] : nil)
        )
        #expect(recording.finding("code-missing") != nil)
    }

    /// A signed answer says in its claims whose it is (RFC 9207, section 2.4), which jarm-invalid reads.
    @Test func leavesWhatStandsBesideASignedAnswerAlone() throws {
        let recording = try Recording("authorization-response/jarm-invalid.near-miss").redirecting(with: [
            ("iss", "https://id.other.example")
        ])
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test func abstainsWithoutMetadataOfTheEndpoint() throws {
        let recording = try Recording(broken).without { $0.request.url.path.hasPrefix("/.well-known") }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        let other = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["authorization_endpoint"] = .string("https://id.harbour.example/other/authorize")
        }
        #expect(other.finding(rule) == nil)
    }

    @Test(arguments: [
        ("https://id.harbour.example/7f9c/v2.0", true), ("https://id.harbour.example/v2.0", false),
        ("https://id.harbour.example/a/b/v2.0", false), ("https://id.harbour.example//v2.0", false),
    ])
    func fillsInTheTenant(issuer: String, holds: Bool) throws {
        let recording = try Recording(broken).redirecting(with: [("iss", issuer)]).editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["issuer"] = .string("https://id.harbour.example/{tenantid}/v2.0") }
        #expect((recording.finding(rule) == nil) == holds)
    }
}
