import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// Without a list in the metadata the refusal's own finding says which method the provider asks for, and the rule that compares says nothing.
struct StatedAuthenticationMethodTests {
    private let rule = "client-auth-method-unsupported"
    private let symptom = "token-invalid-client"
    private let broken = "token-request/token-invalid-client"
    private let asked = "The provider wants the client to authenticate in another way"
    private let forbidden = "The provider refuses the way in which the client authenticates"

    private func refused(_ words: String, _ error: String = "invalid_client") throws -> Recording {
        try Recording(broken).answering(
            "/token",
            401,
            ["error": .string(error), "error_description": .string(words)]
        )
    }

    /// What is said of a refusal in these words: the method that is asked for; nil where the rule's own title stands.
    private func expectMethod(_ method: String?, of recording: Recording) throws {
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary)
        #expect((finding.title == asked) == (method != nil))
        #expect(
            finding.notes.contains { $0.hasPrefix("the method that was used; the provider asks for") }
                == (method != nil)
        )
        if let method { #expect(finding.notes.contains { $0.hasSuffix("asks for \(method)") }) }
        #expect(recording.finding(rule) == nil)
    }

    /// Strava and others look for the id in the body alone.
    @Test(
        arguments: [
            (["message": "Bad Request", "errors": [["field": "client_id", "code": "invalid"]]], nil, true),
            (["error": "invalid_request", "error_description": "Missing parameter: client_id"], nil, true),
            (
                ["error": "invalid_request", "error_description": "Missing parameter: client_id"], "shop-web",
                false
            ),
            (
                ["error": "invalid_request", "error_description": "Missing parameter: code_verifier"], nil,
                false
            ),
            (
                ["error": "invalid_request", "error_description": "client_id or client_secret missing"], nil,
                false
            ),
            (
                [
                    "error": "invalid_request",
                    "error_description": "A verifier is required (client_id shop-web)",
                ], nil, false
            ),
            (["message": "Bad Request", "errors": [["field": "code", "code": "invalid"]]], nil, false),
        ] as [(JSONValue, String?, Bool)]
    )
    func refusalMissesTheIDInTheBody(error: JSONValue, id: String?, isTold: Bool) throws {
        let recording = try Recording(broken).sending("client_id", id).answering("/token", 400, error)
        let finding = recording.finding("token-endpoint-error")
        #expect((finding?.title == "The provider looks for the client's id in the body") == isTold)
        #expect(recording.finding(rule) == nil)
        guard isTold, let finding else { return }
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.fix.contains("ClientSecretPost"))
        #expect(
            finding.places.suffix(2) == ["4 request.header Authorization", "4 request.body client_id"]
        )
    }

    /// Fitbit misses the header, and names no method.
    @Test(arguments: [
        ("Invalid authorization header format. Received header = null", true, false),
        ("Invalid authorization header format. Received header = null", true, true),
        ("The client is not trusted", false, false),
    ])
    func refusalMissesTheHeader(text: String, isTold: Bool, isOfItsOwn: Bool) throws {
        let error: JSONValue =
            isOfItsOwn
            ? ["success": false, "errors": [["errorType": "invalid_client", "message": .string(text)]]]
            : ["error": "invalid_client", "error_description": .string(text)]
        let recording = try Recording(broken).sendingHeader("Authorization", nil, to: "/token")
            .sending("client_id", "shop-web").sending("client_secret", "not-a-secret-4711")
            .answering("/token", 401, error)
        try expectMethod(isTold ? "client_secret_basic" : nil, of: recording)
    }

    @Test(
        arguments: [
            ("Wrong authentication method used, MUST use 'client_secret_post'", "client_secret_post"),
            ("client_secret_basic is not client_secret_post", nil), ("Authentication failed", nil),
        ] as [(String, String?)]
    )
    func refusalNamesTheMethod(text: String, method: String?) throws {
        try expectMethod(method, of: refused(text))
    }

    /// A list that has the method is no list that lacks it, whatever the refusal says.
    @Test(arguments: [["client_secret_basic", "client_secret_post"], ["client_secret_post"]])
    func listIsComparedAllTheSame(list: [String]) throws {
        let recording = try Recording("token-request/client-auth-method-unsupported")
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["token_endpoint_auth_methods_supported"] = .array(list.map { .string($0) })
            }
            .answering(
                "/token",
                401,
                ["error": "invalid_client", "error_description": "MUST use 'client_secret_post'"]
            )
        let finding = try #require(recording.finding(symptom))
        #expect(finding.title == asked)
        #expect(finding.isPrimary == (list.count == 2))
        #expect((recording.finding(rule) == nil) == (list.count == 2))
    }

    /// Authelia's words: the method is one of the provider's, and not one of this client's.
    ///
    /// ForgeRock and PingOne name none.
    @Test(arguments: [
        (
            "The request was determined to be using 'token_endpoint_auth_method' method 'client_secret_basic', however the OAuth 2.0 client registration does not allow this method.",
            true
        ), ("The secret of client_secret_basic is wrong", false),
        ("Wrong authentication method used", true), ("Authentication failed", false),
        ("Invalid authentication method for accessing this endpoint.", true),
        ("Request denied: Unsupported authentication method (Correlation ID: 1)", true),
        ("auth_method post not supported", true),
        ("Invalid authentication for this endpoint", false),
    ])
    func methodThatTheClientMayNotUseIsTold(words: String, isForbidden: Bool) throws {
        let recording = try refused(words)
        let finding = try #require(recording.finding(symptom))
        #expect(finding.isPrimary)
        #expect((finding.title == forbidden) == isForbidden)
        #expect(finding.notes.contains("the method that was used") == isForbidden)
        #expect(recording.finding(rule) == nil)
    }

    /// Hydra's words name both methods, and the one that was used once more.
    @Test(
        arguments: [
            ("client_secret_basic", "client_secret_post", nil),
            ("client_secret_post", "client_secret_basic", "client_secret_post"),
            ("none", "client_secret_basic", "none"),
        ] as [(String, String, String?)]
    )
    func methodThatIsSetAgainstTheOneUsedIsTold(supported: String, requested: String, asked: String?) throws {
        let words = """
            Client authentication failed (e.g., unknown client). The OAuth 2.0 Client supports client authentication method '\(supported)', but method \
            '\(requested)' was requested. You must configure the client's 'token_endpoint_auth_method' value to accept '\(requested)'.
            """
        try expectMethod(asked, of: refused(words))
        // Its older ones stand in other quotes.
        try expectMethod(asked, of: refused(words.replacing("'", with: "\"")))
    }

    /// Authelia's words name both methods where it is told to say more, in two ways.
    @Test(
        arguments: [
            (
                "The request was determined to be using 'token_endpoint_auth_method' method 'client_secret_basic', however the OAuth 2.0 client registration does not allow this method. The registered client with id 'shop' is configured to only support 'token_endpoint_auth_method' method 'client_secret_post'.",
                "client_secret_post"
            ),
            (
                "The registered client with id 'shop' is configured to only support 'token_endpoint_auth_method' method 'client_secret_post', but the method 'client_secret_basic' was determined to be used.",
                "client_secret_post"
            ),
            (
                "The registered client with id 'shop' is configured to only support 'token_endpoint_auth_method' method 'client_secret_basic', and its secret is another one.",
                nil
            ),
        ] as [(String, String?)]
    )
    func methodThatTheRegistrationNamesIsTold(words: String, asked: String?) throws {
        try expectMethod(asked, of: refused(words))
    }

    /// X misses the header of a client that has sent its secret in the body.
    @Test(arguments: [
        (true, "Missing valid authorization header", true), (true, "Invalid client", false),
        (false, "Missing valid authorization header", false),
    ])
    func missingHeaderIsAskedFor(isInBody: Bool, words: String, isTold: Bool) throws {
        var recording = try refused(words, "unauthorized_client")
        if isInBody {
            recording = recording.sendingHeader("Authorization", nil, to: "/token")
                .sending("client_id", "shop-web").sending("client_secret", "not-a-secret")
        }
        try expectMethod(isTold ? "client_secret_basic" : nil, of: recording)
    }

    /// A client that falls back to the other method, and is let in, has nothing to change.
    @Test func isNotToldWhereTheNextTryIsLetIn() throws {
        var recording = try refused("MUST use 'client_secret_post'")
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .milliseconds(100)
        second.response = RecordedResponse(
            status: 200,
            body: Body(
                text: #"{"access_token":"access","token_type":"Bearer"}"#,
                mediaType: "application/json"
            )
        )
        recording.exchanges.append(second)
        let finding = try #require(recording.finding(symptom))
        #expect(finding.severity == .note && finding.title != asked)
    }
}
