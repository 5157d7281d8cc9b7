import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientAuthMethodUnsupportedTests {
    private let rule = "client-auth-method-unsupported"
    private let broken = "token-request/client-auth-method-unsupported"

    @Test func namesListAndMethod() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "0 response.body token_endpoint_auth_methods_supported", "5 request.header Authorization",
                "5 response.body error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["client_secret_post", "client_secret_basic"])
    }

    /// A list that is longer by the next login was short.
    @Test func goesByTheMetadataOfTheTime() throws {
        let recording = try Recording(broken)
        let later = try recording.rereadingMetadata {
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post", "client_secret_basic"]
        }
        #expect(later.finding(rule)?.isPrimary == true)
        #expect(later.finding(rule)?.places == recording.finding(rule)?.places)
    }

    @Test func leavesAPublicClientAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func isAWarningWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).granted().finding(rule)?.severity == .warning)
    }

    @Test func saysNothingOfAListedMethod() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = ["client_secret_post", "client_secret_basic"]
        }
        #expect(recording.finding(rule) == nil)
    }

    /// The provider may take it for one thing and refuse it for the next.
    @Test func refusalGoesBeforeWhatWasTaken() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        second.startedAt = second.endedAt + .seconds(60)
        recording = recording.granted()
        #expect(recording.finding(rule)?.severity == .warning)
        recording.exchanges.append(second)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error)
        #expect(finding.evidence.last?.place.exchange == recording.exchanges.count - 1)
    }

    @Test func abstainsWithoutAList() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func leavesMetadataOfAnotherProviderOfTheHostAlone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            document in
            for name in [
                "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "end_session_endpoint",
            ] {
                document[name] = .string("https://id.harbour.example/other/" + name)
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [("HS256", "client_secret_jwt"), ("ES256", "private_key_jwt")])
    func tellsTheKindsOfAssertionsApart(
        algorithm: String,
        method: String
    ) throws {
        let token = "\(encoded("{\"alg\":\"\(algorithm)\"}")).e30.c2ln"
        let recording = try Recording(broken).editing {
            $0.request.headers.remove("Authorization")
        }
        .sending("client_assertion", token)
        #expect(recording.finding(rule)?.evidence[1].value == method)
    }
}
