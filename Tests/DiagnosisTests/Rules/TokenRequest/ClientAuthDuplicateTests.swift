import Captures
import Diagnosis
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

    /// A client_id beside the header is no second method, but for a provider that says so.
    @Test(arguments: [
        ("invalid_request", "Client must not use multiple authentication methods", true),
        ("invalid_request", "client authentication must only be provided using one mechanism", true),
        ("invalid_request", "The request is malformed", false),
        ("invalid_grant", "Multiple authentication methods were used for this login", false),
    ])
    func tellsThatTheClientIsNamedTwice(error: String, words: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").sending("client_id", "shop-web").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": .string(words)]
        )
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary && finding.title.contains("counts client_id"))
        #expect(
            finding.places == [
                "4 request.header Authorization", "4 request.body client_id", "4 response.body error",
            ]
        )
        #expect(recording.sending("client_id", nil).finding(rule) == nil)
    }

    /// Another name beside the header is no second method, and a pushed request has to have its own.
    @Test func leavesAClientIDThatIsNoneOfTheHeadersAlone() throws {
        let words = "Client must not use multiple authentication methods"
        let recording = try Recording(broken + ".near-miss").sending("client_id", "shop-app")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(words)])
        #expect(recording.finding(rule) == nil)
        let pushed = try Recording("authorization-request/par-rejected")
            .sending("client_secret", nil, to: "/par")
            .sendingHeader(
                "Authorization",
                "Basic " + Base64.encode("shop-web:not-a-secret".utf8),
                to: "/par"
            )
            .answering("/par", 401, ["error": "invalid_client", "error_description": .string(words)])
        #expect(pushed.finding("token-invalid-client") != nil)
        #expect(pushed.finding(rule) == nil)
    }

    @Test func isAWarningWhereTheCodeWasRefused() throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": "invalid_grant"])
        #expect(recording.finding(rule)?.severity == .warning)
    }
}
