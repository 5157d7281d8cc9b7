import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// What a client may do: with tokens of its own, and in the ways it registered for.
extension BuiltInEndpointsTests {
    /// The metadata of a client that registers, as it is told them.
    private func registered(_ wishes: JSONObject, at other: Caller? = nil) -> JSONValue {
        let addresses = JSONObject.Member(name: "redirect_uris", value: [.string(Self.redirectURI)])
        let sent = JSONObject([addresses] + wishes.members)
        let body = Body(text: JSONWriter.text(of: .object(sent)), mediaType: "application/json")
        let caller = other ?? caller
        return caller.json(caller.send("POST", Self.issuer + "/register", body))
    }

    private func credentials(_ client: JSONValue) -> [(String, String)] {
        ["client_id", "client_secret"].compactMap { name in client[name]?.string.map { (name, $0) } }
    }

    // MARK: - Tokens

    /// RFC 7009, sections 2.1 and 2.2.
    @Test(arguments: ["access_token", "refresh_token"])
    func tokenOfAnotherClientIsNotRevoked(name: String) throws {
        let token = try #require(caller.json(redeem(code()))[name]?.string)
        let other = credentials(registered(["token_endpoint_auth_method": "client_secret_post"]))
        func revoke(_ client: [(String, String)], _ token: String) -> RecordedResponse {
            caller.post(Self.issuer + "/revoke", [("token", token)] + client)
        }
        func isActive() -> JSONValue? {
            caller.json(caller.post(Self.issuer + "/introspect", [("token", token)] + Self.secret))["active"]
        }
        let refused = revoke(other, token)
        #expect(refused.status == 400 && caller.json(refused)["error"] == "invalid_grant")
        #expect(isActive() == true)
        #expect(revoke(other, "an-unknown-token").status == 200)
        #expect(revoke(Self.secret, token).status == 200 && isActive() == false)
        #expect(revoke(Self.secret, token).status == 200)
    }

    /// Many leave out the form coding of Basic credentials (RFC 6749, section 2.3.1).
    @Test func ownTokenIsRevokedByANameThatIsNotCoded() throws {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = "alice"
        policy.redirectURIs = [Self.redirectURI]
        let caller = Caller(try Self.provider(key, policy))
        let request = Self.request.filter { $0.0 != "client_id" } + [("client_id", "my+app")]
        let code = caller.get(Self.issuer + "/authorize", request).parameters.first("code") ?? ""
        let basic = [("Authorization", "Basic " + Base64.encode(Array("my+app:any".utf8)))]
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
        ]
        let tokens = caller.json(caller.post(Self.issuer + "/token", form, headers: basic))
        for name in ["access_token", "refresh_token"] {
            let token = try #require(tokens[name]?.string)
            #expect(caller.post(Self.issuer + "/revoke", [("token", token)], headers: basic).status == 200)
        }
    }

    /// OpenID Connect Core, section 5.3; RFC 6750, section 3.1.
    @Test(arguments: [("openid profile", true), ("profile", false), ("", false)])
    func userInfoIsForLoginsOfOpenIDConnect(scope: String, isTold: Bool) throws {
        let request = Self.request.filter { $0.0 != "scope" } + [("scope", scope)]
        let code = signIn(caller.get(Self.issuer + "/authorize", request)).parameters.first("code")
        let token = try #require(caller.json(redeem(code))["access_token"]?.string)
        let answer = caller.get(Self.issuer + "/userinfo", headers: [("Authorization", "Bearer \(token)")])
        #expect(answer.status == (isTold ? 200 : 403))
        let challenge = answer.headers.first("www-authenticate")
        #expect(isTold || challenge?.hasPrefix("Bearer error=\"insufficient_scope\"") == true)
        #expect(isTold || challenge?.hasSuffix("scope=\"openid\"") == true)
    }

    /// Whoever runs the provider is told why a token does not count.
    @Test(arguments: [
        ("refresh_token", 0, "it is a refresh token"), ("id_token", 0, "it is an ID token"),
        ("", 0, "no such token was issued"),
        ("access_token", 301, "it was revoked or ran out at 1790000300, and it is 1790000301 here"),
    ])
    func refusedTokenIsExplained(name: String, seconds: Int, words: String) throws {
        var policy = ProviderPolicy()
        policy.autoLogin = "alice"
        let provider = try Self.provider(key, policy)
        let caller = Caller(provider)
        let code = caller.get(Self.issuer + "/authorize", Self.request).parameters.first("code") ?? ""
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirectURI),
        ]
        let tokens = caller.json(caller.post(Self.issuer + "/token", form + Self.secret))
        let token = tokens[name]?.string ?? "another"
        let request = RecordedRequest(
            method: "GET",
            url: RecordedURL(Self.issuer + "/userinfo"),
            headers: HeaderFields([("Authorization", "Bearer \(token)")])
        )
        let answer = provider.answer(to: request, at: caller.now + .seconds(seconds))
        #expect(answer.response.status == 401 && answer.explanation == words)
    }

    // MARK: - Proofs

    /// RFC 8414, section 2: without these members revocation takes Basic credentials alone.
    @Test(arguments: ["token_endpoint", "revocation_endpoint", "introspection_endpoint"])
    func metadataSayHowClientsProveWhoTheyAre(endpoint: String) {
        let metadata = caller.json(caller.get(Self.issuer + "/.well-known/openid-configuration"))
        let methods = metadata["\(endpoint)_auth_methods_supported"]?.array ?? []
        #expect(methods.contains("client_secret_basic") && methods.contains("private_key_jwt"))
        #expect(methods.contains("none") == (endpoint != "introspection_endpoint"))
        let algorithms = metadata["\(endpoint)_auth_signing_alg_values_supported"]?.array ?? []
        #expect(algorithms.contains("ES256") && !algorithms.contains("none"))
    }

    /// Who has no secret may have to prove who it is all the same (RFC 6749, section 4.4; RFC 7523, section 3).
    @Test(arguments: [
        ("private_key_jwt", "authorization_code", 401), ("none", "authorization_code", 400),
        ("none", "client_credentials", 401),
    ])
    func clientWithoutASecretProvesWhoItIs(method: String, grant: String, status: Int) {
        var client = ProviderConfiguration.Client(id: "app", redirectURIs: [Self.redirectURI])
        client.authenticationMethods = [method]
        let caller = Caller(
            BuiltInProvider(
                ProviderConfiguration(issuer: Self.issuer, clients: [client], users: [], keys: [])
            )
        )
        let form = [("grant_type", grant), ("code", "a-code"), ("redirect_uri", Self.redirectURI)]
        let answer = caller.post(Self.issuer + "/token", form + [("client_id", "app")])
        #expect(answer.status == status)
        let error = status == 401 ? "invalid_client" : "invalid_grant"
        #expect(caller.json(answer)["error"]?.string == error)
    }

    /// RFC 7662, section 2.1; OpenID Connect CIBA, section 7.1.
    @Test(arguments: ["/introspect", "/bc-authorize"])
    func clientThatProvesNothingIsRefused(path: String) {
        func ask(_ client: [(String, String)]) -> RecordedResponse {
            let form = [("token", "a-token"), ("scope", "openid"), ("login_hint", "alice")]
            return caller.post(Self.issuer + path, form + client)
        }
        let own = credentials(registered(["token_endpoint_auth_method": "none"]))
        let refused = ask(own)
        #expect(own.count == 1 && refused.status == 401)
        #expect(caller.json(refused)["error"] == "invalid_client")
        #expect(ask(Self.secret).status == 200)
        // It is taken by its name: no certificate is asked for here.
        #expect(ask(credentials(registered(["token_endpoint_auth_method": "tls_client_auth"]))).status == 200)
    }

    /// RFC 7521, section 4.2.
    @Test(arguments: [nil, "", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"] as [String?])
    func assertionIsOfTheKindThatIsNamed(kind: String?) throws {
        let claims: JSONObject = [
            "iss": "shop", "sub": "shop", "aud": .string(Self.issuer), "jti": "1",
            "exp": .number(JSONNumber(caller.now.seconds + 60)),
        ]
        let assertion = [("client_assertion", try signed(claims))]
        let named = kind.map { [("client_assertion_type", $0)] } ?? []
        #expect(caller.json(redeem(code(), assertion + named))["error"] == "invalid_client")
        let right = [("client_assertion_type", ClientAssertion.type)]
        #expect(redeem(code(), assertion + right).status == 200)
    }

    // MARK: - Registrations

    /// RFC 7591, section 2.
    @Test(
        arguments: [
            ("authorization_code", "unauthorized_client"), ("client_credentials", nil),
        ] as [(String, String?)]
    )
    func clientIsHeldToTheGrantsItRegisteredFor(grant: String, error: String?) {
        let client = registered([
            "grant_types": [.string(grant)], "token_endpoint_auth_method": "client_secret_post",
        ])
        let form = [("grant_type", "client_credentials")] + credentials(client)
        #expect(caller.json(caller.post(Self.issuer + "/token", form))["error"]?.string == error)
    }

    /// RFC 7591, section 2; the words have no order.
    @Test(
        arguments: [
            (nil, "code", "login_required"), (nil, "id_token", "unauthorized_client"),
            ("token id_token", "id_token token", "login_required"),
            ("id_token token", "id_token", "unauthorized_client"),
        ] as [(String?, String, String)]
    )
    func clientIsHeldToTheResponsesItRegisteredFor(types: String?, asked: String, error: String) {
        var wishes = JSONObject()
        wishes["response_types"] = types.map { [.string($0)] }
        let query = [
            ("response_type", asked), ("client_id", registered(wishes)["client_id"]?.string ?? ""),
            ("redirect_uri", Self.redirectURI), ("scope", "openid"), ("nonce", "a-nonce"), ("prompt", "none"),
        ]
        let answer = caller.get(Self.issuer + "/authorize", query)
        #expect(answer.parameters.first("error") == error)
    }

    /// RFC 7591, section 2; OpenID Connect Core, section 9.
    @Test(
        arguments: [
            (["token_endpoint_auth_method": "client_secret"], true),
            (["token_endpoint_auth_method": .null], false),
            (["jwks": ["keys": []], "jwks_uri": "https://new.example/keys"], true),
            (["jwks": .null, "jwks_uri": "https://new.example/keys"], false),
        ] as [(JSONObject, Bool)]
    )
    func metadataThatCannotBeIsRefused(wishes: JSONObject, isRefused: Bool) {
        let answer = registered(wishes)
        #expect(answer["error"]?.string == (isRefused ? "invalid_client_metadata" : nil))
        #expect((answer["client_id"] == nil) == isRefused)
    }

    /// RFC 7592, section 2.2.
    @Test func whatIsNullIsAsIfItWereNotThere() {
        let client = registered(["token_endpoint_auth_method": .null, "logo_uri": .null])
        #expect(client["token_endpoint_auth_method"] == "client_secret_basic" && client["logo_uri"] == nil)
    }

    /// JWT Secured Authorization Response Mode, section 3: responses are signed by what was asked for them, and not as ID tokens are.
    @Test(arguments: [("ES256", "ES384"), ("ES384", "ES256")])
    func responseIsSignedByWhatWasAskedForIt(idToken: String, response: String) throws {
        let other = try PrivateKey.generate(.elliptic(.p384))
        let configuration = ProviderConfiguration(
            issuer: Self.issuer,
            clients: [],
            users: [],
            keys: [
                .init(id: "e1", algorithm: .es256, key: key), .init(id: "e2", algorithm: .es384, key: other),
            ]
        )
        let caller = Caller(BuiltInProvider(configuration))
        let wishes: JSONObject = [
            "id_token_signed_response_alg": .string(idToken),
            "authorization_signed_response_alg": .string(response),
        ]
        let client = registered(wishes, at: caller)
        #expect(client["id_token_signed_response_alg"]?.string == idToken)
        #expect(client["authorization_signed_response_alg"]?.string == response)
        let query = [
            ("response_type", "code"), ("client_id", client["client_id"]?.string ?? ""),
            ("redirect_uri", Self.redirectURI), ("scope", "openid"), ("prompt", "none"),
            ("response_mode", "jwt"),
        ]
        let sent = caller.get(Self.issuer + "/authorize", query).parameters.first("response")
        let token = try #require(sent.flatMap(JSONWebToken.parse))
        #expect(token.algorithm == response && token.claim("error")?.string == "login_required")
    }

    /// OpenID Connect CIBA, sections 4, 7.1 and 10.2.
    @Test(
        arguments: [
            ("http://localhost:4000/ping", "ping", "cnt-8Kq2", true),
            ("http://localhost:4000/ping", "ping", nil, true),
            ("https://shop.example/ping", "ping", nil, false),
            ("http://localhost:4000/ping", "pull", nil, false),
            ("http://127.0.0.1@shop.example/ping", "ping", "cnt-8Kq2", false),
            ("http://127.0.0.1.shop.example/ping", "ping", "cnt-8Kq2", false),
            ("http://127.0.0.+1/ping", "ping", "cnt-8Kq2", false),
            ("http://[::ffff:192.0.2.1]/ping", "ping", "cnt-8Kq2", false),
        ] as [(String, String, String?, Bool)]
    )
    func clientIsNotifiedOnThisMachine(endpoint: String, mode: String, token: String?, isNotified: Bool)
        throws
    {
        let provider = try Self.provider(key)
        let caller = Caller(provider)
        let wishes: JSONObject = [
            "grant_types": [.string(GrantType.ciba)], "token_endpoint_auth_method": "client_secret_post",
            "backchannel_token_delivery_mode": .string(mode),
            "backchannel_client_notification_endpoint": .string(endpoint),
        ]
        let client = registered(wishes, at: caller)
        #expect(client["backchannel_token_delivery_mode"] == (isNotified ? "ping" : "poll"))
        let form =
            credentials(client) + [("scope", "openid"), ("login_hint", "alice")]
            + (token.map { [("client_notification_token", $0)] } ?? [])
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(Self.issuer + "/bc-authorize"),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        let answer = provider.answer(to: request, at: caller.now)
        let name = caller.json(answer.response)["auth_req_id"]?.string
        // Who is to be notified says by which token.
        #expect((name == nil) == (isNotified && token == nil))
        #expect(answer.notices.count == (isNotified && token != nil ? 1 : 0))
        guard let name else { return }
        let notice = answer.notices.first?.request
        if isNotified {
            #expect(notice?.url.text == endpoint && notice?.method == "POST")
            #expect(notice?.headers.first("authorization") == "Bearer cnt-8Kq2")
            #expect(notice?.body?.text == "{\"auth_req_id\":\"\(name)\"}")
        }
        let poll = [("grant_type", GrantType.ciba), ("auth_req_id", name)] + credentials(client)
        let tokens = caller.json(caller.post(Self.issuer + "/token", poll))
        #expect((tokens["id_token"] != nil) == isNotified)
    }

    /// OpenID Connect CIBA, sections 10.3.1 and 11.
    @Test func tokensArePushedOnThisMachine() throws {
        let provider = try Self.provider(key)
        let caller = Caller(provider)
        let client = registered(
            [
                "grant_types": [.string(GrantType.ciba)], "token_endpoint_auth_method": "client_secret_post",
                "backchannel_token_delivery_mode": "push",
                "backchannel_client_notification_endpoint": "http://localhost:4000/push",
            ],
            at: caller
        )
        #expect(client["backchannel_token_delivery_mode"] == "push")
        let form = [
            ("scope", "openid"), ("login_hint", "alice"), ("client_notification_token", "cnt-8Kq2"),
        ]
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(Self.issuer + "/bc-authorize"),
            body: Body(text: FormBody.encode(credentials(client) + form), mediaType: FormBody.mediaType)
        )
        let answer = provider.answer(to: request, at: caller.now)
        let started = caller.json(answer.response)
        let name = try #require(started["auth_req_id"]?.string)
        #expect(started["interval"] == nil && started["expires_in"] == 120)
        let notice = try #require(answer.notices.first?.request)
        #expect(notice.url.text == "http://localhost:4000/push")
        #expect(notice.headers.first("authorization") == "Bearer cnt-8Kq2")
        let pushed = try JSONParser.parse(notice.body?.bytes ?? [])
        #expect(pushed["auth_req_id"]?.string == name && pushed["token_type"] == "Bearer")
        let token = try #require(pushed["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.verify(keys: [JSONWebKey(key.publicKey, id: "e1")]).outcome == .valid)
        #expect(token.claim("urn:openid:params:jwt:claim:auth_req_id")?.string == name)
        for (claim, member) in [
            ("at_hash", "access_token"), ("urn:openid:params:jwt:claim:rt_hash", "refresh_token"),
        ] {
            let value = try #require(pushed[member]?.string)
            #expect(token.claim(claim)?.string == JSONWebToken.halfHash(of: value, algorithm: .es256))
        }
        // What was pushed is good, and nobody asks for it again.
        let bearer = ("Authorization", "Bearer \(pushed["access_token"]?.string ?? "")")
        #expect(caller.get(Self.issuer + "/userinfo", headers: [bearer]).status == 200)
        let poll = [("grant_type", GrantType.ciba), ("auth_req_id", name)] + credentials(client)
        #expect(caller.json(caller.post(Self.issuer + "/token", poll))["error"] == "unauthorized_client")
    }

    // MARK: - Request objects and hints

    /// RFC 9101, section 4.
    @Test(arguments: ["request", "request_uri"])
    func requestObjectHasNoOtherInIt(name: String) throws {
        var claims: JSONObject = [
            "iss": "shop", "client_id": "shop", "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid",
        ]
        let right = [("client_id", "shop"), ("request", try signed(claims))]
        #expect(caller.get(Self.issuer + "/authorize", right).status == 200)
        claims[name] = "another"
        let wrong = [("client_id", "shop"), ("request", try signed(claims))]
        #expect(caller.get(Self.issuer + "/authorize", wrong).status == 400)
    }

    /// OpenID Connect Registration, section 2.
    @Test(arguments: [(nil, 200), ("ES256", 200), ("PS256", 400)] as [(String?, Int)])
    func requestObjectIsSignedAsItsClientRegistered(asked: String?, status: Int) throws {
        let publicKey = JSONWebKey(key.publicKey, id: "client-key", algorithm: .es256)
        var wishes: JSONObject = ["jwks": ["keys": [.object(publicKey.json)]]]
        wishes["request_object_signing_alg"] = asked.map { .string($0) }
        let id = try #require(registered(wishes)["client_id"]?.string)
        let claims: JSONObject = [
            "iss": .string(id), "client_id": .string(id), "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid",
        ]
        let query = [("client_id", id), ("request", try signed(claims))]
        #expect(caller.get(Self.issuer + "/authorize", query).status == status)
    }

    /// RFC 9101, section 10.5: what is not signed is refused, at both doors.
    @Test(arguments: [true, false]) func clientThatHasToSignItsRequestsSignsThem(isRequired: Bool) throws {
        let publicKey = JSONWebKey(key.publicKey, id: "client-key", algorithm: .es256)
        let id = try #require(
            registered([
                "jwks": ["keys": [.object(publicKey.json)]], "token_endpoint_auth_method": "none",
                "require_signed_request_object": .bool(isRequired),
            ])["client_id"]?.string
        )
        let claims: JSONObject = [
            "iss": .string(id), "client_id": .string(id), "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid",
        ]
        let unsigned = "eyJhbGciOiJub25lIn0." + Base64URL.encode(JSONWriter.bytes(of: .object(claims))) + "."
        let plain = claims.members.filter { $0.name != "iss" }.map { ($0.name, $0.value.string ?? "") }
        let rest = [("client_id", id)]
        let asked = [
            (plain, !isRequired), (rest + [("request", unsigned)], !isRequired),
            (rest + [("request", try signed(claims))], true),
        ]
        for (query, isTaken) in asked {
            #expect(caller.get(Self.issuer + "/authorize", query).status == (isTaken ? 200 : 400))
            #expect(caller.post(Self.issuer + "/par", query).status == (isTaken ? 201 : 400))
        }
    }

    /// OpenID Connect Registration, section 2: of a session that is older than the client wants, the user is asked again.
    @Test(
        arguments: [(nil, nil, true), (60, nil, false), (60, "600", true), (600, nil, true)]
            as [(Int64?, String?, Bool)]
    )
    mutating func registeredAgeHoldsWhereNoneIsAskedFor(registered age: Int64?, asked: String?, isKnown: Bool)
    {
        var wishes: JSONObject = ["token_endpoint_auth_method": "none"]
        wishes["default_max_age"] = age.map { JSONValue($0) }
        let id = registered(wishes)["client_id"]?.string ?? ""
        let query =
            Self.request.filter { $0.0 != "client_id" } + [("client_id", id)]
            + (asked.map { [("max_age", $0)] } ?? [])
        let cookie = signIn(caller.get(Self.issuer + "/authorize", query)).cookieHeader
        caller.now = caller.now + .seconds(120)
        let answer = caller.get(Self.issuer + "/authorize", query, headers: [cookie])
        #expect((answer.parameters.first("code") != nil) == isKnown)
    }

    /// OpenID Connect RP-Initiated Logout, section 2: an access token is no hint.
    @Test(arguments: [("access_token", 400), ("id_token", 200), ("", 200)])
    func logoutIsHintedByAnIDToken(name: String, status: Int) {
        let hint = caller.json(redeem(code()))[name]?.string ?? ""
        let query = [("client_id", "shop"), ("id_token_hint", hint)]
        #expect(caller.get(Self.issuer + "/logout", query).status == status)
    }
}
