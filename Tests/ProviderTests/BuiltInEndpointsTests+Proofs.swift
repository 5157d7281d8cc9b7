import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Tokens that are bound to a key (RFC 9449).
extension BuiltInEndpointsTests {
    private func proof(
        _ path: String,
        _ identifier: String,
        token: String? = nil,
        method: String = "POST",
        by other: PrivateKey? = nil,
        issuedIn seconds: Int64 = 0,
        showing secret: String? = nil
    )
        throws
        -> (String, String)
    {
        var claims: JSONObject = [
            "htm": .string(method), "htu": .string(Self.issuer + path), "jti": .string(identifier),
            "iat": .number(JSONNumber(caller.now.seconds + seconds)),
        ]
        if let token { claims["ath"] = .string(DPoPProof.hash(ofAccessToken: token)) }
        var jwk = JSONWebKey((other ?? key).publicKey, id: nil).json
        jwk["d"] = secret.map { .string($0) }
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

    /// RFC 9449, section 7.1: the scheme is for tokens that are bound.
    @Test func tokenThatIsBoundToNoKeyIsABearersOnly() throws {
        let access = try #require(caller.json(redeem(code()))["access_token"]?.string)
        func status(_ scheme: String) -> Int {
            caller.get(Self.issuer + "/userinfo", headers: [("Authorization", "\(scheme) \(access)")]).status
        }
        #expect(status("DPoP") == 401 && status("Bearer") == 200)
    }

    /// A token for a resource is one that it can verify by itself (RFC 9068), and says as much when it is asked about.
    @Test(arguments: [false, true]) func tokenForAResourceSaysWhatTheResourceCompares(isBound: Bool) throws {
        let resource = "https://api.shop.example/mcp"
        let headers = isBound ? [try proof("/token", "1")] : []
        let tokens = caller.json(
            redeem(code(), Self.secret + [("resource", resource)], headers: headers)
        )
        let text = try #require(tokens["access_token"]?.string)
        let token = try #require(JSONWebToken.parse(text))
        let keys = caller.json(caller.get(Self.issuer + "/jwks"))
        let known = try #require(JSONWebKeySet(json: keys)?.keys)
        #expect(token.type == "at+jwt" && token.verify(keys: known).outcome == .valid)
        #expect(token.audience == [resource] && token.issuer == Self.issuer)
        let thumbprint: JSONValue? =
            isBound ? JSONWebKey(key.publicKey, id: nil).thumbprint.map { ["jkt": .string($0)] } : nil
        let told = caller.json(caller.post(Self.issuer + "/introspect", [("token", text)] + Self.secret))
        #expect(token.claim("cnf") == thumbprint && told["cnf"] == thumbprint)
        #expect(told["active"] == true && told["aud"]?.string == resource)
        // It is as good at userinfo as any.
        guard !isBound else { return }
        let user = caller.get(Self.issuer + "/userinfo", headers: [("Authorization", "Bearer \(text)")])
        #expect(user.status == 200)
    }

    private func answer(toLoginFor resources: [String], redeemedFor chosen: String?) -> JSONValue {
        let named = resources.map { ("resource", $0) }
        let login = signIn(caller.get(Self.issuer + "/authorize", Self.request + named))
        let more = chosen.map { [("resource", $0)] } ?? []
        return caller.json(redeem(login.parameters.first("code"), Self.secret + more))
    }

    /// RFC 8707, section 2.2: one of the login's resources has the token, and no other.
    @Test(
        arguments: [
            (["https://a.example/", "https://b.example/"], "https://b.example/", "https://b.example/"),
            (["https://a.example/", "https://b.example/"], nil, "https://a.example/"),
            (["https://a.example/"], "https://c.example/", nil),
            ([], "https://c.example/", "https://c.example/"),
            ([], "https://c.example/#part", nil), ([], "api", nil),
        ] as [([String], String?, String?)]
    )
    func tokenIsForAResourceOfTheLogin(resources: [String], chosen: String?, audience: String?) {
        let tokens = answer(toLoginFor: resources, redeemedFor: chosen)
        let token = tokens["access_token"]?.string.flatMap(JSONWebToken.parse)
        #expect(token?.audience.first == audience)
        #expect(tokens["error"]?.string == (audience == nil ? "invalid_target" : nil))
    }

    /// Whoever refreshes may turn to another one of them.
    @Test(arguments: [("https://b.example/", 200), ("https://c.example/", 400)])
    func refreshedTokenIsForAResourceOfTheLogin(chosen: String, status: Int) {
        let tokens = answer(toLoginFor: ["https://a.example/", "https://b.example/"], redeemedFor: nil)
        let answer = caller.post(
            Self.issuer + "/token",
            [
                ("grant_type", "refresh_token"), ("resource", chosen),
                ("refresh_token", tokens["refresh_token"]?.string ?? ""),
            ] + Self.secret
        )
        #expect(answer.status == status)
        let token = caller.json(answer)["access_token"]?.string.flatMap(JSONWebToken.parse)
        #expect(token?.audience.first == (status == 200 ? chosen : nil))
    }

    @Test(arguments: ["https://a.example/#part", "api"])
    func loginForWhatIsNoResourceIsRefused(resource: String) {
        let answer = caller.get(Self.issuer + "/authorize", Self.request + [("resource", resource)])
        #expect(answer.parameters.first("error") == "invalid_target")
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

    /// RFC 9449, sections 4.3 and 11.1: made about now, by a key that nobody else has.
    @Test(
        arguments: [
            (300, nil, 200), (301, nil, 400), (-300, nil, 200), (-301, nil, 400),
            (0, "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE", 400),
        ] as [(Int64, String?, Int)]
    )
    func proofIsOfItsTimeAndShowsNoSecret(seconds: Int64, secret: String?, status: Int) throws {
        let proof = try proof("/token", "1", issuedIn: seconds, showing: secret)
        #expect(redeem(code(), headers: [proof]).status == status)
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
}
