import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Requests that were pushed or signed, and clients that sign who they are.
extension BuiltInEndpointsTests {
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

    /// OpenID Connect Core, section 3.1.2.1; without the scope `openid` a client's only one may be left out (RFC 6749, section 3.1.2.3).
    @Test func requestOfOpenIDConnectNamesItsRedirectURI() {
        let request = Self.request.filter { $0.0 != "redirect_uri" }
        let refused = caller.get(Self.issuer + "/authorize", request)
        #expect(refused.status == 400 && refused.location == nil)
        let pushed = caller.post(Self.issuer + "/par", request + [("client_secret", "shop-secret")])
        #expect(pushed.status == 400 && caller.json(pushed)["error"] == "invalid_request")
        let plain = request.filter { $0.0 != "scope" } + [("scope", "read")]
        #expect(signIn(caller.get(Self.issuer + "/authorize", plain)).parameters.first("code") != nil)
    }

    /// RFC 6749, section 3.2.
    @Test func tokenRequestByGETIsRefused() {
        let form =
            Self.secret + [
                ("grant_type", "authorization_code"), ("code", code() ?? ""),
                ("redirect_uri", Self.redirectURI),
            ]
        #expect(caller.get(Self.issuer + "/token", form).status == 405)
        #expect(caller.post(Self.issuer + "/token", form).status == 200)
    }

    /// OpenID Connect Core, section 3.1.2.6: nobody is connected to.
    @Test func requestByReferenceIsNotFetched() {
        let reference = [("request_uri", "https://shop.example/request.jwt")]
        let told = caller.get(Self.issuer + "/authorize", Self.request + reference)
        #expect(told.parameters.first("error") == "request_uri_not_supported")
        #expect(told.parameters.first("state") == "a-state")
        // Who asks does not show.
        let page = caller.get(Self.issuer + "/authorize", [("client_id", "stranger")] + reference)
        #expect(page.status == 400 && page.location == nil)
    }

    /// RFC 6749, section 4.1.3 and others: JSON is no form.
    @Test(arguments: ["/token", "/par", "/revoke", "/introspect", "/device_authorization", "/bc-authorize"])
    func parametersAreReadFromAForm(path: String) {
        let members =
            #""client_id":"shop","client_secret":"shop-secret","grant_type":"client_credentials","token":"t""#
        let answer = caller.send("POST", Self.issuer + path, .json("{\(members)}"))
        #expect(answer.status == 400 && caller.json(answer)["error"] == "invalid_request")
        let words = caller.json(answer)["error_description"]?.string
        #expect(words?.contains("form") ?? false)
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
}
