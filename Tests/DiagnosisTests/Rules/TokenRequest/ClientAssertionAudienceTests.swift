import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct ClientAssertionAudienceTests {
    private let rule = "client-assertion-audience"
    private let broken = "token-request/client-assertion-audience"

    @Test func namesTheAudienceAndWhatItMayBe() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 jwt.claims aud", "0 response.body issuer", "0 response.body token_endpoint",
                "5 request.url ",
                "5 response.body error",
            ]
        )
        #expect(finding.evidence[0].value == "https://staging.id.harbour.example")
        #expect(
            finding.evidence[0].note
                == "host staging.id.harbour.example instead of id.harbour.example"
        )
    }

    @Test func leavesAListWithTheEndpointAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("https://id.harbour.example", true), ("https://id.harbour.example/token", true),
        ("https://id.harbour.example/", false), ("https://mtls.harbour.example/token", true),
        ("shop-web", false),
    ]) func knowsWhatItMayBe(audience: String, isRight: Bool) throws {
        let recording = try Recording(broken).asserting { $0["aud"] = .string(audience) }
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["mtls_endpoint_aliases"] = ["token_endpoint": "https://mtls.harbour.example/token"]
            }
        #expect((recording.finding(rule) == nil) == isRight)
    }

    /// MyInfo takes its endpoint's address alone, which behind a proxy is the one that the client has.
    @Test func goesByTheAddressThatTheClientAsked() throws {
        let recording = try Recording("providers/myinfo")
        #expect(recording.behindProxy(telling: "https").finding(rule) == nil)
        #expect(recording.behindProxy(telling: "http").finding(rule) != nil)
        #expect(recording.behindProxy(telling: nil).finding(rule) == nil)
        #expect(recording.withoutHosts().finding(rule) == nil)
        let nameless = try Recording(broken).withoutHosts()
        #expect(nameless.finding(rule) == nil && nameless.abstention(rule) != nil)
        #expect(try Recording(broken).asserting { $0["aud"] = nil }.withoutHosts().finding(rule) != nil)
    }

    /// A recorder may leave out, or write, the port that the scheme has anyway.
    @Test(arguments: [("443", true), ("8443", false)])
    func portOfTheSchemeMakesNoOtherEndpoint(port: String, isRight: Bool) throws {
        let recording = try Recording(broken).asserting {
            $0["aud"] = .string("https://id.harbour.example:\(port)/token")
        }
        #expect((recording.finding(rule) == nil) == isRight)
    }

    @Test func tellsAMissingAudience() throws {
        #expect(
            try Recording(broken).asserting { $0["aud"] = nil }.finding(rule)?.evidence[0].value == "missing"
        )
    }

    /// What is attested of an app has the claims of who attests it.
    @Test(arguments: [("jwt-bearer", true), ("jwt-client-attestation", false)])
    func leavesAnAttestationAlone(type: String, fires: Bool) throws {
        let recording = try Recording(broken).asserting { $0["aud"] = nil }
            .sending("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:" + type)
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding("client-assertion-missing") == nil)
        #expect(recording.finding("token-invalid-client") != nil)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }

    @Test func abstainsWithoutMetadata() throws {
        let recording = try Recording(broken).without {
            $0.request.url.path == "/.well-known/openid-configuration"
        }
        let other = recording.asserting { $0["aud"] = "https://id.harbour.example/realms/shop" }
        #expect(other.finding(rule) == nil)
        #expect(other.abstention(rule) != nil)
        #expect(recording.finding(rule) != nil)
    }

    /// The host that users sign in at is the provider's, too; of one that nobody saw it tells where the provider refused it.
    @Test(arguments: [
        ("https://id.harbour.example", false, false), ("https://id.harbour.example", true, false),
        ("https://elsewhere.example", false, true), ("https://elsewhere.example", true, false),
    ])
    func abstainsWhereTheTokenEndpointHasAnotherHost(audience: String, isTaken: Bool, fires: Bool) throws {
        let refused = try Recording(broken).without {
            $0.request.url.path == "/.well-known/openid-configuration"
        }.asserting { $0["aud"] = .string(audience) }
        let recording = (isTaken ? refused.granted() : refused).editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://api.harbour.example/token")
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) != fires)
    }

    /// Where clients with a certificate have a host of their own (RFC 8705, section 5).
    @Test(arguments: [
        ("https://id.harbour.example", false), ("https://staging.id.harbour.example", true),
        ("https://harbour.example", true),
    ])
    func abstainsAtTheHostForCertificatesWithoutMetadata(audience: String, fires: Bool) throws {
        let recording = try Recording(broken).without {
            $0.request.url.path == "/.well-known/openid-configuration"
        }.asserting { $0["aud"] = .string(audience) }.editing { exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://matls-id.harbour.example/token")
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) != fires)
    }

    @Test func leavesWhatCannotBeReadAlone() throws {
        #expect(try Recording(broken).sending("client_assertion", "not-a-token").finding(rule) == nil)
    }

    @Test func wantsTheIssuerAtSingpass() throws {
        let move: (Recording) -> Recording = { recording in
            recording.editing { exchange in
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
                )
                if let location = exchange.response?.location {
                    exchange.response?.redirect(
                        to: location.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
                    )
                }
                if let text = exchange.response?.body?.text,
                    exchange.request.url.path == "/.well-known/openid-configuration"
                {
                    exchange.response?.body = Body(
                        text: text.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg"),
                        mediaType: "application/json"
                    )
                }
            }
        }
        let recording = try move(Recording(broken))
        #expect(recording.flows.map(\.provider) == [.singpass])
        let toIssuer = recording.asserting { $0["aud"] = "https://stg-id.singpass.gov.sg" }
        let toEndpoint = recording.asserting { $0["aud"] = "https://stg-id.singpass.gov.sg/token" }
        #expect(toIssuer.finding(rule) == nil)
        #expect(toEndpoint.finding(rule) != nil)
    }
}
