import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct PKCEMissingPublicClientTests {
    private let rule = "pkce-missing-public-client"
    private let broken = "authorization-request/pkce-missing-public-client"

    @Test func namesWhatMakesTheClientPublic() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["0 request.query code_challenge", "0 request.query redirect_uri"])
        #expect(finding.notes.last == "a scheme of an app on a device")
    }

    @Test func leavesAClientWithASecretAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func takesATokenRequestWithoutCredentialsForPublic() throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil)
        #expect(recording.finding(rule)?.places.last == "4 request.body client_secret")
    }

    /// Banks have hosts for clients with certificates.
    @Test(arguments: [
        ("mtls.harbour.example", false), ("matls-auth.harbour.example", false),
        ("smtls.harbour.example", true),
    ])
    func leavesAClientAloneThatMayHaveShownACertificate(host: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).editing {
            exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://\(host)/token")
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Whatever their name is: the metadata tell the endpoint for clients with certificates (RFC 8705, section 5).
    @Test(arguments: [
        ("https://secure.harbour.example/token", false), ("https://secure.harbour.example/other", true),
    ])
    func leavesAClientAloneThatCameByTheAlias(alias: String, fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).editing {
            exchange in
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://secure.harbour.example/token")
        }
        .withMetadata().stating(
            "mtls_endpoint_aliases",
            ["token_endpoint": .string(alias)],
            at: "/.well-known/openid-configuration"
        )
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesBasicCredentialsAlone() throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).editing {
            exchange in
            if exchange.request.url.path == "/token" {
                exchange.request.headers.append("Authorization", "Basic c2hvcDpub3QtYS1zZWNyZXQ=")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A pushed request that was refused asks as much as one in a browser; who authenticates there can keep a secret.
    @Test(arguments: [
        ("example.shop.app:/callback", nil, true), ("example.shop.app:/callback", "a-secret", false),
        ("https://www.shop.example/callback", nil, false),
    ])
    func readsAPushedRequestThatWasRefused(target: String, secret: String?, fires: Bool) throws {
        let recording = try Recording("authorization-request/par-rejected").sending(
            "redirect_uri",
            target,
            to: "/par"
        )
        .sending("client_secret", secret, to: "/par").sending("code_challenge", nil, to: "/par")
        .sending("code_challenge_method", nil, to: "/par")
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(
            !fires || finding?.places == ["0 request.body code_challenge", "0 request.body redirect_uri"]
        )
        #expect(recording.finding("par-rejected")?.isPrimary == true)
        let required = recording.answering(
            "/par",
            400,
            ["error": "invalid_request", "error_description": "Missing parameter: code_challenge"]
        )
        #expect(required.finding(rule) == nil)
    }

    @Test func abstainsWhereTheTokenRequestIsNotRecorded() throws {
        let recording = try Recording(broken + ".near-miss").frontChannel
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func abstainsWhereHeadersWereStripped() throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).sanitized
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// By the provider's word a program on this machine has one, which was in no header that was taken out.
    @Test(arguments: [("client_secret is missing.", false), ("", true)])
    func abstainsWhereTheProviderMissesASecretThoughHeadersWereStripped(words: String, fires: Bool) throws {
        let recording = try Recording("authorization-request/redirect-uri-insecure.near-miss")
            .asking("code_challenge", nil)
            .answering("/token", 401, ["error": "invalid_client", "error_description": .string(words)])
            .sanitized
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }

    /// Its secret is what the provider misses.
    @Test(arguments: ["invalid_client", "invalid_grant"])
    func abstainsWhereAClientForgotItsSecret(error: String) throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).editing {
            $0.request.headers.remove("Authorization")
        }.answering("/token", 401, ["error": .string(error)])
        #expect((recording.finding(rule) != nil) == (error == "invalid_grant"))
        #expect((recording.abstention(rule) != nil) == (error == "invalid_client"))
    }

    private func webAppOnThisMachine(_ login: (Recording) -> Recording = \.frontChannel) throws -> Recording {
        try login(Recording(broken + ".near-miss")).editing { exchange in
            let text = exchange.request.url.text.replacing(
                "https://www.shop.example",
                with: "http://localhost:3000"
            )
            exchange.request.url = RecordedURL(
                text.replacing("https%3A%2F%2Fwww.shop.example", with: "http%3A%2F%2Flocalhost%3A3000")
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing("https://www.shop.example", with: "http://localhost:3000")
                        .replacing(
                            "https%3A%2F%2Fwww.shop.example",
                            with: "http%3A%2F%2Flocalhost%3A3000"
                        )
                )
            }
        }
    }

    /// Whether its token request is not recorded, or stands there without the headers that its credentials were in.
    @Test(arguments: [false, true]) func abstainsOnAWebAppUnderDevelopment(isSanitized: Bool) throws {
        let recording = try webAppOnThisMachine { login in
            isSanitized ? login.sending("client_secret", nil).sanitized : login.frontChannel
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    /// It is opened by another name of this machine than the one that its redirect URI has.
    @Test(arguments: [("http://127.0.0.1:3000", true), ("http://127.0.0.1:3001", false)])
    func knowsAWebAppByAnyNameOfThisMachine(origin: String, isOne: Bool) throws {
        let recording = try webAppOnThisMachine().editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.url = RecordedURL(origin + "/login")
        }.without { $0.request.url.host == "localhost" && $0.request.url.path != "/callback" }
        #expect((recording.finding(rule) == nil) == isOne)
    }

    /// By its settings it is at this machine; it is none that listens here.
    @Test func serverThatBeganTheLoginElsewhereIsNoAppOnThisMachine() throws {
        let recording = try webAppOnThisMachine().editing { exchange in
            guard exchange.request.url.path == "/login" else { return }
            exchange.request.url = RecordedURL("https://www.shop.example/login")
        }.without { $0.request.url.host == "localhost" && $0.request.url.path != "/callback" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func takesAnAppOnLoopbackForPublic() throws {
        let recording = try Recording("authorization-request/redirect-uri-insecure.near-miss").asking(
            "code_challenge",
            nil
        ).without { $0.request.url.path == "/token" }
        #expect(recording.finding(rule) != nil)
    }

    /// UserInfo serves nobody without a token: its header was left out, and so may have been the client's own, cookies or not.
    @Test func abstainsWhereCredentialsAloneWereLeftOut() throws {
        let whole = try Recording("healthy/web-code-flow").asking("code_challenge", nil)
            .sending("client_secret", nil).sending("code_verifier", nil)
        #expect(whole.finding(rule) != nil)
        let recording = whole.editing { exchange in
            exchange.request.headers.remove("Authorization")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        // Who saw the connection saw that no token was shown.
        let seen = recording.editing { $0.client.address = "127.0.0.1:50000" }
        #expect(seen.finding(rule) != nil)
    }

    /// A program's credentials may have been in a header that the export left out, unless it names itself in the body and was not
    /// registered to prove itself.
    @Test(
        arguments: [
            ("shop-app", "none", true), ("shop-app", "client_secret_basic", false), (nil, "none", false),
        ]
            as [(String?, String, Bool)]
    )
    func takesAProgramForPublicByWhatAnExportHasLeft(client: String?, method: String, fires: Bool) throws {
        var registration = try #require(
            Recording("registration/registration-open").exchanges.first { $0.request.url.path == "/register" }
        )
        registration.startedAt = Timestamp(seconds: 1_772_000_000)
        let login = try Recording("authorization-request/redirect-uri-insecure.near-miss")
        let recording = Recording([registration] + login.exchanges).asking("code_challenge", nil)
            .sending("client_id", client).answering(
                "/register",
                201,
                ["client_id": "shop-app", "token_endpoint_auth_method": .string(method)]
            ).sanitized
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// Apps on devices have no certificate for this machine.
    @Test func abstainsOnHTTPSOfThisMachine() throws {
        let recording = try Recording("authorization-request/redirect-uri-insecure.near-miss").asking(
            "code_challenge",
            nil
        ).asking("redirect_uri", "https://localhost:8443/cb").without { $0.request.url.path == "/token" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func leavesPKCEAlone() throws {
        #expect(try Recording("healthy/native-app").finding(rule) == nil)
    }

    /// Whoever asks Singpass or MyInfo has a back end that signs for it, an app's redirect URI or not.
    @Test(arguments: ["stg-id.singpass.gov.sg", "test.api.myinfo.gov.sg"])
    func leavesProvidersAloneThatKnowNoPublicClients(host: String) throws {
        let recording = try Recording(broken).editing {
            $0.request.url = RecordedURL($0.request.url.text.replacing("id.harbour.example", with: host))
        }
        #expect(recording.flows.map(\.provider).allSatisfy { $0 == .singpass || $0 == .myinfo })
        #expect(recording.finding(rule) == nil)
    }

    /// A window of Google's hands the answer to the page that opened it; an app on a device is none of it.
    @Test(arguments: [
        ("storagerelay://https/www.shop.example?id=auth1", false), ("com.shop.app:/signed-in", true),
    ])
    func leavesAWindowOfTheProvidersAlone(uri: String, fires: Bool) {
        let asked = FormBody.encode([
            ("response_type", "code"), ("client_id", "1234-abc.apps.googleusercontent.com"),
            ("redirect_uri", uri), ("scope", "openid email"),
        ])
        var capture = CaptureBuilder()
        capture.get(
            "https://accounts.google.com/o/oauth2/v2/auth?\(asked)",
            body: .html("<form method=post><input type=password></form>")
        )
        let recording = Recording(capture.exchanges)
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.finding("login-abandoned") != nil) == fires)
    }

    /// A token endpoint that lets in certificates and signed assertions alone: what came without the one came with the other.
    @Test(arguments: [
        (["tls_client_auth", "private_key_jwt"], false), (["self_signed_tls_client_auth"], false),
        (["tls_client_auth", "none"], true), (["tls_client_auth", "client_secret_post"], true),
        (["private_key_jwt"], true), ([], true),
    ])
    func abstainsWhereClientsShowCertificates(methods: [String], fires: Bool) throws {
        let recording = try Recording(broken + ".near-miss").sending("client_secret", nil).withMetadata()
            .stating(
                "token_endpoint_auth_methods_supported",
                .array(methods.map { .string($0) }),
                at: "/.well-known/openid-configuration"
            )
        #expect((recording.finding(rule) != nil) == fires)
        #expect((recording.abstention(rule) != nil) == !fires)
    }
}
