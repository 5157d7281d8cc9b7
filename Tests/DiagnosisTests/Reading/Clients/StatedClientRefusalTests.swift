import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct StatedClientRefusalTests {
    private let rule = "client-auth-duplicate"
    private let oneMethod = "token-request/client-auth-duplicate.near-miss"

    /// A client_id beside the header is no second method: a provider that counts it as one says so itself.
    @Test(arguments: [
        ("invalid_request", "Client must not use multiple authentication methods", true),
        ("invalid_request", "client authentication must only be provided using one mechanism", true),
        ("invalid_request", "The request is malformed", false),
        ("invalid_grant", "Multiple authentication methods were used for this login", false),
    ])
    func clientThatIsNamedTwiceIsToldWithTheRefusal(error: String, words: String, isTold: Bool) throws {
        let recording = try Recording(oneMethod).sending("client_id", "shop-web").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": .string(words)]
        )
        #expect(recording.finding(rule) == nil)
        let finding = recording.finding("token-endpoint-error")
        #expect((finding?.title.contains("counts client_id") ?? false) == isTold)
        guard isTold, let finding else { return }
        #expect(finding.isPrimary)
        #expect(
            finding.places.suffix(2) == ["4 request.header Authorization", "4 request.body client_id"]
        )
        let unnamed = try #require(recording.sending("client_id", nil).finding("token-endpoint-error"))
        #expect(!unnamed.title.contains("counts client_id"))
    }

    /// That a client is a public one is not always said of the secret that it sent.
    @Test(arguments: [
        (
            "AADSTS700025: Client is public so neither client_assertion nor client_secret should be presented.",
            true
        ),
        ("shop-web is a public client", false),
    ])
    func publicClientIsToldOfItsSecretAlone(words: String, isTold: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(words)]
        )
        let finding = try #require(recording.finding("token-invalid-client"))
        #expect(finding.title.contains("registered as a public one") == isTold)
    }

    /// Another name beside the header is no second method, and a pushed request has to have its own.
    @Test func leavesAClientIDThatIsNoneOfTheHeadersAlone() throws {
        let words = "Client must not use multiple authentication methods"
        let recording = try Recording(oneMethod).sending("client_id", "shop-app")
            .answering("/token", 400, ["error": "invalid_request", "error_description": .string(words)])
        #expect(recording.finding(rule) == nil)
        #expect(!recording.findings.contains { $0.title.contains("counts client_id") })
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
        #expect(!pushed.findings.contains { $0.title.contains("counts client_id") })
    }

    /// A pushed request is refused in the same words; its own finding has them, too.
    @Test(arguments: [
        ("Wrong authentication method used, MUST use 'client_secret_basic'", true), ("", false),
    ])
    func pushedRequestHasTheWordsAsWell(words: String, isTold: Bool) throws {
        let recording = try Recording("authorization-request/par-rejected")
            .answering("/par", 401, ["error": "invalid_client", "error_description": .string(words)])
        let title = "The provider wants the client to authenticate in another way"
        let finding = try #require(recording.finding("par-rejected"))
        #expect(finding.isPrimary)
        #expect((finding.title == title) == isTold)
        #expect((recording.finding("token-invalid-client")?.title == title) == isTold)
        #expect(finding.places.last?.hasSuffix("request.body client_secret") == isTold)
        #expect(recording.finding("client-auth-method-unsupported") == nil)
    }
}
