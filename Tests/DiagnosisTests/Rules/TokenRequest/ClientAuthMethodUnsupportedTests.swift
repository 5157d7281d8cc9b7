import Captures
import Diagnosis
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

    @Test func abstainsWithoutAList() throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = nil
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
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
    func believesARefusalThatMissesTheIDInTheBody(error: JSONValue, id: String?, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = nil
        }
        .sendingHeader("Authorization", "Basic " + Base64.encode("shop-web:s3cret".utf8), to: "/token")
        .sending("client_id", id).sending("client_secret", nil)
        .answering("/token", 400, error)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.isPrimary && finding.severity == .error)
            #expect(finding.fix.contains("ClientSecretPost"))
        }
    }

    /// Fitbit misses the header, and names no method.
    @Test(arguments: [
        ("Invalid authorization header format. Received header = null", true, false),
        ("Invalid authorization header format. Received header = null", true, true),
        ("The client secret is wrong", false, false),
    ])
    func believesARefusalThatMissesTheHeader(text: String, fires: Bool, isOfItsOwn: Bool) throws {
        let error: JSONValue =
            isOfItsOwn
            ? ["success": false, "errors": [["errorType": "invalid_client", "message": .string(text)]]]
            : ["error": "invalid_client", "error_description": .string(text)]
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = nil
        }
        .sendingHeader("Authorization", nil, to: "/token")
        .sending("client_id", "shop-web").sending("client_secret", "not-a-secret-4711")
        .answering("/token", 401, error)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.isPrimary && finding.severity == .error)
            #expect(finding.notes.contains("asks for client_secret_basic"))
        }
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

    @Test(
        "Without a list the provider may say it: which method it wants, and not the one that was used.",
        arguments: [
            ("Wrong authentication method used, MUST use 'client_secret_post'", true),
            ("client_secret_basic is not client_secret_post", false), ("Incorrect client_secret", false),
        ]
    )
    func believesARefusalThatNamesTheMethod(text: String, fires: Bool) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["token_endpoint_auth_methods_supported"] = nil
        }.answering("/token", 401, ["error": "invalid_client", "error_description": .string(text)])
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary)
        #expect(finding.places == ["5 response.body error", "5 request.header Authorization"])
        #expect(finding.notes == ["asks for client_secret_post", "the method that was used"])
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
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

    /// Authelia's words: the method is one of the provider's, and not one of this client's.
    @Test(arguments: [
        (
            "The request was determined to be using 'token_endpoint_auth_method' method 'client_secret_basic', however the OAuth 2.0 client registration does not allow this method.",
            true
        ), ("The secret of client_secret_basic is wrong", false),
        ("Wrong authentication method used", true), ("Authentication failed", false),
    ])
    func methodThatTheClientMayNotUseIsTold(words: String, isForbidden: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isForbidden)
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
        try expectMethod(asked, of: words)
        // Its older ones stand in other quotes.
        try expectMethod(asked, of: words.replacing("'", with: "\""))
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
        try expectMethod(asked, of: words)
    }

    /// What is told of a server that refuses the client in these words.
    private func expectMethod(_ asked: String?, of words: String) throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(words)]
        )
        let finding = recording.finding(rule)
        #expect(finding?.isPrimary == (asked == nil ? nil : true))
        #expect(finding?.notes.first == asked.map { "asks for \($0)" })
    }

    /// X misses the header of a client that has sent its secret in the body.
    @Test(arguments: [
        (true, "Missing valid authorization header", true), (true, "Invalid client", false),
        (false, "Missing valid authorization header", false),
    ])
    func missingHeaderIsAskedFor(isInBody: Bool, words: String, fires: Bool) throws {
        var recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            401,
            ["error": "unauthorized_client", "error_description": .string(words)]
        )
        if isInBody {
            recording = recording.editing { exchange in
                exchange.request.headers.remove("authorization")
            }
            .sending("client_id", "shop-web").sending("client_secret", "not-a-secret")
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        guard let finding else { return }
        #expect(finding.isPrimary && finding.notes.first == "asks for client_secret_basic")
        #expect(finding.places.last == "\(finding.places[0].prefix(1)) request.body client_secret")
    }

    /// ForgeRock and PingOne name no method.
    @Test(arguments: [
        ("Invalid authentication method for accessing this endpoint.", true),
        ("Request denied: Unsupported authentication method (Correlation ID: 1)", true),
        ("auth_method post not supported", true),
        ("Invalid authentication for this endpoint", false),
    ])
    func believesARefusalThatNamesNone(words: String, fires: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            401,
            ["error": "invalid_client", "error_description": .string(words)]
        )
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        guard let finding else { return }
        #expect(finding.places == ["4 response.body error", "4 request.header Authorization"])
        #expect(finding.evidence[1].value == "client_secret_basic")
    }
}
