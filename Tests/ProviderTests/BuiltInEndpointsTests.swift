import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// The built-in provider's endpoints besides the code flow.
struct BuiltInEndpointsTests {
    private static let issuer = "https://idp.example"
    private static let redirectURI = "https://shop.example/cb"
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    private static let key = try? PrivateKey.generate(.elliptic(.p256))

    private let key: PrivateKey
    private var caller: Caller

    init() throws {
        key = try #require(Self.key)
        caller = Caller(try Self.provider(key))
    }

    private static func provider(_ key: PrivateKey, _ policy: ProviderPolicy = ProviderPolicy()) throws
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

    private static let secret = [("client_id", "shop"), ("client_secret", "shop-secret")]

    private static let request = [
        ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", redirectURI), ("scope", "openid"),
        ("state", "a-state"),
    ]

    private func signIn(_ page: RecordedResponse) -> RecordedResponse {
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
        return caller.post(
            Self.issuer + "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
    }

    private func redeem(
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

    private func code() -> String? {
        signIn(caller.get(Self.issuer + "/authorize", Self.request)).parameters.first("code")
    }

    private func signed(
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

    // MARK: - Requests pushed and signed

    @Test func pushedRequestIsTheRequest() throws {
        let pushed = caller.json(
            caller.post(Self.issuer + "/par", Self.request + [("client_secret", "shop-secret")])
        )
        let uri = try #require(pushed["request_uri"]?.string)
        #expect(pushed["expires_in"] == 60)
        // RFC 9126, section 2.2.
        #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        let query = [("client_id", "shop"), ("request_uri", uri)]
        let answer = signIn(caller.get(Self.issuer + "/authorize", query))
        #expect(answer.parameters.first("state") == "a-state" && answer.parameters.first("code") != nil)
        var later = caller
        later.now = later.now + .seconds(61)
        #expect(later.get(Self.issuer + "/authorize", query).status == 400)
        // RFC 9126, section 2.1: whoever pushes is who he says.
        #expect(caller.post(Self.issuer + "/par", Self.request).status == 401)
    }

    /// RFC 9126, section 4: a reload may name it again while its user is at the pages, nobody afterwards.
    @Test func pushedRequestIsGoodOnce() throws {
        let form = Self.request + [("client_secret", "shop-secret")]
        let uri = try #require(caller.json(caller.post(Self.issuer + "/par", form))["request_uri"]?.string)
        let query = [("client_id", "shop"), ("request_uri", uri)]
        _ = caller.get(Self.issuer + "/authorize", query)
        let reloaded = caller.get(Self.issuer + "/authorize", query)
        #expect(reloaded.status == 200)
        #expect(signIn(reloaded).parameters.first("code") != nil)
        let again = caller.get(Self.issuer + "/authorize", query)
        #expect(again.status == 400 && again.location == nil)
    }

    /// RFC 6749, section 3.1; what has no value counts as left out.
    @Test func repeatedParameterIsRefused() {
        func ask(_ more: (String, String)...) -> RecordedResponse {
            caller.get(Self.issuer + "/authorize", Self.request + more)
        }
        #expect(ask(("scope", "openid profile")).parameters.first("error") == "invalid_request")
        #expect(ask(("state", "a-state")).parameters.first("state") == "a-state")
        for name in ["client_id", "redirect_uri"] {
            let answer = ask((name, Self.request.first { $0.0 == name }?.1 ?? ""))
            #expect(answer.status == 400 && answer.location == nil)
        }
        #expect(ask(("state", "")).status == 200)
        // RFC 8707, section 2.
        #expect(ask(("resource", "https://a.example/"), ("resource", "https://b.example/")).status == 200)

        let pushed = Self.request + [("client_secret", "shop-secret"), ("scope", "openid")]
        #expect(caller.json(caller.post(Self.issuer + "/par", pushed))["error"] == "invalid_request")
        let code = code()
        let refused = redeem(code, Self.secret + [("redirect_uri", Self.redirectURI)])
        #expect(refused.status == 400 && caller.json(refused)["error"] == "invalid_request")
        #expect(redeem(code).status == 200)
    }

    /// RFC 9126, section 2.1: as the authorization endpoint would refuse it.
    @Test(arguments: [
        ("response_type", "nonsense", "unsupported_response_type"), ("response_type", "", "invalid_request"),
        ("redirect_uri", "https://evil.example/cb", "invalid_request"),
        ("code_challenge_method", "S512", "invalid_request"),
    ])
    func pushedRequestIsValidated(name: String, value: String, error: String) {
        let form = Self.request.filter { $0.0 != name } + [(name, value), ("client_secret", "shop-secret")]
        let answer = caller.post(Self.issuer + "/par", form)
        #expect(answer.status == 400 && caller.json(answer)["error"] == .string(error))
    }

    /// RFC 9101, section 6.3, and RFC 9126, section 4: what stands beside it does not count.
    @Test func parametersBesideAPushedRequestDoNotCount() throws {
        let form = Self.request.filter { $0.0 != "state" } + [("client_secret", "shop-secret")]
        let pushed = caller.json(caller.post(Self.issuer + "/par", form))
        let uri = try #require(pushed["request_uri"]?.string)
        let page = caller.get(
            Self.issuer + "/authorize",
            [("client_id", "shop"), ("request_uri", uri), ("state", "outer"), ("nonce", "outer")]
        )
        let answer = signIn(page)
        #expect(answer.parameters.first("code") != nil && answer.parameters.first("state") == nil)
    }

    /// Those of OpenID Connect, which say so outside, are put together of both (Core, section 6.3.3).
    @Test(arguments: [(nil, nil), ("read", nil), ("openid", "outer")] as [(String?, String?)])
    func parametersBesideARequestObjectCountForOpenIDConnectAlone(scope: String?, state: String?) throws {
        let object = try signed([
            "iss": "shop", "aud": .string(Self.issuer), "client_id": "shop", "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid",
        ])
        let page = caller.get(
            Self.issuer + "/authorize",
            [("client_id", "shop"), ("request", object), ("state", "outer")]
                + (scope.map { [("scope", $0)] } ?? [])
        )
        let answer = signIn(page)
        #expect(answer.parameters.first("code") != nil && answer.parameters.first("state") == state)
    }

    /// RFC 6749, section 3.1.1.
    @Test func requestWithoutAResponseTypeIsRefused() {
        let answer = caller.get(Self.issuer + "/authorize", Self.request.filter { $0.0 != "response_type" })
        #expect(answer.parameters.first("error") == "invalid_request")
        #expect(answer.parameters.first("state") == "a-state")
    }

    @Test func requestObjectCountsIfTheClientMadeIt() throws {
        let claims: JSONObject = [
            "iss": "shop", "aud": .string(Self.issuer), "client_id": "shop", "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid", "state": "a-signed-state",
        ]
        func ask(_ object: String) -> RecordedResponse {
            caller.get(
                Self.issuer + "/authorize",
                [("client_id", "shop"), ("request", object), ("state", "x")]
            )
        }
        #expect(signIn(ask(try signed(claims))).parameters.first("state") == "a-signed-state")
        let stranger = try PrivateKey.generate(.elliptic(.p256))
        #expect(ask(try signed(claims, with: stranger)).status == 400)
    }

    /// RFC 9101, section 5: a client speaks for itself, and in its time.
    @Test(arguments: [
        ("client_id", "another" as JSONValue), ("nbf", 1_790_000_600), ("exp", 1_790_000_000),
    ])
    func requestObjectOfAnotherClientOrTimeIsRefused(name: String, value: JSONValue) throws {
        var claims: JSONObject = [
            "iss": "shop", "client_id": "shop", "response_type": "code",
            "redirect_uri": .string(Self.redirectURI), "scope": "openid",
        ]
        let right = [("client_id", "shop"), ("request", try signed(claims))]
        #expect(caller.get(Self.issuer + "/authorize", right).status == 200)
        claims[name] = value
        let object = [("client_id", "shop"), ("request", try signed(claims))]
        #expect(caller.get(Self.issuer + "/authorize", object).status == 400)
        let pushed = caller.post(Self.issuer + "/par", object + [("client_secret", "shop-secret")])
        #expect(caller.json(pushed)["error"] == "invalid_request_object")
    }

    /// RFC 9126, section 2: a request is of the client that pushes it.
    @Test func pushedRequestOfAnotherClientIsRefused() {
        let form = Self.request.map { $0.0 == "client_id" ? ("client_id", "another") : $0 }
        let basic = ("Authorization", "Basic " + Base64.encode(Array("shop:shop-secret".utf8)))
        let answer = caller.post(Self.issuer + "/par", form, headers: [basic])
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_request")
        #expect(caller.post(Self.issuer + "/par", Self.request, headers: [basic]).status == 201)
    }

    // MARK: - Client authentication by assertion

    @Test func assertionIsGoodOnceAndForThisProviderOnly() throws {
        func assertion(_ changes: [(String, JSONValue)] = [], with other: PrivateKey? = nil) throws -> [(
            String, String
        )] {
            var claims: JSONObject = [
                "iss": "shop", "sub": "shop", "aud": .string(Self.issuer + "/token"), "jti": "1",
                "exp": .number(JSONNumber(caller.now.seconds + 60)),
            ]
            for (name, value) in changes { claims[name] = value }
            return [
                ("client_assertion_type", ClientAssertion.type),
                ("client_assertion", try signed(claims, with: other)),
            ]
        }
        let code = code()
        let stranger = try PrivateKey.generate(.elliptic(.p256))
        for (wrong, words) in [
            (try assertion([("aud", "https://other.example/token")]), "for this server"),
            (try assertion([("exp", .number(JSONNumber(caller.now.seconds)))]), "expired"),
            (try assertion([("sub", "another")]), "client"),
            (try assertion(with: stranger), "signature"),
        ] {
            let answer = caller.json(redeem(code, wrong))
            #expect(answer["error"] == "invalid_client")
            #expect(answer["error_description"]?.string?.contains(words) ?? false)
        }
        let right = try assertion()
        #expect(redeem(code, right).status == 200)
        // RFC 7523, section 3: the same one again.
        let again = caller.json(redeem(self.code(), right))
        #expect(again["error"] == "invalid_client")
        #expect(again["error_description"]?.string?.contains("used before") ?? false)
    }

    /// RFC 7517, section 4.5: a key needs no name.
    @Test(arguments: [(nil, 200), ("rp-sig-1", 200), ("another", 401)] as [(String?, Int)])
    func namedAssertionFitsAKeyWithoutAName(id: String?, status: Int) throws {
        let claims: JSONObject = [
            "iss": "shop", "sub": "shop", "aud": .string(Self.issuer), "jti": "1",
            "exp": .number(JSONNumber(caller.now.seconds + 60)),
        ]
        let client = ProviderConfiguration.Client(id: "shop", redirectURIs: [Self.redirectURI])
        var configuration = ProviderConfiguration(issuer: Self.issuer, clients: [client], users: [], keys: [])
        configuration.clients[0].keys = [JSONWebKey(key.publicKey, id: id)]
        let answer = Caller(BuiltInProvider(configuration)).post(
            Self.issuer + "/par",
            Self.request + [
                ("client_assertion_type", ClientAssertion.type),
                ("client_assertion", try signed(claims, ["kid": "rp-sig-1"])),
            ]
        )
        #expect((answer.status == 401) == (status == 401))
        let words = Caller(BuiltInProvider(configuration)).json(answer)["error_description"]?.string
        #expect(status == 200 || words?.contains("kid") ?? false)
    }

    // MARK: - DPoP

    private func proof(
        _ path: String,
        _ identifier: String,
        token: String? = nil,
        method: String = "POST",
        by other: PrivateKey? = nil
    )
        throws
        -> (String, String)
    {
        var claims: JSONObject = [
            "htm": .string(method), "htu": .string(Self.issuer + path), "jti": .string(identifier),
            "iat": .number(JSONNumber(caller.now.seconds)),
        ]
        if let token { claims["ath"] = .string(DPoPProof.hash(ofAccessToken: token)) }
        let jwk = JSONWebKey((other ?? key).publicKey, id: nil).json
        return ("DPoP", try signed(claims, ["typ": "dpop+jwt", "jwk": .object(jwk)], with: other))
    }

    @Test func tokenIsBoundToTheKeyOfTheProof() throws {
        let tokens = caller.json(redeem(code(), headers: [try proof("/token", "1")]))
        #expect(tokens["token_type"] == "DPoP")
        let access = try #require(tokens["access_token"]?.string)
        func ask(_ headers: [(String, String)]) -> RecordedResponse {
            caller.get(Self.issuer + "/userinfo", headers: headers)
        }
        let authorization = ("Authorization", "DPoP \(access)")
        #expect(
            ask([authorization, try proof("/userinfo", "2", token: access, method: "GET")]).status == 200
        )
        #expect(ask([("Authorization", "Bearer \(access)")]).status == 401)
        // RFC 9449, section 7.2: as a bearer's, with a good proof beside it too.
        let proved = try proof("/userinfo", "4", token: access, method: "GET")
        let asBearer = ask([("Authorization", "Bearer \(access)"), proved])
        #expect(asBearer.status == 401)
        #expect(asBearer.headers.first("www-authenticate")?.hasPrefix("DPoP ") ?? false)
        let parameter = caller.get(
            Self.issuer + "/userinfo",
            [("access_token", access)],
            headers: [try proof("/userinfo", "5", token: access, method: "GET")]
        )
        #expect(parameter.status == 401)
        // Without the hash of the token, and the same proof again (RFC 9449, section 4.3).
        for wrong in [
            try proof("/userinfo", "3", method: "GET"),
            try proof("/userinfo", "2", token: access, method: "GET"),
        ] {
            let refused = ask([authorization, wrong])
            #expect(refused.status == 401 && caller.json(refused)["error"] == "invalid_dpop_proof")
            #expect(
                refused.headers.first("www-authenticate")?.hasPrefix("DPoP error=\"invalid_dpop_proof\"")
                    ?? false
            )
        }
    }

    /// RFC 9449, section 5: the client is what refresh tokens of those are bound to who authenticate.
    @Test func refreshTokenOfAClientWithASecretIsBoundToNoKey() throws {
        let another = try PrivateKey.generate(.elliptic(.p256))
        func refresh(_ tokens: JSONValue, _ headers: [(String, String)]) -> JSONValue {
            let token = tokens["refresh_token"]?.string ?? ""
            let form = [("grant_type", "refresh_token"), ("refresh_token", token)] + Self.secret
            return caller.json(caller.post(Self.issuer + "/token", form, headers: headers))
        }
        let first = caller.json(redeem(code(), headers: [try proof("/token", "1")]))
        let second = refresh(first, [try proof("/token", "2", by: another)])
        #expect(second["token_type"] == "DPoP")
        let access = try #require(second["access_token"]?.string)
        func ask(_ identifier: String, by key: PrivateKey) throws -> Int {
            let proof = try proof("/userinfo", identifier, token: access, method: "GET", by: key)
            let authorization = ("Authorization", "DPoP \(access)")
            return caller.get(Self.issuer + "/userinfo", headers: [authorization, proof]).status
        }
        // The access token is: to the key of the request that brought it.
        #expect(try ask("3", by: another) == 200)
        #expect(try ask("4", by: key) == 401)
        #expect(refresh(second, [])["token_type"] == "Bearer")
    }

    @Test func refreshTokenOfAPublicClientIsBoundToItsKey() throws {
        var policy = ProviderPolicy()
        policy.acceptsUnknownClients = true
        policy.autoLogin = "alice"
        let caller = Caller(try Self.provider(key, policy))
        let redirectURI = "http://localhost:3000/cb"
        let query = [("response_type", "code"), ("client_id", "app"), ("redirect_uri", redirectURI)]
        let code = caller.get(Self.issuer + "/authorize", query).parameters.first("code") ?? ""
        let client = [("client_id", "app")]
        let first = caller.json(
            caller.post(
                Self.issuer + "/token",
                [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
                    + client,
                headers: [try proof("/token", "1")]
            )
        )
        let form =
            [
                ("grant_type", "refresh_token"), ("refresh_token", first["refresh_token"]?.string ?? ""),
            ] + client
        func refresh(_ headers: [(String, String)]) -> JSONValue {
            caller.json(caller.post(Self.issuer + "/token", form, headers: headers))
        }
        let another = try PrivateKey.generate(.elliptic(.p256))
        #expect(refresh([try proof("/token", "2", by: another)])["error"] == "invalid_dpop_proof")
        #expect(refresh([])["error"] == "invalid_dpop_proof")
        #expect(refresh([try proof("/token", "3")])["token_type"] == "DPoP")
    }

    @Test func proofForAnotherPlaceIsRefused() throws {
        let answer = redeem(code(), headers: [try proof("/userinfo", "1")])
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_dpop_proof")
    }

    /// RFC 9449, sections 4.3 and 10.1.
    @Test func secondProofOrAnotherKeyIsRefused() throws {
        let two = [try proof("/token", "1"), try proof("/token", "2")]
        #expect(caller.json(redeem(code(), headers: two))["error"] == "invalid_dpop_proof")
        func push(_ key: String?, _ identifier: String) throws -> RecordedResponse {
            let form = Self.request + Self.secret.suffix(1) + (key.map { [("dpop_jkt", $0)] } ?? [])
            return caller.post(Self.issuer + "/par", form, headers: [try proof("/par", identifier)])
        }
        let own = try #require(JSONWebKey(key.publicKey, id: nil).thumbprint)
        #expect(try push(nil, "3").status == 201 && push(own, "4").status == 201)
        let other = try push("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "5")
        #expect(other.status == 400 && caller.json(other)["error"] == "invalid_dpop_proof")
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

    /// JARM, section 2.3.1.
    @Test func tokensDoNotTravelInAQueryThatIsSignedOnly() throws {
        let answer = ask("code id_token", [("response_mode", "query.jwt")])
        let response = try #require(answer.parameters.first("response").flatMap { JSONWebToken.parse($0) })
        #expect(response.claim("error") == "invalid_request" && response.claim("id_token") == nil)
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

    // MARK: - Logout

    /// OpenID Connect RP-Initiated Logout, section 2.
    @Test(
        arguments: [
            (issuer, ["shop"], nil, 302), (issuer, ["shop"], "shop", 302),
            (issuer, ["api", "shop"], nil, 302),
            (issuer, ["shop"], "other", 400), ("https://elsewhere.example", ["shop"], nil, 400),
        ] as [(String, [String], String?, Int)]
    )
    func logoutHintIsOfThisProviderAndItsClient(
        issuer: String,
        audience: [String],
        named: String?,
        status: Int
    ) throws {
        var shop = ProviderConfiguration.Client(id: "shop", redirectURIs: [Self.redirectURI])
        shop.postLogoutRedirectURIs = ["https://shop.example/bye"]
        let other = ProviderConfiguration.Client(id: "other", redirectURIs: [Self.redirectURI])
        let caller = Caller(
            BuiltInProvider(
                ProviderConfiguration(issuer: Self.issuer, clients: [shop, other], users: [], keys: [])
            )
        )
        let hint = try signed([
            "iss": .string(issuer), "sub": "alice", "aud": .array(audience.map { .string($0) }),
        ])
        let query =
            [("id_token_hint", hint), ("post_logout_redirect_uri", "https://shop.example/bye")]
            + (named.map { [("client_id", $0)] } ?? [])
        #expect(caller.get(Self.issuer + "/logout", query).status == status)
    }

    // MARK: - Whom a login is for

    /// OpenID Connect Core, section 3.1.2.1: a browser that is somebody else's knows nobody.
    @Test(arguments: [("248289761001", true), ("bob", false), ("nobody-here", true)])
    func silentLoginIsForWhomTheHintNames(subject: String, isKnown: Bool) throws {
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
        let caller = Caller(
            BuiltInProvider(
                ProviderConfiguration(
                    issuer: Self.issuer,
                    clients: [shop],
                    users: users,
                    keys: [.init(id: "e1", algorithm: .es256, key: key)]
                )
            )
        )
        let page = caller.get(Self.issuer + "/authorize", Self.request)
        let form = HTMLForm.all(in: page.body?.text ?? "").first
        let transaction = form?.fields.first { $0.name == "transaction" }?.value ?? ""
        let answer = caller.post(
            Self.issuer + "/authorize",
            [("transaction", transaction), ("username", "alice"), ("password", "wonderland")]
        )
        let hint = try signed(["iss": .string(Self.issuer), "sub": .string(subject), "aud": "shop"])
        let silent = caller.get(
            Self.issuer + "/authorize",
            Self.request + [("prompt", "none"), ("id_token_hint", hint)],
            headers: [answer.cookieHeader]
        ).parameters
        #expect(
            (silent.first("code") != nil) == isKnown
                && silent.first("error") == (isKnown ? nil : "login_required")
        )
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

    @Test(arguments: ["https://new.example/cb#part", "/cb"])
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
