import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientAssertionMissingTests {
    private let rule = "client-assertion-missing"
    private let broken = "token-request/client-assertion-missing"
    private let assertion = "\(encoded("{\"alg\":\"ES256\"}")).e30.c2ln"

    @Test func namesTheListAndWhatIsMissing() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body token_endpoint_auth_methods_supported", "5 request.body client_assertion",
                "5 response.body error",
            ]
        )
        #expect(recording.finding("client-auth-missing") == nil)
    }

    @Test func leavesAProviderThatTakesSecretsAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("client-auth-missing") != nil)
    }

    @Test func wantsTheTypeAsWell() throws {
        let recording = try Recording(broken).sending("client_assertion", assertion)
        #expect(recording.finding(rule)?.places[1] == "5 request.body client_assertion_type")
        let complete = recording.sending("client_assertion_type", ClientAssertion.type)
        #expect(complete.finding(rule) == nil)
        let other = recording.sending("client_assertion_type", "jwt-bearer")
        #expect(other.finding(rule)?.evidence[1].value == "jwt-bearer")
    }

    /// An attestation is named by its type, and stands in the assertion's place.
    @Test(arguments: ["", "e30.e30.c2ln"]) func wantsAnAttestationBehindItsType(assertion: String) throws {
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-client-attestation"
        let recording = try Recording(broken).sending("client_assertion_type", type)
            .sending("client_assertion", assertion)
        #expect((recording.finding(rule) != nil) == assertion.isEmpty)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule) == nil)
    }

    @Test func saysNothingOfARefusedCode() throws {
        #expect(
            try Recording(broken).answering("/token", 400, ["error": "invalid_grant"]).finding(rule) == nil
        )
    }

    @Test("MyInfo's third version is asked with a signature in the header.", arguments: ["v3", "v4"])
    func leavesRequestsThatAreSignedAlone(version: String) throws {
        let recording = try Recording("token-request/client-auth-missing").editing { exchange in
            let url = exchange.request.url.text.replacing(
                "id.harbour.example",
                with: "test.api.myinfo.gov.sg"
            )
            exchange.request.url = RecordedURL(url.replacing(".sg/token", with: ".sg/com/\(version)/token"))
            guard exchange.request.url.path.hasSuffix("/token") else { return }
            exchange.request.headers.append("Authorization", "PKI_SIGN app_id=\"shop\",nonce=\"1\"")
        }.without { $0.request.url.path.contains("well-known") }
        #expect((recording.finding(rule) != nil) == (version == "v4"))
    }

    @Test func knowsProvidersThatTakeNothingElse() throws {
        let recording = try Recording("token-request/client-auth-missing").editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing("id.harbour.example", with: "stg-id.singpass.gov.sg")
                )
            }
        }
        #expect(recording.finding(rule) != nil)
        #expect(recording.finding("client-auth-missing") == nil)
    }

    /// A secret where only assertions are taken is one fault, told once.
    @Test func speaksForTheMethodToo() throws {
        let recording = try Recording(broken).sending("client_secret", "not-a-secret")
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("client-auth-method-unsupported") == nil)
    }

    /// Where no metadata says so, the provider's word stands with the refusal.
    @Test(arguments: [
        ("The request body must contain client_assertion", true),
        (
            "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
            false
        ), ("client_assertion is of the wrong type", false),
    ]) func leavesTheProvidersWordToTheRefusal(words: String, isMissing: Bool) throws {
        let recording = try Recording(broken).without {
            $0.request.url.path == "/.well-known/openid-configuration"
        }
        #expect(recording.finding(rule) == nil)
        let worded = recording.answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(words)]
        )
        #expect(worded.finding(rule) == nil)
        #expect(worded.finding("client-auth-missing")?.isPrimary == true)
        let finding = try #require(worded.finding("token-invalid-client"))
        #expect((finding.title == "The provider asks for a client assertion") == isMissing)
        #expect((finding.places.last == "4 request.body client_assertion") == isMissing)
    }
}
