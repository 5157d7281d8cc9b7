import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// The built-in provider by its answers: what it grants, and what it refuses for which reason.
struct BuiltInProviderTests {
    private static let issuer = "https://idp.example/tenant"
    private static let redirectURI = "https://shop.example/cb"
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let rsa = try? PrivateKey.generate(.rsa(bits: 2048))
    private static let elliptic = try? PrivateKey.generate(.elliptic(.p256))

    private let provider: BuiltInProvider
    private let now = Timestamp(seconds: 1_780_000_000)

    init() throws {
        let keys = [
            ProviderConfiguration.SigningKeyEntry(id: "r1", algorithm: .rs256, key: try #require(Self.rsa)),
            ProviderConfiguration.SigningKeyEntry(
                id: "e1",
                algorithm: .es256,
                key: try #require(Self.elliptic)
            ),
        ]
        let shop = ProviderConfiguration.Client(
            id: "shop",
            secret: "shop-secret",
            redirectURIs: [Self.redirectURI],
            postLogoutRedirectURIs: ["https://shop.example/"],
            requiresPKCE: true,
            idTokenAlgorithm: .rs256
        )
        let app = ProviderConfiguration.Client(
            id: "app",
            secret: nil,
            redirectURIs: [Self.redirectURI],
            postLogoutRedirectURIs: [],
            requiresPKCE: true,
            idTokenAlgorithm: .es256
        )
        let alice = ProviderConfiguration.User(
            name: "alice",
            password: "wonderland",
            subject: "248289761001",
            fullName: "Alice",
            email: "alice@idp.example"
        )
        provider = BuiltInProvider(
            ProviderConfiguration(issuer: Self.issuer, clients: [shop, app], users: [alice], keys: keys)
        )
    }

    // MARK: - Asking

    private func get(
        _ path: String,
        _ query: [(String, String)] = [],
        headers: [(String, String)] = [],
        after seconds: Int64 = 0
    ) -> RecordedResponse {
        let url = Self.issuer + path + (query.isEmpty ? "" : "?" + FormBody.encode(query))
        return provider.respond(
            to: RecordedRequest(method: "GET", url: RecordedURL(url), headers: HeaderFields(headers)),
            at: now + .seconds(seconds)
        )
    }

    private func post(
        _ path: String,
        _ form: [(String, String)],
        headers: [(String, String)] = [],
        after seconds: Int64 = 0
    ) -> RecordedResponse {
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(Self.issuer + path),
            headers: HeaderFields(headers),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        return provider.respond(to: request, at: now + .seconds(seconds))
    }

    private func json(_ response: RecordedResponse) -> JSONValue {
        (try? JSONParser.parse(response.body?.bytes ?? [])) ?? .null
    }

    private func authorization(_ client: String, _ changes: [String: String?] = [:]) -> [(String, String)] {
        let base = [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", Self.redirectURI),
            ("scope", "openid profile offline_access"),
            ("state", "s-1"), ("nonce", "n-1"), ("code_challenge", CodeChallenge.s256(of: Self.verifier)),
            ("code_challenge_method", "S256"),
        ]
        var items = base.compactMap { item in
            changes.keys.contains(item.0) ? changes[item.0].flatMap { $0 }.map { (item.0, $0) } : item
        }
        for (name, value) in changes where !base.contains(where: { $0.0 == name }) {
            if let value { items.append((name, value)) }
        }
        return items
    }

    /// Signs alice in and returns the parameters of the answer at the redirect URI.
    private func signIn(_ client: String = "shop", _ changes: [String: String?] = [:]) throws -> QueryItems {
        let page = get("/authorize", authorization(client, changes))
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
        let answer = post(
            "/authorize",
            [
                ("transaction", transaction), ("username", "alice"), ("password", "wonderland"),
                ("action", "sign-in"),
            ]
        )
        #expect(answer.status == 302)
        return RecordedURL(answer.location ?? "").queryItems
    }

    private static let secret = [("Authorization", "Basic " + Base64.encode(Array("shop:shop-secret".utf8)))]

    private func redeem(
        _ code: String?,
        _ changes: [String: String?] = [:],
        after seconds: Int64 = 0,
        headers: [(String, String)] = secret
    ) -> RecordedResponse {
        let base = [
            ("grant_type", "authorization_code"), ("code", code ?? ""), ("redirect_uri", Self.redirectURI),
            ("code_verifier", Self.verifier),
        ]
        let items = base.compactMap { item in
            changes.keys.contains(item.0) ? changes[item.0].flatMap { $0 }.map { (item.0, $0) } : item
        }
        let more = changes.compactMap { name, value in
            base.contains { $0.0 == name } ? nil : value.map { (name, $0) }
        }
        return post("/token", items + more, headers: headers, after: seconds)
    }

    // MARK: - What it grants

    @Test func metadataNamesEndpointsThatAnswer() {
        let metadata = json(get("/.well-known/openid-configuration"))
        #expect(metadata["issuer"]?.string == Self.issuer)
        #expect(metadata["id_token_signing_alg_values_supported"] == ["ES256", "RS256"])
        #expect(json(get("/jwks"))["keys"]?.array?.compactMap { $0["kid"]?.string } == ["r1", "e1"])
    }

    /// RFC 7638: another key has another name.
    @Test func keyThatIsGivenNoNameHasItsThumbprint() throws {
        let key = try #require(Self.elliptic)
        let entry = ProviderConfiguration.SigningKeyEntry(algorithm: .es256, key: key)
        #expect(entry.id == JSONWebKey(key.publicKey, id: "e1", algorithm: .es256).thumbprint)
    }

    @Test(arguments: [("shop", "RS256"), ("app", "ES256")]) func tokensAreSignedForTheClient(
        client: String,
        algorithm: String
    ) throws {
        let answer = try signIn(client)
        #expect(answer.first("state") == "s-1" && answer.first("iss") == Self.issuer)
        let response =
            client == "shop"
            ? redeem(answer.first("code")) : redeem(answer.first("code"), ["client_id": "app"], headers: [])
        let tokens = json(response)
        #expect(response.status == 200 && response.headers.first("cache-control") == "no-store")
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        let keys = try #require(JSONWebKeySet(json: json(get("/jwks")))).keys
        #expect(token.algorithm == algorithm && token.verify(keys: keys).outcome == .valid)
        #expect(token.issuer == Self.issuer && token.audience == [client] && token.claim("nonce") == "n-1")
        #expect(token.issuedAt == now.seconds && token.expiresAt == now.seconds + 300)
        let access = try #require(tokens["access_token"]?.string)
        #expect(
            token.claim("at_hash")?.string
                == JSONWebToken.halfHash(of: access, algorithm: token.algorithm == "RS256" ? .rs256 : .es256)
        )
        let user = get("/userinfo", headers: [("Authorization", "Bearer \(access)")])
        #expect(
            json(user)["sub"] == "248289761001" && json(user)["name"] == "Alice" && json(user)["email"] == nil
        )
    }

    @Test func formPostDeliversThroughThePage() throws {
        let page = get("/authorize", authorization("shop", ["response_mode": "form_post"]))
        let transaction =
            HTMLForm.all(in: page.body?.text ?? "").first?.fields.first { $0.name == "transaction" }?.value
            ?? ""
        let answer = post(
            "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
        let forms = HTMLForm.all(in: answer.body?.text ?? "")
        #expect(forms.map(\.action) == [Self.redirectURI] && forms.map(\.method) == ["post"])
        let fields = forms.flatMap(\.fields)
        #expect(fields.contains { $0.name == "state" && $0.value == "s-1" })
        #expect(fields.contains { $0.name == "code" })
    }

    @Test func sessionAnswersWithoutASecondSignIn() throws {
        let page = get("/authorize", authorization("shop"))
        let transaction =
            HTMLForm.all(in: page.body?.text ?? "").first?.fields.first { $0.name == "transaction" }?.value
            ?? ""
        let answer = post(
            "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
        let cookie = try #require(answer.setCookies.first)
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == "Lax")
        let headers = [("Cookie", "authreel_session=\(cookie.value)")]
        #expect(
            get("/authorize", authorization("shop", ["prompt": "none"]), headers: headers).location?.contains(
                "code="
            ) == true
        )
        #expect(get("/authorize", authorization("shop", ["prompt": "login"]), headers: headers).status == 200)
    }

    @Test func refreshRotates() throws {
        let first = json(redeem(try signIn().first("code")))["refresh_token"]?.string ?? ""
        let refresh = { (token: String) in
            self.post(
                "/token",
                [("grant_type", "refresh_token"), ("refresh_token", token)],
                headers: Self.secret
            )
        }
        let second = json(refresh(first))["refresh_token"]?.string ?? ""
        #expect(!second.isEmpty && second != first)
        // RFC 9700, section 4.14.2: the old one again ends the whole family.
        #expect(json(refresh(first))["error"] == "invalid_grant")
        #expect(json(refresh(second))["error"] == "invalid_grant")
    }

    @Test func logoutGoesToARegisteredPageOnly() throws {
        let hint = json(redeem(try signIn().first("code")))["id_token"]?.string ?? ""
        let good = get(
            "/logout",
            [("id_token_hint", hint), ("post_logout_redirect_uri", "https://shop.example/"), ("state", "x")]
        )
        #expect(good.location == "https://shop.example/?state=x")
        let bad = get(
            "/logout",
            [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example/")]
        )
        #expect(bad.status == 400 && bad.location == nil)
    }

    // MARK: - What it refuses

    @Test(arguments: [
        ("client_id", "nobody"), ("redirect_uri", "https://shop.example/cb/"),
        ("redirect_uri", "https://evil.example/cb"),
    ])
    func wrongClientOrRedirectURIStaysOnItsOwnPage(name: String, value: String) {
        let answer = get("/authorize", authorization("shop", [name: value]))
        #expect(answer.status == 400 && answer.location == nil)
    }

    @Test(
        arguments: [
            ("response_type", "token", "unsupported_response_type"),
            ("code_challenge", nil, "invalid_request"), ("code_challenge_method", "S512", "invalid_request"),
            ("prompt", "none", "login_required"), ("prompt", "none login", "invalid_request"),
        ] as [(String, String?, String)]
    )
    func otherFaultsAreToldToTheClient(name: String, value: String?, error: String) {
        let answer = RecordedURL(get("/authorize", authorization("shop", [name: value])).location ?? "")
            .queryItems
        #expect(answer.first("error") == error && answer.first("state") == "s-1")
    }

    @Test func wrongPasswordAsksAgainAndCancellingSaysSo() throws {
        let page = get("/authorize", authorization("shop"))
        let transaction =
            HTMLForm.all(in: page.body?.text ?? "").first?.fields.first { $0.name == "transaction" }?.value
            ?? ""
        let again = post(
            "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "x")]
        )
        #expect(again.status == 200 && HTMLForm.all(in: again.body?.text ?? "").count == 1)
        let cancelled = post("/authorize", [("transaction", transaction), ("action", "cancel")])
        #expect(RecordedURL(cancelled.location ?? "").queryItems.first("error") == "access_denied")
    }

    @Test(
        arguments: [
            ("redirect_uri", "https://shop.example/cb/", "redirect_uri differs"),
            ("code_verifier", "another-verifier-of-another-login-0123456789", "does not match"),
            ("code_verifier", nil, "code_verifier is missing"), ("code", "made-up", "not known"),
        ] as [(String, String?, String)]
    )
    func codeIsRefusedWithItsReason(name: String, value: String?, reason: String) throws {
        let answer = redeem(try signIn().first("code"), [name: value])
        #expect(answer.status == 400 && json(answer)["error"] == "invalid_grant")
        #expect(json(answer)["error_description"]?.string?.contains(reason) == true)
    }

    @Test func codeIsGoodOnceAndForAMinute() throws {
        let code = try signIn().first("code")
        let access = json(redeem(code))["access_token"]?.string ?? ""
        #expect(json(redeem(code))["error_description"] == "the code was used before")
        // RFC 6749, section 4.1.2: what the first use brought ends with the second.
        #expect(get("/userinfo", headers: [("Authorization", "Bearer \(access)")]).status == 401)
        #expect(
            json(redeem(try signIn().first("code"), after: 61))["error_description"] == "the code has expired"
        )
    }

    @Test func paddedChallengeDoesNotMatch() throws {
        let padded = CodeChallenge.s256(of: Self.verifier) + "="
        let answer = redeem(try signIn("shop", ["code_challenge": padded]).first("code"))
        #expect(json(answer)["error_description"] == "the code_verifier does not match the code_challenge")
    }

    /// RFC 7636, section 4.1: 43 to 128 unreserved characters.
    @Test(
        arguments: [
            (String(repeating: "v", count: 42), false), (String(repeating: "v", count: 43), true),
            (String(repeating: "-._~", count: 32), true), (String(repeating: "v", count: 129), false),
            (String(repeating: "v", count: 43) + " ", false),
        ]
    )
    func verifierHasItsForm(verifier: String, isTaken: Bool) throws {
        let asked = ["code_challenge": CodeChallenge.s256(of: verifier)]
        let answer = redeem(try signIn("shop", asked).first("code"), ["code_verifier": verifier])
        #expect(answer.status == (isTaken ? 200 : 400))
        let words = json(answer)["error_description"]?.string ?? ""
        #expect(isTaken || words == "the code_verifier has not 43 to 128 unreserved characters")
    }

    @Test func clientsAreToldApart() throws {
        let code = try signIn().first("code")
        #expect(json(redeem(code, ["client_id": "app"], headers: []))["error"] == "invalid_grant")
        for headers in [[], [("Authorization", "Basic " + Base64.encode(Array("shop:wrong".utf8)))]] {
            let answer = redeem(code, ["client_id": "shop"], headers: headers)
            #expect(answer.status == 401 && json(answer)["error"] == "invalid_client")
        }
        #expect(
            redeem(code, headers: [("Authorization", "Basic " + Base64.encode(Array("shop:wrong".utf8)))])
                .headers.contains("www-authenticate")
        )
    }

    @Test func expiredAccessTokenIsRefused() throws {
        let access = json(redeem(try signIn().first("code")))["access_token"]?.string ?? ""
        let late = get("/userinfo", headers: [("Authorization", "Bearer \(access)")], after: 301)
        #expect(
            late.status == 401 && late.headers.first("www-authenticate")?.contains("invalid_token") == true
        )
    }
}
