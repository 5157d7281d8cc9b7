import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ClientSecretMismatchTests {
    private let rule = "client-secret-mismatch"
    private let broken = "token-request/client-secret-mismatch"

    @Test func namesBothSecretsByTwoCharactersAndLength() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "5 request.header Authorization", "0 response.body client_secret", "5 response.body error",
            ]
        )
        #expect(finding.evidence[0].value == "se…(33)")
        #expect(finding.evidence[1].value.utf8.count == "ab…(32)".utf8.count)
        #expect(recording.finding("token-invalid-client")?.effectOf == rule)
    }

    @Test func leavesAnEncodingThatMakesThemEqualAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("token-invalid-client") != nil)
    }

    @Test(arguments: [("a b/c", "a+b/c"), ("a+b/c", "a%2Bb%2Fc"), ("a%2Fb", "a/b"), ("a b", "a%20b")])
    func readsASecretInEveryEncoding(issued: String, sent: String) throws {
        let recording = try Recording(broken).editing { exchange in
            exchange.request.headers.remove("Authorization")
        }.sending("client_secret", sent).sending("client_id", try Recording(broken).flows.first?.clientID)
            .editingAnswer(of: "/register") { $0["client_secret"] = .string(issued) }
        #expect(recording.finding(rule) == nil)
        #expect(recording.sending("client_secret", "x" + sent).finding(rule) != nil)
    }

    /// Some answers have the member and keep the secret to themselves.
    @Test(arguments: ["", .null] as [JSONValue]) func secretThatIsNotToldIsNone(secret: JSONValue) throws {
        let told = try Recording(broken)
        let hidden = told.editingAnswer(of: "/register") { $0["client_secret"] = secret }
        #expect(hidden.finding(rule) == nil && hidden.abstention(rule) != nil)
        // Nor does it take back the one that was told before.
        var later = try #require(hidden.exchanges.first { $0.request.url.path == "/register" })
        later.startedAt = later.startedAt + .milliseconds(1)
        let finding = Recording(told.exchanges + [later]).finding(rule)
        #expect(finding?.places.dropFirst().first == "0 response.body client_secret")
    }

    /// The registration was read again, which gave the client another secret (RFC 7592, section 2.1).
    @Test func secretThatWasReplacedIsNotTheOne() throws {
        let sent = "a-secret-of-yesterday"
        var recording = try Recording(broken).editing { exchange in
            exchange.request.headers.remove("Authorization")
        }.sending("client_secret", sent).sending("client_id", try Recording(broken).flows.first?.clientID)
        var first = try #require(recording.exchanges.first { $0.request.url.path == "/register" })
        first.startedAt = first.startedAt - .seconds(60)
        var issued = try #require(first.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object)
        issued["client_secret"] = .string(sent)
        first.response?.body = Body(text: JSONWriter.text(of: .object(issued)), mediaType: "application/json")
        recording.exchanges.append(first)
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].note?.contains("in place of the one that was sent") == true)
    }

    /// Words that tell the secret from a client that is not known.
    @Test(arguments: [
        ("Client credentials are invalid.", "id.harbour.example", true),
        ("The specified client credentials are invalid.", "id.harbour.example", true),
        ("Unauthorized", "oauth2.googleapis.com", true), ("Unauthorized", "id.harbour.example", false),
        ("The OAuth client was not found.", "oauth2.googleapis.com", false),
    ])
    func knowsTheWordsOfProviders(text: String, host: String, isOne: Bool) throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/register" }
            .answering("/token", 401, ["error": "invalid_client", "error_description": .string(text)])
            .editing { exchange in
                let url = exchange.request.url.text.replacing("id.harbour.example", with: host)
                exchange.request.url = RecordedURL(url)
            }
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    /// Twitch names no error.
    @Test(arguments: [("invalid client secret", true), ("forbidden", false)])
    func readsTheWordsOfARefusalWithoutAName(words: String, fires: Bool) throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/register" }
            .answering("/token", 403, ["status": 403, "message": .string(words)])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    @Test func saysNothingWhereTheProviderTookIt() throws {
        let recording = try Recording(broken).granted()
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsB2CsNumberWhateverItsErrorIsCalled() throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            400,
            [
                "error": "invalid_grant",
                "error_description":
                    "AADB2C90081: The specified client_secret does not match the expected value for this client.",
            ]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [
        "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value",
        "AADSTS7000222: The provided client secret keys for app 'x' are expired.",
        "The provided client secret is invalid.", "Client secret expired", "Incorrect client_secret",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        let recording = try Recording("token-request/token-invalid-client")
            .answering("/token", 401, ["error": "invalid_client", "error_description": .string(text)])
        #expect(recording.finding(rule) != nil)
    }

    /// The built-in provider's among them.
    @Test(arguments: [
        ("the client secret is wrong", true), ("The client_secret is not correct.", true),
        ("Client_secret does not match", true), ("client_id or client_secret is wrong", false),
        ("Client ID and the client secret did not match", false), ("client_secret is missing", false),
        ("Client id or client secret is invalid", false), ("client_id/client_secret mismatch", false),
        ("Client ID or client secret is incorrect.", false), ("Client secret is incorrect.", true),
    ])
    func readsASentenceThatSpeaksOfTheSecretAlone(text: String, isOne: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client")
            .answering("/token", 401, ["error": "invalid_client", "error_description": .string(text)])
        #expect((recording.finding(rule) != nil) == isOne)
    }

    /// Entra's portal shows a secret's id beside its value, and goes on showing it.
    @Test(arguments: [
        ("3b1c9a2e-5d6f-4a7b-8c9d-0e1f2a3b4c5d", true), ("3b18Q~9a2e5d6f4a7b8c9d0e1f2a3b4c5dx-1234", false),
    ])
    func tellsTheIDOfAnEntraSecret(secret: String, isID: Bool) throws {
        let text = "AADSTS7000215: Invalid client secret provided."
        let recording = try Recording("token-request/token-invalid-client")
            .answering("/token", 401, ["error": "invalid_client", "error_description": .string(text)])
            .sendingHeader("Authorization", "Basic " + Base64.encode("shop-web:\(secret)".utf8), to: "/token")
            .editing { exchange in
                let tenant = "https://login.microsoftonline.com/contoso.example/oauth2/v2.0"
                exchange.request.url = RecordedURL(
                    exchange.request.url.text.replacing("https://id.harbour.example", with: tenant)
                )
                if let location = exchange.response?.location {
                    exchange.response?.redirect(
                        to: location.replacing("https://id.harbour.example", with: tenant)
                    )
                }
            }
        let finding = try #require(recording.finding(rule))
        #expect((finding.evidence[0].note?.hasPrefix("a GUID") ?? false) == isID)
    }

    @Test func knowsGitHubsRefusalWithStatus200() throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            200,
            ["error": "incorrect_client_credentials"]
        )
        #expect(recording.finding(rule) != nil)
    }

    @Test func abstainsWithoutTheRegistration() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/register" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingOfASanitizedCapture() throws {
        #expect(try Recording(broken).sanitized.finding(rule) == nil)
    }

    @Test func knowsTheNameThatSlackHas() throws {
        let recording = try Recording("token-request/client-secret-mismatch").without {
            $0.request.url.path == "/register"
        }.answering("/token", 200, ["ok": false, "error": "bad_client_secret"])
        #expect(recording.finding("client-secret-mismatch")?.isPrimary == true)
    }

    /// Stripe knows the platform by its key alone, and blames the code; whose the code is says nothing of the key.
    @Test(arguments: [
        ("Passed in livemode API key but authorization code only supports returning test keys", true),
        ("Authorization code provided does not belong to you", false),
        ("Authorization code expired", false),
    ])
    func knowsAKeyOfAnotherMode(words: String, fires: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }

    /// The provider says that the secret is wrong, and the request shows why.
    @Test(arguments: [("Zt8sDq0vN2mK7x%0A", true), ("Zt8sDq0vN2mK7x", false)])
    func saysWhatStandsAroundTheSecret(secret: String, isNamed: Bool) throws {
        let recording = try Recording("token-request/token-invalid-client")
            .sendingHeader(
                "Authorization",
                "Basic " + Base64.encode("shop-web:\(secret)".utf8),
                to: "/token"
            )
            .answering(
                "/token",
                401,
                ["error": "invalid_client", "error_description": "Invalid client secret"]
            )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.title == "The client secret was sent with something around it") == isNamed)
    }
}
