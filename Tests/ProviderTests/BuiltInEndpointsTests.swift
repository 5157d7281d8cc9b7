import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// The built-in provider's endpoints besides the code flow.
struct BuiltInEndpointsTests {
    static let issuer = "https://idp.example"
    static let redirectURI = "https://shop.example/cb"
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    private static let key = try? PrivateKey.generate(.elliptic(.p256))

    let key: PrivateKey
    var caller: Caller

    init() throws {
        key = try #require(Self.key)
        caller = Caller(try Self.provider(key))
    }

    static func provider(_ key: PrivateKey, _ policy: ProviderPolicy = ProviderPolicy()) throws
        -> BuiltInProvider
    {
        var shop = ProviderConfiguration.Client(
            id: "shop",
            secret: "shop-secret",
            redirectURIs: [redirectURI],
            requiresPKCE: false,
            idTokenAlgorithm: .es256
        )
        shop.keys = [JSONWebKey(key.publicKey, id: "client-key", algorithm: .es256)]
        let alice = ProviderConfiguration.User(
            name: "alice",
            password: "wonderland",
            subject: "248289761001",
            fullName: "Alice",
            email: "alice@idp.example"
        )
        return BuiltInProvider(
            ProviderConfiguration(
                issuer: issuer,
                clients: policy.acceptsUnknownClients ? [] : [shop],
                users: [alice],
                keys: [.init(id: "e1", algorithm: .es256, key: key)]
            ),
            policy: policy
        )
    }

    static let secret = [("client_id", "shop"), ("client_secret", "shop-secret")]

    static let request = [
        ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", redirectURI), ("scope", "openid"),
        ("state", "a-state"),
    ]

    func signIn(_ page: RecordedResponse) -> RecordedResponse {
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
        return caller.post(
            Self.issuer + "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
    }

    func redeem(
        _ code: String?,
        _ more: [(String, String)] = secret,
        headers: [(String, String)] = []
    )
        -> RecordedResponse
    {
        let form = [
            ("grant_type", "authorization_code"), ("code", code ?? ""), ("redirect_uri", Self.redirectURI),
        ]
        return caller.post(Self.issuer + "/token", form + more, headers: headers)
    }

    func code() -> String? {
        signIn(caller.get(Self.issuer + "/authorize", Self.request)).parameters.first("code")
    }

    func signed(
        _ claims: JSONObject,
        _ header: JSONObject = ["typ": "JWT"],
        with other: PrivateKey? = nil
    )
        throws -> String
    {
        try JSONWebToken.sign(
            claims: claims,
            header: header,
            algorithm: .es256,
            with: .privateKey(other ?? key)
        )
    }

    // MARK: - Devices

    @Test mutating func deviceWaitsForItsUser() throws {
        let started = caller.json(
            caller.post(Self.issuer + "/device_authorization", [("client_id", "shop"), ("scope", "openid")])
        )
        let code = try #require(started["device_code"]?.string)
        let userCode = try #require(started["user_code"]?.string)
        #expect(userCode.utf8.count == 9 && started["verification_uri"]?.string == Self.issuer + "/device")
        func poll() -> JSONValue {
            let form = [("grant_type", Self.deviceGrant), ("device_code", code)] + Self.secret
            return caller.json(caller.post(Self.issuer + "/token", form))
        }
        #expect(poll()["error"] == "authorization_pending")
        #expect(poll()["error"] == "slow_down")
        caller.now = caller.now + .seconds(20)
        let typed = [("user_code", userCode), ("username", "alice"), ("password", "wonderland")]
        let allowed = caller.post(Self.issuer + "/device", typed + [("action", "allow")])
        #expect(allowed.body?.text?.contains("connected") == true)
        #expect(poll()["id_token"]?.string.flatMap(JSONWebToken.parse)?.subject == "248289761001")
        #expect(poll()["error"] == "invalid_grant")
    }

    /// RFC 8628, section 6.1.
    @Test(arguments: [(true, ""), (true, " "), (false, "-")])
    func codeOfADeviceIsTypedAsOneLikes(isLowercase: Bool, separator: String) throws {
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", [("client_id", "shop")]))
        let code = try #require(started["user_code"]?.string).replacing("-", with: separator)
        let form = [
            ("user_code", isLowercase ? code.lowercased() : code), ("username", "alice"),
            ("password", "wonderland"), ("action", "allow"),
        ]
        let allowed = caller.post(Self.issuer + "/device", form)
        #expect(allowed.body?.text?.contains("connected") == true)
        #expect(!(caller.post(Self.issuer + "/device", form).body?.text?.contains("connected") ?? true))
    }

    @Test mutating func refusedDeviceIsTold() throws {
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", [("client_id", "shop")]))
        let userCode = started["user_code"]?.string ?? ""
        _ = caller.post(Self.issuer + "/device", [("user_code", userCode), ("action", "deny")])
        let form = [("grant_type", Self.deviceGrant), ("device_code", started["device_code"]?.string ?? "")]
        #expect(
            caller.json(caller.post(Self.issuer + "/token", form + Self.secret))["error"] == "access_denied"
        )
    }

    @Test mutating func deviceCodeRunsOut() {
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", [("client_id", "shop")]))
        caller.now = caller.now + .seconds((started["expires_in"]?.int ?? 0) + 1)
        let form = [("grant_type", Self.deviceGrant), ("device_code", started["device_code"]?.string ?? "")]
        #expect(
            caller.json(caller.post(Self.issuer + "/token", form + Self.secret))["error"] == "expired_token"
        )
    }

    // MARK: - Clients that act for themselves

    /// RFC 6749, section 4.4.
    @Test(arguments: [secret, [("client_id", "shop")]])
    func clientThatProvesItselfActsForItself(credentials: [(String, String)]) {
        let form = [("grant_type", "client_credentials"), ("scope", "orders")] + credentials
        let answer = caller.post(Self.issuer + "/token", form)
        let json = caller.json(answer)
        guard credentials.count > 1 else {
            #expect(json["error"] == "invalid_client" && json["access_token"] == nil)
            return
        }
        #expect(json["access_token"]?.string != nil && json["scope"] == "orders", "\(json)")
        #expect(json["refresh_token"] == nil && json["id_token"] == nil)
    }

    // MARK: - What a page says no to

    /// Whoever runs the provider is told what the page does not say.
    @Test(arguments: [
        (
            "/authorize?response_type=code&client_id=shop&redirect_uri=https://shop.example/cb/",
            "https://shop.example/cb/ is no redirect URI of shop: --redirect-uri adds one, compared to the letter"
        ),
        (
            "/authorize?response_type=code&client_id=stranger",
            "the client stranger is not known: --client stranger adds it"
        ),
        // Who asks may be anybody, and whoever runs the provider copies the option.
        (
            "/authorize?response_type=code&client_id=$(id);a'b",
            "the client $(id);a'b is not known: --client '$(id);a'\\''b' adds it"
        ),
        ("/authorize?response_type=code&redirect_uri=https://shop.example/cb", "the request names no client"),
        (
            "/logout?post_logout_redirect_uri=https://shop.example/",
            "the logout names no client that is known, by id_token_hint or client_id"
        ),
        (
            "/logout?client_id=shop&post_logout_redirect_uri=https://shop.example/x",
            "https://shop.example/x is no address of shop after a logout"
        ),
    ])
    func refusedPageIsExplained(target: String, words: String) throws {
        let provider = try Self.provider(key)
        let request = RecordedRequest(method: "GET", url: RecordedURL(Self.issuer + target))
        let answer = provider.answer(to: request, at: Timestamp(seconds: 1_790_000_000))
        #expect(answer.response.status == 400)
        #expect(answer.explanation == words)
    }

    // MARK: - CIBA

    /// The user agrees on a device that is not played, while the client polls (OpenID Connect CIBA, section 10.1).
    @Test(arguments: ["alice", "alice@idp.example", "248289761001"])
    func userIsAskedElsewhere(hint: String) throws {
        let started = caller.json(
            caller.post(
                Self.issuer + "/bc-authorize",
                Self.secret + [("scope", "openid"), ("login_hint", hint)]
            )
        )
        let name = try #require(started["auth_req_id"]?.string)
        #expect(name.utf8.count >= 20 && started["expires_in"]?.int == 120 && started["interval"]?.int == 5)
        func poll() -> JSONValue {
            let form = [("grant_type", GrantType.ciba), ("auth_req_id", name)] + Self.secret
            return caller.json(caller.post(Self.issuer + "/token", form))
        }
        #expect(poll()["error"] == "authorization_pending")
        #expect(poll()["id_token"]?.string.flatMap(JSONWebToken.parse)?.subject == "248289761001")
        #expect(poll()["error"] == "invalid_grant")
    }

    @Test(arguments: [
        ([("login_hint", "mallory")], "unknown_user_id"), ([], "invalid_request"),
        ([("login_hint", "alice"), ("id_token_hint", "alice")], "invalid_request"),
    ])
    func userElsewhereHasToBeKnown(hints: [(String, String)], error: String) {
        let form = Self.secret + [("scope", "openid")] + hints
        let answer = caller.post(Self.issuer + "/bc-authorize", form)
        #expect(answer.status == 400 && caller.json(answer)["error"]?.string == error)
    }

    /// Section 7.1.
    @Test(
        arguments: [("30", 30), ("86400", 3600), ("", 120), ("0", nil), ("soon", nil)] as [(String, Int64?)]
    )
    func userElsewhereHasTheTimeThatIsAskedFor(asked: String, given: Int64?) {
        let form = Self.secret + [("scope", "openid"), ("login_hint", "alice"), ("requested_expiry", asked)]
        let answer = caller.json(caller.post(Self.issuer + "/bc-authorize", form))
        #expect(answer["expires_in"]?.int == given)
        #expect(answer["error"]?.string == (given == nil ? "invalid_request" : nil))
    }

    /// Section 7.1.
    @Test(arguments: [[], [("scope", "profile")]])
    func userElsewhereIsAskedForAnIDToken(scope: [(String, String)]) {
        let form = Self.secret + scope + [("login_hint", "alice")]
        let answer = caller.post(Self.issuer + "/bc-authorize", form)
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_scope")
    }

    // MARK: - Introspection and revocation

    @Test func introspectionTellsOfALivingTokenOnly() {
        let access = caller.json(redeem(code()))["access_token"]?.string ?? ""
        func ask() -> JSONValue {
            caller.json(caller.post(Self.issuer + "/introspect", [("token", access)] + Self.secret))
        }
        let living = ask()
        #expect(living["active"] == true && living["sub"] == "248289761001" && living["client_id"] == "shop")
        #expect(living["exp"]?.int == caller.now.seconds + 300)
        #expect(living["aud"] == nil && living["cnf"] == nil && JSONWebToken.parse(access) == nil)
        #expect(caller.post(Self.issuer + "/revoke", [("token", access)] + Self.secret).status == 200)
        #expect(ask() == ["active": false])
    }

    // MARK: - Registration

    @Test func registeredClientIsAClient() throws {
        let sent: JSONObject = [
            "redirect_uris": ["https://new.example/cb"], "token_endpoint_auth_method": "client_secret_basic",
        ]
        let body = Body(text: JSONWriter.text(of: .object(sent)), mediaType: "application/json")
        let answer = caller.send("POST", Self.issuer + "/register", body)
        let client = caller.json(answer)
        let id = try #require(client["client_id"]?.string)
        let secret = try #require(client["client_secret"]?.string)
        #expect(answer.status == 201 && client["redirect_uris"] == sent["redirect_uris"])
        let query = Self.request.map { item in
            item.0 == "client_id"
                ? (item.0, id) : item.0 == "redirect_uri" ? (item.0, "https://new.example/cb") : item
        }
        let login = signIn(caller.get(Self.issuer + "/authorize", query))
        let form = [
            ("grant_type", "authorization_code"), ("code", login.parameters.first("code") ?? ""),
            ("redirect_uri", "https://new.example/cb"),
        ]
        let basic = ("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))
        #expect(caller.post(Self.issuer + "/token", form, headers: [basic]).status == 200)

        let uri = client["registration_client_uri"]?.string ?? ""
        #expect(caller.get(uri).status == 401)
        let bearer = ("Authorization", "Bearer \(client["registration_access_token"]?.string ?? "")")
        #expect(caller.json(caller.get(uri, headers: [bearer]))["client_id"]?.string == id)
        #expect(caller.send("DELETE", uri, nil, [bearer]).status == 204)
        #expect(caller.get(Self.issuer + "/authorize", query).status == 400)
    }

    /// RFC 7592, section 2.2.
    @Test func registeredClientChangesWhatIsItsOwn() throws {
        func body(_ object: JSONObject) -> Body {
            Body(text: JSONWriter.text(of: .object(object)), mediaType: "application/json")
        }
        let sent: JSONObject = ["redirect_uris": ["https://new.example/cb"]]
        let client = caller.json(caller.send("POST", Self.issuer + "/register", body(sent)))
        let uri = try #require(client["registration_client_uri"]?.string)
        let bearer = [("Authorization", "Bearer \(client["registration_access_token"]?.string ?? "")")]
        func change(_ object: JSONObject) -> RecordedResponse {
            caller.send("PUT", uri, body(object), bearer)
        }
        for wrong: JSONObject in [
            ["client_id": "another", "redirect_uris": ["https://new.example/2"]],
            ["client_id": client["client_id"] ?? "", "client_secret": "guessed"],
            ["redirect_uris": ["https://new.example/2"]],
            ["client_id": client["client_id"] ?? "", "redirect_uris": ["https://new.example/2#top"]],
            ["client_id": client["client_id"] ?? "", "redirect_uris": []],
        ] {
            #expect(change(wrong).status == 400)
        }
        let id = client["client_id"]?.string ?? ""
        let changed = change([
            "client_id": .string(id), "redirect_uris": ["https://new.example/2"],
            "post_logout_redirect_uris": ["https://new.example/bye"], "registration_access_token": "mine",
        ])
        #expect(changed.status == 200 && caller.json(changed)["redirect_uris"] == ["https://new.example/2"])
        let token = caller.json(changed)["registration_access_token"]
        #expect(token != nil && token == client["registration_access_token"])
        let logout = [("client_id", id), ("post_logout_redirect_uri", "https://new.example/bye")]
        #expect(caller.get(Self.issuer + "/logout", logout).location == "https://new.example/bye")
    }

    /// RFC 7591, sections 2 and 3.2.1: the answer says what the client has, and promises nothing that is not done.
    @Test(arguments: [("ES256", "ES256"), ("PS512", "ES256"), (nil, nil)] as [(String?, String?)])
    func registrationIsToldWithItsDefaults(asked: String?, given: String?) throws {
        var sent: JSONObject = [
            "redirect_uris": ["https://new.example/cb"], "introspection_signed_response_alg": "ES256",
            "subject_type": "pairwise", "backchannel_logout_uri": "https://new.example/out",
            "dpop_bound_access_tokens": true,
            "id_token_encrypted_response_alg": "RSA-OAEP",
        ]
        sent["id_token_signed_response_alg"] = asked.map { .string($0) }
        let body = Body(text: JSONWriter.text(of: .object(sent)), mediaType: "application/json")
        let client = caller.json(caller.send("POST", Self.issuer + "/register", body))
        #expect(client["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(client["client_secret"]?.string != nil)
        #expect(client["grant_types"] == ["authorization_code"] && client["response_types"] == ["code"])
        #expect(client["id_token_signed_response_alg"]?.string == given)
        #expect(client["introspection_signed_response_alg"] == nil)
        #expect(client["subject_type"] == "public" && client["backchannel_logout_uri"] == nil)
        #expect(client["dpop_bound_access_tokens"] == nil)
        #expect(client["id_token_encrypted_response_alg"] == nil)
    }

    /// Nor is it a script: a page that posts an answer there would run it as the provider's own.
    @Test(arguments: [
        "https://new.example/cb#part", "/cb", "javascript:alert(1)", "JavaScript:a()", "data:text/html,x",
    ])
    func redirectURIOfARegistrationIsAbsoluteAndWithoutFragment(uri: String) {
        let body = Body(text: "{\"redirect_uris\":[\"\(uri)\"]}", mediaType: "application/json")
        let answer = caller.send("POST", Self.issuer + "/register", body)
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_redirect_uri")
    }

    @Test(arguments: ["{}", #"{"grant_types":["implicit"]}"#])
    func registrationNeedsARedirectURI(body: String) {
        let answer = caller.send(
            "POST",
            Self.issuer + "/register",
            Body(text: body, mediaType: "application/json")
        )
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_redirect_uri")
    }

    // MARK: - For development

    @Test func anyClientIsTakenWhereNoneIsNamed() throws {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = "alice"
        let caller = Caller(try Self.provider(key, policy))
        func ask(_ redirectURI: String) -> RecordedResponse {
            caller.get(
                Self.issuer + "/authorize",
                [("response_type", "code"), ("client_id", "my-app"), ("redirect_uri", redirectURI)]
            )
        }
        #expect(ask("http://localhost:3000/cb").parameters.first("code") != nil)
        // But not anybody's.
        #expect(ask("https://evil.example/cb").status == 400)
    }

    /// Compared as strings (RFC 9700, section 2.1): what Unicode calls equal is not.
    @Test func redirectURIInAnotherNormalFormIsAnother() throws {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = "alice"
        policy.redirectURIs = ["https://shop.example/caf\u{e9}"]
        let caller = Caller(try Self.provider(key, policy))
        func ask(_ redirectURI: String) -> RecordedResponse {
            caller.get(
                Self.issuer + "/authorize",
                [("response_type", "code"), ("client_id", "my-app"), ("redirect_uri", redirectURI)]
            )
        }
        func redeem(_ code: String?, _ redirectURI: String) -> JSONValue {
            caller.json(
                caller.post(
                    Self.issuer + "/token",
                    [
                        ("grant_type", "authorization_code"), ("code", code ?? ""),
                        ("redirect_uri", redirectURI), ("client_id", "my-app"),
                    ]
                )
            )
        }
        let (known, other) = ("https://shop.example/caf\u{e9}", "https://shop.example/cafe\u{301}")
        #expect(ask(other).status == 400)
        let answer = ask(known).parameters
        #expect(redeem(ask(known).parameters.first("code"), other)["error"] == "invalid_grant")
        #expect(redeem(answer.first("code"), known)["access_token"] != nil)
    }

    @Test func pagesOfThisMachineMayReadAnswers() {
        let origin = ("Origin", "http://localhost:3000")
        let metadata = caller.get(Self.issuer + "/.well-known/openid-configuration", headers: [origin])
        #expect(metadata.headers.first("access-control-allow-origin") == "http://localhost:3000")
        let stranger = caller.get(
            Self.issuer + "/.well-known/openid-configuration",
            headers: [("Origin", "https://evil.example")]
        )
        #expect(!stranger.headers.contains("access-control-allow-origin"))
    }
}
