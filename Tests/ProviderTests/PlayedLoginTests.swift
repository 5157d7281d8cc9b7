import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// A recorded provider is no tape: what is asked decides.
struct PlayedLoginTests {
    private static let redirectURI = "https://www.shop.example/callback"
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private let base = RecordedProviderTests.base

    private let capture: Capture
    private let provider: RecordedProvider
    private var caller: Caller

    init() throws {
        capture = try RecordedProviderTests.capture("captures/healthy/web-code-flow.har")
        provider = try RecordedProviderTests.provider(capture)
        caller = Caller(provider)
    }

    private func request(_ changes: [String: String?] = [:]) -> [(String, String)] {
        let usual = [
            ("response_type", "code"), ("client_id", "shop-web"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid profile"), ("state", "a-state-of-mine"), ("nonce", "a-nonce-of-mine"),
            ("code_challenge", CodeChallenge.s256(of: Self.verifier)), ("code_challenge_method", "S256"),
        ]
        let changed = usual.compactMap { item in
            changes.keys.contains(item.0) ? changes[item.0].flatMap { $0 }.map { (item.0, $0) } : item
        }
        return changed
            + changes.compactMap { name, value in
                usual.contains { $0.0 == name } ? nil : value.map { (name, $0) }
            }
    }

    private func signIn(
        _ changes: [String: String?] = [:],
        password: String = "not-a-password",
        at caller: Caller? = nil
    ) -> RecordedResponse {
        let caller = caller ?? self.caller
        let page = caller.get(base + "/authorize", request(changes))
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let flow = form?.fields.first { $0.name == "flow" }?.value ?? ""
        return caller.post(
            base + (form?.action ?? ""),
            [("flow", flow), ("user", "alice"), ("password", password)],
            headers: [page.cookieHeader]
        )
    }

    private func redeem(_ code: String?, _ changes: [String: String] = [:], at caller: Caller? = nil)
        -> RecordedResponse
    {
        let form = [
            ("grant_type", "authorization_code"), ("code", code ?? ""), ("redirect_uri", Self.redirectURI),
            ("code_verifier", Self.verifier), ("client_id", "shop-web"),
            ("client_secret", "not-a-secret-of-anyone"),
        ]
        return (caller ?? self.caller).post(base + "/token", form.map { ($0.0, changes[$0.0] ?? $0.1) })
    }

    // MARK: - Pages that open an app

    /// The code is that of this login, also where no request shows whereto the page leads.
    @Test(arguments: [
        #"<script>setTimeout(() => { location.href = "TARGET" }, 10)</script>"#,
        #"<meta http-equiv="refresh" content="0;url=ESCAPED"><a href="ESCAPED">Continue</a>"#,
    ])
    func pageThatOpensTheAppHasTheCodeOfThisLogin(page: String) throws {
        let recorded = try OpenedApp(by: page)
        let caller = Caller(try RecordedProviderTests.provider(recorded.capture))
        let app = "example.shop.app:/oauth2redirect"

        func opened() throws -> QueryItems {
            let answer = signIn(["client_id": "shop-app", "redirect_uri": app], at: caller)
            #expect(answer.status == 200)
            let text = HTMLText.decode(Array((answer.body?.text ?? "").utf8))
            let place = try #require(text.firstRange(of: app + "?"))
            return RecordedURL(String(text[place.lowerBound...].prefix { $0 != "\"" })).queryItems
        }
        func redeem(_ code: String?, _ verifier: String) -> RecordedResponse {
            caller.post(
                base + "/token",
                [
                    ("grant_type", "authorization_code"), ("code", code ?? ""), ("redirect_uri", app),
                    ("code_verifier", verifier), ("client_id", "shop-app"),
                ]
            )
        }
        let first = try opened()
        #expect(first.first("state") == "a-state-of-mine")
        #expect(first.first("code") != RecordedURL(recorded.target).queryItems.first("code"))
        #expect(redeem(first.first("code"), Self.verifier + "x").status == 400)
        let tokens = caller.json(redeem(try opened().first("code"), Self.verifier))
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("nonce") == "a-nonce-of-mine")
    }

    // MARK: - What it grants

    @Test func everythingIsFreshAndBound() throws {
        let answer = signIn()
        #expect(answer.location?.hasPrefix(Self.redirectURI + "?") == true)
        #expect(answer.parameters.first("state") == "a-state-of-mine")
        let code = try #require(answer.parameters.first("code"))
        #expect(code.utf8.count == 32)

        let tokens = caller.json(redeem(code))
        let recorded = try #require(FlowFinder.flows(in: capture).first?.tokenRequests.first)
        #expect(tokens.object?.members.map(\.name) == recorded.answer.json?.members.map(\.name))
        #expect(tokens["access_token"]?.string != recorded.accessToken)
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("nonce") == "a-nonce-of-mine" && token.audience == ["shop-web"])
        #expect(token.issuer == base && token.subject == "alice")
        #expect(token.issuedAt == caller.now.seconds && token.expiresAt == caller.now.seconds + 600)
    }

    @Test func tokensAreSignedWithAKeyOfItsOwn() throws {
        let tokens = caller.json(redeem(signIn().parameters.first("code")))
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        let keys = try #require(JSONWebKeySet(json: caller.json(caller.get(base + "/jwks")))).keys
        #expect(token.verify(keys: keys).outcome == .valid)
        let recorded = CaptureIndex(capture).keySets.first?.keys?.keys ?? []
        #expect(recorded.count == 2 && token.verify(keys: recorded).outcome != .valid)
        // The recorded names are short: a thumbprint is in their place, which no other key has.
        #expect(token.keyID?.utf8.count == 43 && !recorded.contains { $0.id == token.keyID })
    }

    @Test func metadataNameTheMockOnly() {
        for path in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"] {
            let metadata = caller.json(caller.get(base + path))
            #expect(metadata["issuer"]?.string == base)
            #expect(metadata["token_endpoint"]?.string == base + "/token")
            #expect(!JSONWriter.text(of: metadata).contains("harbour.example"))
        }
    }

    @Test func recordedUserinfoIsAnsweredForTheToken() {
        let access = caller.json(redeem(signIn().parameters.first("code")))["access_token"]?.string ?? ""
        let answer = caller.get(base + "/userinfo", headers: [("Authorization", "Bearer \(access)")])
        #expect(caller.json(answer) == ["sub": "alice", "name": "Alice"])
        let other = caller.get(base + "/userinfo", headers: [("Authorization", "Bearer \(access)x")])
        #expect(
            other.status == 401 && other.headers.first("www-authenticate")?.contains("invalid_token") == true
        )
    }

    @Test func twoLoginsAtOnceAreKeptApart() throws {
        let first = caller.get(base + "/authorize", request(["state": "first-login-state"]))
        let second = caller.get(
            base + "/authorize",
            request(["state": "second-login-state", "nonce": "another-nonce"])
        )
        for (page, state, nonce) in [
            (first, "first-login-state", "a-nonce-of-mine"), (second, "second-login-state", "another-nonce"),
        ] {
            let flow = HTMLForm.all(in: page.body?.text ?? "").first?.fields.first { $0.name == "flow" }?
                .value
            let answer = caller.post(
                base + "/sign-in",
                [("flow", flow ?? ""), ("user", "alice"), ("password", "not-a-password")]
            )
            #expect(answer.parameters.first("state") == state)
            let token = caller.json(redeem(answer.parameters.first("code")))["id_token"]?.string
            #expect(token.flatMap(JSONWebToken.parse)?.claim("nonce")?.string == nonce)
        }
    }

    // MARK: - What it refuses

    @Test(
        arguments: [
            ("code_verifier", "another-verifier-that-is-as-long-as-it-has-to-be"),
            ("redirect_uri", "https://evil.example/"),
            ("code", "a-code-of-nobody"),
        ]
    )
    func tokenRequestHasToFit(name: String, value: String) {
        let answer = redeem(signIn().parameters.first("code"), [name: value])
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_grant")
    }

    /// RFC 7636, section 4.3: the challenge is the verifier itself, unless the provider was seen to take its hash.
    @Test(arguments: [
        ("captures/authorization-request/pkce-plain.near-miss.har", 200),
        ("captures/authorization-request/pkce-method-omitted.near-miss.har", 400),
    ])
    func challengeWithoutAMethodIsComparedAsItWas(path: String, status: Int) throws {
        let caller = Caller(try RecordedProviderTests.provider(try RecordedProviderTests.capture(path)))
        func redeemed(_ challenge: String) -> Int {
            let answer = signIn(["code_challenge": challenge, "code_challenge_method": nil], at: caller)
            return redeem(answer.parameters.first("code"), at: caller).status
        }
        #expect(redeemed(CodeChallenge.s256(of: Self.verifier)) == status)
        #expect(redeemed(Self.verifier) == 200)
    }

    @Test func codeIsGoodOnce() {
        let code = signIn().parameters.first("code")
        #expect(redeem(code).status == 200)
        #expect(caller.json(redeem(code))["error"] == "invalid_grant")
    }

    @Test func codeRunsOut() {
        let code = signIn().parameters.first("code")
        var later = caller
        later.now = later.now + .seconds(601)
        #expect(caller.json(redeem(code, at: later))["error"] == "invalid_grant")
    }

    @Test func secretOfTheRecordingIsTheRightOne() {
        let answer = redeem(signIn().parameters.first("code"), ["client_secret": "another"])
        #expect(answer.status == 401 && caller.json(answer)["error"] == "invalid_client")
    }

    @Test(arguments: [("client_id", "nobody"), ("redirect_uri", "https://www.shop.example/callback/")])
    func strangersStayOnThePage(name: String, value: String) {
        let answer = caller.get(base + "/authorize", request([name: value]))
        #expect(answer.status == 400 && answer.location == nil)
    }

    @Test(arguments: ["wrong", ""])
    func wrongPasswordShowsThePageOnceMore(password: String) {
        let again = signIn(password: password)
        #expect(again.status == 200 && HTMLForm.all(in: again.body?.text ?? "").first?.action == "/sign-in")
    }

    /// The built-in pages have one called `authreel_session`, too.
    @Test(arguments: ["sid", "authreel_session"])
    func sessionIsKnownByACookieOfAnyName(cookie: String) throws {
        let app = "https://www.shop.example/callback"
        var builder = CaptureBuilder()
        builder.get(
            "https://id.example/authorize?"
                + FormBody.encode([
                    ("response_type", "code"), ("client_id", "shop-web"), ("redirect_uri", app),
                    ("state", "st-4Xr8LmPq"),
                ]),
            body: .html(
                #"<form method="post" action="/sign-in"><input name="user">"#
                    + #"<input name="password" type="password"></form>"#
            )
        )
        builder.post(
            "https://id.example/sign-in",
            [("user", "alice"), ("password", "wonderland")],
            302,
            answer: [
                ("Set-Cookie", "\(cookie)=s-7Hq2vLx7TzB4nWm8RdYc9Kq2; Path=/"),
                ("Location", app + "?code=code-1-0123456789&state=st-4Xr8LmPq"),
            ]
        )
        let caller = Caller(try RecordedProviderTests.provider(builder.capture))
        _ = caller.get(base + "/authorize", request(["code_challenge": nil, "code_challenge_method": nil]))
        let answer = caller.post(base + "/sign-in", [("user", "alice"), ("password", "wonderland")])
        #expect(answer.parameters.first("code") != nil)
        let again = request([
            "state": "another-state", "code_challenge": nil, "code_challenge_method": nil, "prompt": "none",
        ])
        let silent = caller.get(base + "/authorize", again, headers: [answer.cookieHeader])
        #expect(silent.parameters.first("code") != nil, "\(silent.location ?? "")")
    }

    @Test func silentLoginNeedsASession() {
        let answer = caller.get(base + "/authorize", request(["prompt": "none"]))
        #expect(answer.parameters.first("error") == "login_required")
        #expect(answer.parameters.first("state") == "a-state-of-mine")
    }

    // MARK: - What may be set

    @Test func autoLoginSkipsThePages() throws {
        let provider = try RecordedProviderTests.provider(capture) { $0.autoLogin = "" }
        let answer = Caller(provider).get(base + "/authorize", request(["prompt": "login", "max_age": "0"]))
        #expect(answer.parameters.first("code") != nil)
        let caller = Caller(provider)
        let token = caller.json(redeem(answer.parameters.first("code"), at: caller))["id_token"]?.string
        #expect(token.flatMap(JSONWebToken.parse)?.subject == "alice")
    }

    @Test func furtherUsersAreOthers() throws {
        let provider = try RecordedProviderTests.provider(capture) {
            $0.users = [("bob", "builder")]
            $0.autoLogin = "bob"
        }
        let caller = Caller(provider)
        let code = caller.get(base + "/authorize", request()).parameters.first("code")
        let tokens = caller.json(redeem(code, at: caller))
        #expect(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.subject == "bob")
        let access = tokens["access_token"]?.string ?? ""
        let user = caller.json(
            caller.get(base + "/userinfo", headers: [("Authorization", "Bearer \(access)")])
        )
        #expect(user == ["sub": "bob", "name": "bob"])
    }

    @Test func furtherClientsAndAddressesAreTaken() throws {
        let provider = try RecordedProviderTests.provider(capture) {
            $0.clients = [.init(id: "my-app", secret: "my-secret")]
            $0.redirectURIs = ["http://localhost:3000/callback"]
            $0.autoLogin = ""
        }
        let caller = Caller(provider)
        let changes = ["client_id": "my-app", "redirect_uri": "http://localhost:3000/callback"]
        let answer = caller.get(base + "/authorize", request(changes))
        #expect(answer.location?.hasPrefix("http://localhost:3000/callback?") == true)
        let code = answer.parameters.first("code")
        var form = changes
        form["client_secret"] = "my-secret"
        let tokens = caller.json(redeem(code, form, at: caller))
        #expect(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.audience == ["my-app"])
    }

    @Test func issuerMayHaveAnotherName() throws {
        let provider = try RecordedProviderTests.provider(capture) { $0.issuer = "https://idp.test/tenant" }
        #expect(provider.issuers[0].identifier == "https://idp.test/tenant")
        let metadata = caller.json(Caller(provider).get(provider.issuers[0].discovery))
        #expect(metadata["authorization_endpoint"]?.string == "https://idp.test/tenant/authorize")
        #expect(Caller(provider).get("https://idp.test/tenant/authorize", request()).status == 200)
    }
}
