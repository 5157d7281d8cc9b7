import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// What a login may ask for, whom it is for, what is said of them, and how it ends.
extension BuiltInEndpointsTests {
    // MARK: - Tokens by way of the browser

    private func ask(_ type: String, _ changes: [(String, String)] = []) -> RecordedResponse {
        let usual = [("response_type", type), ("nonce", "a-nonce")]
        let names = Set((usual + changes).map(\.0))
        return caller.get(
            Self.issuer + "/authorize",
            Self.request.filter { !names.contains($0.0) }
                + usual.filter { item in !changes.contains { $0.0 == item.0 } }
                + changes.filter { !$0.1.isEmpty }
        )
    }

    /// OpenID Connect Core, sections 3.2.2 and 3.3.2.
    @Test(arguments: [
        ("id_token", []), ("id_token token", ["at_hash"]), ("code id_token", ["c_hash"]),
        ("code id_token token", ["at_hash", "c_hash"]),
    ])
    func responseHasWhatItsTypeNames(type: String, hashes: [String]) throws {
        let answer = signIn(ask(type, [("scope", "openid email")]))
        #expect(answer.location?.hasPrefix(Self.redirectURI + "#") ?? false)
        let types = Set(type.split(separator: " "))
        #expect((answer.parameters.first("code") != nil) == types.contains("code"))
        #expect((answer.parameters.first("access_token") != nil) == types.contains("token"))
        let token = try #require(answer.parameters.first("id_token").flatMap { JSONWebToken.parse($0) })
        #expect(token.claim("nonce") == "a-nonce")
        #expect(["at_hash", "c_hash"].filter { token.claim($0) != nil } == hashes)
        // Section 5.4: whoever has no access token finds in it what he asked for.
        #expect((token.claim("email") != nil) == (type == "id_token"))
    }

    @Test(arguments: [
        ([("nonce", "")], "invalid_request"), ([("scope", "email")], "invalid_scope"),
        ([("response_mode", "query")], "invalid_request"),
    ])
    func requestForTokensByWayOfTheBrowserIsChecked(changes: [(String, String)], error: String) {
        #expect(ask("code id_token", changes).parameters.first("error") == error)
    }

    /// What is of the query, of OpenID Connect and of codes is asked of nothing else.
    @Test(
        arguments: [
            ("code id_token", [("response_mode", "form_post")], nil),
            ("code id_token", [("response_mode", "fragment")], nil),
            ("code token", [("scope", "read"), ("nonce", "")], nil),
            (" ", [], "unsupported_response_type"),
        ] as [(String, [(String, String)], String?)]
    )
    func requestForOtherTokensIsTaken(type: String, changes: [(String, String)], error: String?) {
        let answer = ask(type, changes)
        #expect(answer.status == (error == nil ? 200 : 302))
        #expect(answer.parameters.first("error") == error)
    }

    /// JARM, section 2.3.1.
    @Test func tokensDoNotTravelInAQueryThatIsSignedOnly() throws {
        let answer = ask("code id_token", [("response_mode", "query.jwt")])
        let response = try #require(answer.parameters.first("response").flatMap { JSONWebToken.parse($0) })
        #expect(response.claim("error") == "invalid_request" && response.claim("id_token") == nil)
    }

    /// A key set may have several keys: the response says by which of them it is signed.
    @Test func signedResponseNamesItsKey() throws {
        let answer = signIn(ask("code", [("response_mode", "query.jwt")]))
        let response = try #require(answer.parameters.first("response").flatMap { JSONWebToken.parse($0) })
        #expect(response.keyID == "e1" && response.algorithm == "ES256")
    }

    /// As keycloak-js and MSAL ask for a code.
    @Test func codeComesInTheFragmentWhereItIsAskedFor() {
        let answer = signIn(ask("code", [("response_mode", "fragment")]))
        #expect(answer.location?.hasPrefix(Self.redirectURI + "#code=") ?? false)
    }

    /// OpenID Connect Core, section 3.1.2.1: the method that is preferred.
    @Test(arguments: [("gold silver", "gold"), ("", nil)] as [(String, JSONValue?)])
    func userSignsInAsIsAskedFor(asked: String, acr: JSONValue?) throws {
        let answer = signIn(ask("code id_token", [("acr_values", asked)]))
        let token = try #require(answer.parameters.first("id_token").flatMap { JSONWebToken.parse($0) })
        #expect(token.claim("acr") == acr)
    }

    // MARK: - Whom a login is for

    /// Of alice and bob.
    private func provider(_ policy: ProviderPolicy = ProviderPolicy()) -> BuiltInProvider {
        let users = [("alice", "248289761001"), ("bob", "bob")].map { name, subject in
            ProviderConfiguration.User(
                name: name,
                password: "wonderland",
                subject: subject,
                fullName: name,
                email: ""
            )
        }
        let shop = ProviderConfiguration.Client(
            id: "shop",
            redirectURIs: [Self.redirectURI],
            requiresPKCE: false
        )
        return BuiltInProvider(
            ProviderConfiguration(
                issuer: Self.issuer,
                clients: [shop],
                users: users,
                keys: [.init(id: "e1", algorithm: .es256, key: key)]
            ),
            policy: policy
        )
    }

    private func hint(of subject: String) throws -> (String, String) {
        let claims: JSONObject = ["iss": .string(Self.issuer), "sub": .string(subject), "aud": "shop"]
        return ("id_token_hint", try signed(claims))
    }

    /// OpenID Connect Core, section 3.1.2.1: a browser that is somebody else's knows nobody.
    @Test(arguments: [("248289761001", true), ("bob", false), ("nobody-here", true)])
    func silentLoginIsForWhomTheHintNames(subject: String, isKnown: Bool) throws {
        let caller = Caller(provider())
        let page = caller.get(Self.issuer + "/authorize", Self.request)
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
        let answer = caller.post(
            Self.issuer + "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
        let silent = caller.get(
            Self.issuer + "/authorize",
            Self.request + [("prompt", "none"), try hint(of: subject)],
            headers: [answer.cookieHeader]
        ).parameters
        #expect(
            (silent.first("code") != nil) == isKnown
                && silent.first("error") == (isKnown ? nil : "login_required")
        )
    }

    /// OpenID Connect Core, sections 3.1.2.1 and 5.5.1: whoever signs in is whom the request names, or nobody does.
    ///
    /// A hint may be of another provider's days; `claims` leaves no choice (section 3.1.2.2).
    @Test(arguments: [("248289761001", true, true), ("bob", false, false), ("nobody-here", true, false)])
    func userWhoSignsInIsWhomTheRequestNames(subject: String, byHint: Bool, byClaims: Bool) throws {
        let claims = "{\"id_token\":{\"sub\":{\"value\":\"\(subject)\"}}}"
        for (asked, isMeant) in [(try hint(of: subject), byHint), (("claims", claims), byClaims)] {
            let caller = Caller(provider())
            let page = caller.get(Self.issuer + "/authorize", Self.request + [asked])
            let form = HTMLForm.all(in: page.body?.text ?? "").first
            let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
            let answer = caller.post(
                Self.issuer + "/authorize",
                [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
            ).parameters
            #expect((answer.first("code") != nil) == isMeant)
            #expect(answer.first("error") == (isMeant ? nil : "login_required"))
        }
    }

    /// Whoever is signed in without a page is the one whom the hint names; who was chosen for it stays so.
    @Test(arguments: [
        ("", "bob", "bob"), ("", "nobody-here", "248289761001"), ("alice", "248289761001", "248289761001"),
        ("alice", "bob", nil),
    ])
    func loginWithoutAPageIsForWhomTheHintNames(user: String, subject: String, signedIn: String?) throws {
        var policy = ProviderPolicy()
        policy.autoLogin = user
        let caller = Caller(provider(policy))
        let answer = caller.get(Self.issuer + "/authorize", Self.request + [try hint(of: subject)])
        let tokens = caller.json(
            caller.post(
                Self.issuer + "/token",
                [
                    ("grant_type", "authorization_code"), ("client_id", "shop"),
                    ("code", answer.parameters.first("code") ?? ""), ("redirect_uri", Self.redirectURI),
                ]
            )
        )
        let token = tokens["id_token"]?.string.flatMap(JSONWebToken.parse)
        #expect(token?.subject == signedIn)
        #expect(answer.parameters.first("error") == (signedIn == nil ? "login_required" : nil))
    }

    // MARK: - Claims of one's own

    @Test func givenClaimsAreShownInAnyCase() throws {
        var users = ["alice", "bob"].map {
            ProviderConfiguration.User(name: $0, password: "p", subject: $0, fullName: $0, email: "")
        }
        RecordedProviderOptions.Claim("https://shop.example/roles", value: ["buyer"]).give(to: &users)
        RecordedProviderOptions.Claim("bob:acr", value: "gold").give(to: &users)
        for (user, acr) in [("alice", nil), ("bob", "gold")] as [(String, JSONValue?)] {
            let shop = ProviderConfiguration.Client(
                id: "shop",
                redirectURIs: [Self.redirectURI],
                requiresPKCE: false
            )
            var policy = ProviderPolicy()
            policy.autoLogin = user
            let caller = Caller(
                BuiltInProvider(
                    ProviderConfiguration(
                        issuer: Self.issuer,
                        clients: [shop],
                        users: users,
                        keys: [.init(id: "e1", algorithm: .es256, key: key)]
                    ),
                    policy: policy
                )
            )
            let code = caller.get(Self.issuer + "/authorize", Self.request).parameters.first("code") ?? ""
            let form = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
                ("client_id", "shop"),
            ]
            let tokens = caller.json(caller.post(Self.issuer + "/token", form))
            let bearer = ("Authorization", "Bearer \(tokens["access_token"]?.string ?? "")")
            let shown = [
                tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.claims,
                caller.json(caller.get(Self.issuer + "/userinfo", headers: [bearer])).object,
            ]
            for claims in shown {
                #expect(claims?["https://shop.example/roles"] == ["buyer"] && claims?["acr"] == acr)
            }
        }
    }

    /// A token of somebody else's key names nobody, whatever it says (section 3.1.2.1).
    @Test(arguments: ["", "alice"]) func forgedHintIsRefused(user: String) throws {
        var policy = ProviderPolicy()
        policy.autoLogin = user
        let claims: JSONObject = ["iss": .string(Self.issuer), "sub": "248289761001", "aud": "shop"]
        let forged = try signed(claims, with: .generate(.elliptic(.p256)))
        let caller = Caller(provider(policy))
        for hint in [forged, "no-token"] {
            let query = Self.request + [("id_token_hint", hint)]
            let answer = caller.get(Self.issuer + "/authorize", query).parameters
            #expect(answer.first("error") == "invalid_request" && answer.first("state") == "a-state")
        }
        let form = Self.secret + [("scope", "openid"), ("id_token_hint", forged)]
        let elsewhere = self.caller.post(Self.issuer + "/bc-authorize", form)
        #expect(self.caller.json(elsewhere)["error"] == "unknown_user_id")
    }

    // MARK: - Logout

    /// OpenID Connect RP-Initiated Logout, section 2: of this provider, who says so by a signature, and of its client.
    @Test(
        arguments: [
            (issuer, ["shop"], nil, true, 302), (issuer, ["shop"], "shop", true, 302),
            (issuer, ["api", "shop"], nil, true, 302),
            (issuer, ["shop"], "other", true, 400), ("https://elsewhere.example", ["shop"], nil, true, 400),
            (issuer, ["shop"], nil, false, 400),
        ] as [(String, [String], String?, Bool, Int)]
    )
    func logoutHintIsOfThisProviderAndItsClient(
        issuer: String,
        audience: [String],
        named: String?,
        isOwnKey: Bool,
        status: Int
    ) throws {
        var shop = ProviderConfiguration.Client(id: "shop", redirectURIs: [Self.redirectURI])
        shop.postLogoutRedirectURIs = ["https://shop.example/bye"]
        let other = ProviderConfiguration.Client(id: "other", redirectURIs: [Self.redirectURI])
        let caller = Caller(
            BuiltInProvider(
                ProviderConfiguration(
                    issuer: Self.issuer,
                    clients: [shop, other],
                    users: [],
                    keys: [.init(id: "e1", algorithm: .es256, key: key)]
                )
            )
        )
        let hint = try signed(
            ["iss": .string(issuer), "sub": "alice", "aud": .array(audience.map { .string($0) })],
            with: isOwnKey ? key : .generate(.elliptic(.p256))
        )
        let query =
            [("id_token_hint", hint), ("post_logout_redirect_uri", "https://shop.example/bye")]
            + (named.map { [("client_id", $0)] } ?? [])
        #expect(caller.get(Self.issuer + "/logout", query).status == status)
    }

    // MARK: - Devices without a page

    private func autoLoginCaller() throws -> Caller {
        var policy = ProviderPolicy()
        policy.autoLogin = "alice"
        return Caller(try Self.provider(key, policy))
    }

    private func poll(_ started: JSONValue, of caller: Caller) -> JSONValue {
        let code = started["device_code"]?.string ?? ""
        let form = [("grant_type", GrantType.deviceCode), ("device_code", code)]
        return caller.json(caller.post(Self.issuer + "/token", form + Self.secret))
    }

    /// Nobody has to open the page (RFC 8628, section 3.3): the first poll has the tokens, and the page says so.
    @Test func autoLoginAgreesToADeviceThatPolls() throws {
        let caller = try autoLoginCaller()
        let form = [("client_id", "shop"), ("scope", "openid")]
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", form))
        let tokens = poll(started, of: caller)
        #expect(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.subject == "248289761001")
        let page = caller.get(try #require(started["verification_uri_complete"]?.string))
        #expect(page.body?.text?.contains("The device is connected") == true)
        #expect(poll(started, of: caller)["error"] == "invalid_grant")
    }

    /// The page asks for no name and password; for the code where it was opened without one.
    @Test(arguments: [true, false])
    func autoLoginConfirmsAtThePageOfADevice(isWithCode: Bool) throws {
        let caller = try autoLoginCaller()
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", [("client_id", "shop")]))
        let code = try #require(started["user_code"]?.string)
        let page = Self.issuer + "/device"
        let unknown = caller.get(page, [("user_code", "XXXX-XXXX")])
        #expect(unknown.body?.text?.contains("<form") == true)
        let answer =
            isWithCode ? caller.get(page, [("user_code", code)]) : caller.post(page, [("user_code", code)])
        #expect(answer.body?.text?.contains("The device is connected") == true)
        #expect(poll(started, of: caller)["access_token"] != nil)
    }

    @Test func deviceIsRefusedAtThePageDespiteAutoLogin() throws {
        let caller = try autoLoginCaller()
        let started = caller.json(caller.post(Self.issuer + "/device_authorization", [("client_id", "shop")]))
        let form = [("user_code", started["user_code"]?.string ?? ""), ("action", "deny")]
        _ = caller.post(Self.issuer + "/device", form)
        #expect(poll(started, of: caller)["error"] == "access_denied")
    }
}
