import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// What a request may ask for by a parameter of its own, and by which methods.
extension BuiltInEndpointsTests {
    private static let authorize = issuer + "/authorize"

    /// A browser in which alice is signed in.
    private func cookie() -> (String, String) {
        signIn(caller.get(Self.authorize, Self.request)).cookieHeader
    }

    private func tokens(_ code: String?) -> JSONValue { caller.json(redeem(code)) }

    private func refresh(_ token: String, _ scope: String?) -> JSONValue {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)] + Self.secret
        return caller.json(caller.post(Self.issuer + "/token", form + (scope.map { [("scope", $0)] } ?? [])))
    }

    // MARK: - Refreshes

    /// RFC 6749, section 6: less may be asked for each time, and the new refresh token is for no less than the old one.
    @Test func replacedRefreshTokenHasAllOfTheScope() throws {
        let request = Self.request.filter { $0.0 != "scope" } + [("scope", "openid profile email")]
        let first = tokens(signIn(caller.get(Self.authorize, request)).parameters.first("code"))
        let less = refresh(try #require(first["refresh_token"]?.string), "openid email")
        #expect(less["scope"] == "openid email")
        let more = refresh(try #require(less["refresh_token"]?.string), "openid profile")
        #expect(more["scope"] == "openid profile")
        let all = refresh(try #require(more["refresh_token"]?.string), nil)
        #expect(all["scope"] == "openid profile email")
        let tooMuch = refresh(try #require(all["refresh_token"]?.string), "openid phone")
        #expect(tooMuch["error"] == "invalid_scope")
    }

    /// RFC 6749, section 3.3: a scope has at least one word.
    @Test func scopeOfNothingIsNotTold() throws {
        let plain = Self.request.filter { $0.0 != "scope" }
        let answer = tokens(signIn(caller.get(Self.authorize, plain)).parameters.first("code"))
        let token = try #require(answer["access_token"]?.string)
        #expect(answer["scope"] == nil)
        let own = caller.post(Self.issuer + "/token", [("grant_type", "client_credentials")] + Self.secret)
        #expect(own.status == 200 && caller.json(own)["scope"] == nil)
        let told = caller.json(caller.post(Self.issuer + "/introspect", [("token", token)] + Self.secret))
        #expect(told["active"] == true && told["scope"] == nil)
    }

    // MARK: - Parameters

    /// RFC 6749, section 3.1: it counts as left out.
    @Test func parameterWithoutAValueIsNone() throws {
        let empty = [("request", ""), ("request_uri", ""), ("max_age", ""), ("claims", "")]
        #expect(signIn(caller.get(Self.authorize, Self.request + empty)).parameters.first("code") != nil)
        let pushed = caller.post(Self.issuer + "/par", Self.request + empty + [Self.secret[1]])
        #expect(pushed.status == 201 && caller.json(pushed)["request_uri"] != nil)
        // The client has but one, and so it may be left out both times.
        let plain =
            Self.request.filter { !["redirect_uri", "scope"].contains($0.0) } + [("redirect_uri", "")]
        let code = signIn(caller.get(Self.authorize, plain)).parameters.first("code")
        let form = [("grant_type", "authorization_code"), ("code", code ?? "")] + Self.secret
        #expect(caller.post(Self.issuer + "/token", form).status == 200)
    }

    /// OpenID Connect Core, section 3.1.2.1.
    @Test(
        arguments: [
            ("abc", "invalid_request"), ("-1", "invalid_request"), ("1.5", "invalid_request"),
            ("60", nil), ("99999999999999999999", nil),
        ] as [(String, String?)]
    )
    func maximumAgeIsANumberOfSeconds(age: String, error: String?) {
        let known = caller.get(Self.authorize, Self.request + [("max_age", age)], headers: [cookie()])
        #expect(known.parameters.first("error") == error)
        #expect((known.parameters.first("code") != nil) == (error == nil))
        let pushed = caller.post(Self.issuer + "/par", Self.request + [("max_age", age), Self.secret[1]])
        #expect(caller.json(pushed)["error"]?.string == error)
    }

    /// OpenID Connect Core, section 3.1.2.1.
    @Test(arguments: [("login", true), ("select_account", true), ("consent", false), ("", false)])
    func knownBrowserIsAskedWhereThePromptWantsIt(prompt: String, isAsked: Bool) {
        let answer = caller.get(Self.authorize, Self.request + [("prompt", prompt)], headers: [cookie()])
        #expect(answer.status == (isAsked ? 200 : 302))
    }

    @Test(arguments: [("alice", "alice"), ("\"><b>", "\"><b>"), ("", nil)] as [(String, String?)])
    func hintOfANameStandsInThePage(hint: String, value: String?) {
        let page = caller.get(Self.authorize, Self.request + [("login_hint", hint)]).body?.text ?? ""
        let field = HTMLForm.all(in: page).first?.fields.first { $0.name == "username" }
        #expect((field?.value ?? "") == value ?? "" && !page.contains("<b>\""))
    }

    // MARK: - Claims by name (OpenID Connect Core, section 5.5)

    @Test func claimIsToldWhereItIsAskedForByName() throws {
        let claims =
            #"{"userinfo":{"email":null},"id_token":{"name":{"essential":true},"phone_number":null}}"#
        let page = caller.get(Self.authorize, Self.request + [("claims", claims)])
        let answer = tokens(signIn(page).parameters.first("code"))
        let token = try #require(answer["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("name") == "Alice" && token.claim("email") == nil)
        #expect(token.claim("phone_number") == nil)
        let bearer = ("Authorization", "Bearer \(answer["access_token"]?.string ?? "")")
        let told = caller.json(caller.get(Self.issuer + "/userinfo", headers: [bearer]))
        #expect(told["email"] == "alice@idp.example" && told["name"] == nil)
    }

    /// Section 5.5.1.1.
    @Test(arguments: [
        (#"{"acr":{"essential":true,"values":["gold","silver"]}}"#, "gold"),
        (#"{"acr":{"value":"silver"}}"#, "silver"), (#"{"acr":null}"#, "bronze"),
    ])
    func wayOfSigningInIsAskedForAsAClaim(claims: String, acr: String) throws {
        let asked = [("acr_values", "bronze"), ("claims", "{\"id_token\":\(claims)}")]
        let page = caller.get(Self.authorize, Self.request + asked)
        let answer = tokens(signIn(page).parameters.first("code"))
        let token = try #require(answer["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("acr") == .string(acr))
    }

    @Test(arguments: ["{", "[]", "email"])
    func claimsThatCannotBeReadAreAnInvalidRequest(claims: String) {
        let answer = caller.get(Self.authorize, Self.request + [("claims", claims)])
        #expect(answer.parameters.first("error") == "invalid_request")
    }

    // MARK: - Methods

    /// RFC 9110, section 9.3.2.
    @Test func headIsAnsweredAsGet() throws {
        let token = try #require(tokens(code())["access_token"]?.string)
        let bearer = ("Authorization", "Bearer \(token)")
        #expect(caller.send("HEAD", Self.issuer + "/userinfo", nil, [bearer]).status == 200)
        #expect(caller.send("HEAD", Self.issuer + "/userinfo", nil).status == 401)
        let query = FormBody.encode(Self.request)
        #expect(caller.send("HEAD", Self.authorize + "?" + query, nil).status == 200)
    }

    /// RFC 9110, section 15.5.6.
    @Test(arguments: [
        ("/authorize", "GET, HEAD, POST"), ("/userinfo", "GET, HEAD, POST"), ("/logout", "GET, HEAD, POST"),
        ("/jwks", "GET, HEAD"), ("/.well-known/openid-configuration", "GET, HEAD"), ("/token", "POST"),
    ])
    func otherMethodIsTold(path: String, methods: String) {
        let answer = caller.send("PUT", Self.issuer + path, nil)
        #expect(answer.status == 405 && answer.headers.first("allow") == methods)
    }
}
