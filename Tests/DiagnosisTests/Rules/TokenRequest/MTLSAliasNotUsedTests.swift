import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct MTLSAliasNotUsedTests {
    private let rule = "mtls-alias-not-used"
    private let broken = "token-request/mtls-alias-not-used"

    @Test func namesBothURLs() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body mtls_endpoint_aliases", "5 request.url ", "5 response.body error",
            ]
        )
        #expect(finding.evidence[0].value == "https://mtls.harbour.example/token")
        #expect(recording.finding("client-auth-missing") == nil)
    }

    @Test func leavesTheAliasAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func saysNothingWithoutAnAlias() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["mtls_endpoint_aliases"] = nil
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingOfAClientWithASecret() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post", "tls_client_auth"]
        }
        #expect(recording.finding(rule) == nil)
    }

    /// Where the provider takes secrets as well, the registration tells of a certificate.
    @Test(arguments: [
        ("tls_client_auth", true), ("self_signed_tls_client_auth", true), ("client_secret_post", false),
    ])
    func clientThatRegisteredACertificateIsOne(method: String, fires: Bool) throws {
        var recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post", "tls_client_auth"]
        }
        let asked = recording.flows.first?.authorizationRequests.first
        let client = try #require(asked?.clientID)
        var registration = try #require(recording.exchanges.first)
        registration.startedAt = registration.startedAt - .seconds(60)
        registration.request.method = "POST"
        registration.request.url = RecordedURL("https://id.harbour.example/register")
        registration.response = RecordedResponse(
            status: 201,
            body: .json(#"{"client_id":"\#(client)","token_endpoint_auth_method":"\#(method)"}"#)
        )
        recording.exchanges.insert(registration, at: 0)
        #expect((recording.finding(rule)?.isPrimary ?? false) == fires)
    }

    /// Some providers write their one address twice.
    @Test func aliasThatIsTheEndpointItselfIsNone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["mtls_endpoint_aliases"] = .object(["token_endpoint": $0["token_endpoint"] ?? .null])
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    /// RFC 8705, section 5: other endpoints have their alias, too.
    @Test(arguments: [("https://mtls.harbour.example/par", true), (nil, false)])
    func countsAtThePushedRequest(alias: String?, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["pushed_authorization_request_endpoint"] = "https://id.harbour.example/par"
            var aliases = $0["mtls_endpoint_aliases"]?.object ?? JSONObject()
            aliases["pushed_authorization_request_endpoint"] = alias.map { .string($0) }
            $0["mtls_endpoint_aliases"] = .object(aliases)
        }.authenticatingAtPAR
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary ?? false) == fires)
        if let finding {
            #expect(finding.evidence[0].value == alias)
            #expect(finding.fix.contains("mtls_endpoint_aliases.pushed_authorization_request_endpoint"))
        }
    }
}
