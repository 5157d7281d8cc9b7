import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ResourceIndicatorMismatchTests {
    private let rule = "resource-indicator-mismatch"
    private let broken = "authorization-request/resource-indicator-mismatch"

    @Test func namesBothValues() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "2 request.query resource", "4 request.body resource", "4 response.body error",
            ]
        )
        #expect(
            finding.evidence.map(\.value).prefix(2) == [
                "https://tools.harbour.example/mcp", "https://tools.harbour.example",
            ]
        )
    }

    /// What the token endpoint says of something else has a cause of its own.
    @Test(arguments: [("invalid_target", true), ("invalid_request", false)])
    func explainsWhatTheTokenEndpointSaysOfIt(error: String, isEffect: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/token") { $0["error"] = .string(error) }
        let restated = try #require(recording.finding("token-endpoint-error"))
        #expect(recording.finding(rule) != nil)
        #expect((restated.effectOf == rule) == isEffect)
    }

    /// A request object names the provider by `aud`.
    @Test func audienceOfARequestObjectIsNoServer() throws {
        let login = try Recording("authorization-request/request-object-invalid")
            .redirecting(with: [("error_description", "aud is invalid")])
        #expect(login.finding(rule) == nil)
        #expect(login.finding("request-object-invalid")?.isPrimary == true)
    }

    @Test func leavesATokenRequestWithoutAResourceAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func comparesWithTheMetadata() throws {
        let recording = try Recording(broken + ".near-miss").asking(
            "resource",
            "https://tools.harbour.example/mcp/"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 response.body resource", "2 request.query resource"])
        #expect(finding.notes == ["a \"/\" too many at the end"])
    }

    /// An origin that was read as a URL has a slash; a path has it or has it not, and a provider may compare strings.
    @Test(
        arguments: [
            ("https://tools.harbour.example", "https://tools.harbour.example/", nil, false),
            ("https://tools.harbour.example/", "https://tools.harbour.example", nil, false),
            ("https://tools.harbour.example/mcp", "https://tools.harbour.example/mcp/", nil, true),
            ("https://tools.harbour.example", "https://tools.harbour.example:8443/", nil, true),
            ("https://tools.harbour.example", "https://tools.harbour.example/", "invalid_target", true),
        ] as [(String, String, String?, Bool)]
    )
    func leavesTheSlashOfAnOriginAlone(stated: String, sent: String, error: String?, fires: Bool) throws {
        var recording = try Recording(broken + ".near-miss").asking("resource", sent).editing { exchange in
            guard exchange.request.url.path.contains("oauth-protected-resource") else { return }
            exchange.response?.body = Body(
                text: #"{"resource":"\#(stated)","authorization_servers":["https://id.harbour.example"]}"#,
                mediaType: "application/json"
            )
        }
        if let error { recording = recording.answering("/token", 400, ["error": .string(error)]) }
        #expect((recording.finding(rule) != nil) == fires)
        guard error == nil else { return }
        // Where the resource does not take the token, that may be all that is wrong with it.
        let useless = recording.answering("/mcp", 401, ["error": "invalid_token"])
        #expect(useless.finding(rule)?.severity == .error)
    }

    @Test func leavesEqualStringsAlone() throws {
        #expect(
            try Recording("authorization-request/resource-indicator-missing.near-miss").finding(rule) == nil
        )
    }

    @Test func leavesOneOfSeveralAlone() throws {
        let recording = try Recording(broken + ".near-miss").editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.request.url = RecordedURL(
                exchange.request.url.text + "&resource=https%3A%2F%2Fother.example"
            )
        }
        #expect(recording.finding(rule) == nil)
    }

    /// The client sent what the resource's metadata name; without those nobody knows.
    @Test(arguments: [true, false]) func tellsAResourceThatTheProviderDoesNotTake(isStated: Bool) throws {
        let refused = try Recording(broken + ".near-miss")
            .redirecting(to: "example.shop.app:/oauth2redirect?error=invalid_target")
        let recording = isStated ? refused : refused.without { $0.request.url.path.contains("well-known") }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("does not take the resource") == isStated)
        #expect(finding.explanation.contains("did as it should") == isStated)
    }

    @Test func readsARefusalAlone() throws {
        let recording = try Recording("authorization-request/scope-rejected").redirecting(
            to: "https://www.shop.example/callback?error=invalid_target"
        )
        #expect(recording.finding(rule)?.places.last == "2 response.location error")
    }

    /// The name of the error may stand among the words of a page.
    @Test(arguments: [
        ("<h1>Authentication error</h1><p>invalid_target: this server has no such resource</p>", true),
        ("<h1>Authentication error</h1><p>No such resource</p>", false),
        ("<h1>Authentication error</h1><p>Errors: invalid_request, invalid_target, server_error</p>", false),
    ])
    func readsTheErrorOnAPage(page: String, fires: Bool) throws {
        let recording = try Recording("authorization-request/scope-rejected")
            .asking("resource", "https://tools.harbour.example/mcp").saying(page)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary ?? false) == fires)
        #expect((recording.finding("authorization-error") == nil) == fires)
    }

    /// Entra compares the resource with the scopes, and says so in a page of its own.
    @Test(arguments: [true, false]) func namesTheScopesThatEntraComparesItWith(isPage: Bool) throws {
        let words =
            "AADSTS9010010: The resource parameter provided in the request doesn't match with the requested scopes."
        let asked = try Recording("authorization-request/scope-rejected")
            .asking("resource", "https://tools.harbour.example/mcp")
        let recording =
            isPage
            ? asked.saying("<title>Sign in to your account</title><p>\(words)</p>", status: 200)
            : asked.redirecting(
                to: Recording.changing(
                    "https://www.shop.example/callback?error=invalid_target",
                    "error_description",
                    words
                )
            )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "2 request.query resource", "2 request.query scope",
                isPage ? "2 response.body " : "2 response.location error",
            ]
        )
        #expect(finding.fix.contains("Application ID URI"))
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsARefusalOfAnyTokenRequest() throws {
        let recording = try Recording("healthy/refresh").answering("/token", 400, ["error": "invalid_target"])
        #expect(recording.finding(rule)?.severity == .error)
    }

    @Test func saysNothingWithoutAResource() throws {
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    private func tokenExchange() throws -> Recording {
        try Recording("healthy/web-code-flow")
            .sending("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
            .sending("audience", "stock-api")
    }

    /// Keycloak calls an audience that it does not know a client that it does not know, and others have other names for it.
    @Test(arguments: [
        ("invalid_target", "unknown", nil), ("invalid_client", "Audience not found", "token-invalid-client"),
        ("invalid_request", "Audience not found", "token-endpoint-error"),
    ])
    func readsTheAudienceOfATokenExchange(error: String, description: String, symptom: String?) throws {
        let recording = try tokenExchange()
            .answering(
                "/token",
                400,
                ["error": .string(error), "error_description": .string(description)]
            )
        let exchange = recording.without { $0.request.url.path != "/token" }
        #expect((exchange.finding(rule) == nil) == (symptom != nil))
        let finding = try #require(exchange.finding(symptom ?? rule))
        #expect(finding.isPrimary)
        #expect(finding.places.contains("0 request.body audience"))
        #expect(finding.title == "The provider issues no token for the target that is asked for")
    }

    @Test func credentialsOfATokenExchangeAreAnotherMatter() throws {
        let recording = try tokenExchange()
            .answering(
                "/token",
                400,
                ["error": "invalid_client", "error_description": "Invalid client credentials"]
            )
        let finding = recording.without { $0.request.url.path != "/token" }.finding("token-invalid-client")
        #expect(finding != nil && finding?.title.contains("target") == false)
    }

    /// Entra takes no resource at its newer endpoint, whatever it names.
    @Test func knowsAParameterThatEntraDoesNotTake() throws {
        let words = "AADSTS901002: The 'resource' request parameter isn't supported."
        let recording = try Recording("authorization-request/scope-rejected")
            .asking("resource", "https://tools.harbour.example/mcp")
            .redirecting(
                to: Recording.changing(
                    "https://www.shop.example/callback?error=invalid_request",
                    "error_description",
                    words
                )
            )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider takes no resource parameter")
        #expect(finding.places.first == "2 request.query resource")
        #expect(recording.finding("authorization-error") == nil)
    }
}
