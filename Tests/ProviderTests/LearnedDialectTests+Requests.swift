import Captures
import JSON
import OAuth
import TestSupport
import Testing

/// How requests may look at a provider that was seen to take them so.
extension LearnedDialectTests {
    /// RFC 6749, section 3.1.1: refused, but where the recorded provider took it for a code's, as GitHub does.
    @Test(arguments: [true, false])
    func responseTypeIsNeededUnlessTheRecordingDoesWithout(isNamed: Bool) throws {
        var builder = CaptureBuilder()
        let request = Self.loginRequest()
        builder.redirect(
            isNamed ? request : request.replacing("response_type=code&", with: ""),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let answer = Self.signIn(Caller(try Self.provider(builder)), ["response_type": ""])
        #expect(answer.parameters.first("error") == (isNamed ? "invalid_request" : nil))
        #expect((answer.parameters.first("code") == nil) == isNamed)
    }

    /// Whoever proves it otherwise than by the secret that is known was refused for something else.
    @Test(arguments: [[("client_assertion", "a.signed.one"), ("client_assertion_type", "jwt")], []])
    func clientThatProvedItOtherwiseLackedNothing(proof: [(String, String)]) throws {
        let header = proof.isEmpty ? [("Authorization", "[REDACTED]")] : []
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        builder.post(
            Self.issuer + "/token",
            Self.codeForm().dropLast() + proof,
            400,
            headers: header,
            body: .json(#"{"error":"invalid_grant","error_description":"seen before"}"#)
        )
        let caller = Caller(try Self.provider(builder))
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        func redeem(_ form: [(String, String)]) -> JSONValue {
            caller.json(caller.post(Self.base + "/token", form))
        }
        #expect(redeem(Self.codeForm(code).dropLast())["error"] == "invalid_client")
        #expect(redeem(Self.codeForm(code))["access_token"] != nil)
        #expect(redeem(Self.codeForm(code))["error_description"] == "seen before")
    }

    /// RFC 9126, section 4: only what was pushed counts, but where the recorded provider took what stood beside it.
    @Test(arguments: [true, false])
    func parameterBesideAPushedRequestCountsWhereItDidThen(wasPushed: Bool) throws {
        let pushed = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("client_secret", "secret-of-web"),
        ]
        let state = [("state", "state-0123456789")]
        let uri = "urn:ietf:params:oauth:request_uri:XcCReVYn2kgi3fj64wyOtdA0"
        var builder = CaptureBuilder()
        builder.post(
            Self.issuer + "/par",
            pushed + (wasPushed ? state : []),
            201,
            body: .json(#"{"request_uri":"\#(uri)","expires_in":60}"#)
        )
        builder.redirect(
            Self.issuer + "/auth?" + FormBody.encode([("client_id", "web"), ("request_uri", uri)] + state),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let caller = Caller(try Self.provider(builder))
        let fresh = caller.json(caller.post(Self.base + "/par", pushed))["request_uri"]?.string ?? ""
        let answer = caller.get(
            Self.base + "/auth",
            [("client_id", "web"), ("request_uri", fresh), ("state", "state-of-mine")]
        )
        #expect(answer.parameters.first("code") != nil)
        #expect(answer.parameters.first("state") == (wasPushed ? nil : "state-of-mine"))
    }

    /// RFC 9126, section 4, and RFC 6749, section 3.1: what an app was asked by its browser says nothing of the provider.
    @Test(arguments: [true, false])
    func requestURIIsTakenAloneWhereTheProviderTookItSo(wasAlone: Bool) throws {
        let form = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("state", "state-0123456789"), ("client_secret", "secret-of-web"),
        ]
        let uri = "urn:ietf:params:oauth:request_uri:XcCReVYn2kgi3fj64wyOtdA0"
        let back = Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        var builder = CaptureBuilder()
        builder.post(
            Self.issuer + "/par",
            form,
            201,
            body: .json(#"{"request_uri":"\#(uri)","expires_in":60}"#)
        )
        if wasAlone {
            builder.redirect(Self.issuer + "/auth?" + FormBody.encode([("request_uri", uri)]), to: back)
        } else {
            builder.redirect("https://web.example/login?scope=a&scope=b", to: Self.loginRequest())
            builder.get(back)
        }
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let caller = Caller(try Self.provider(builder))
        let fresh = caller.json(caller.post(Self.base + "/par", form))["request_uri"]?.string ?? ""
        let answer = caller.get(Self.base + "/auth", [("request_uri", fresh)])
        #expect(answer.status == (wasAlone ? 302 : 400))
        let repeated = caller.get(Self.base + "/auth", form.dropLast() + [("scope", "email")])
        #expect(repeated.parameters.first("error") == "invalid_request")
    }

    /// RFC 9126, section 4: good once, but where the recorded provider went on with it afterwards.
    @Test(arguments: [true, false])
    func pushedRequestIsGoodAgainWhereItWasThen(wasReused: Bool) throws {
        let pushed = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("state", "state-0123456789"), ("client_secret", "secret-of-web"),
        ]
        let uri = "urn:ietf:params:oauth:request_uri:XcCReVYn2kgi3fj64wyOtdA0"
        var builder = CaptureBuilder()
        let answer = Body.json(#"{"request_uri":"\#(uri)","expires_in":60}"#)
        builder.post(Self.issuer + "/par", pushed, 201, body: answer)
        let codes = wasReused ? ["code-9876543210", "code-0123456789"] : ["code-0123456789"]
        for code in codes {
            builder.redirect(
                Self.issuer + "/auth?" + FormBody.encode([("client_id", "web"), ("request_uri", uri)]),
                to: Self.redirectURI + "?code=\(code)&state=state-0123456789"
            )
        }
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let caller = Caller(try Self.provider(builder))
        let fresh = caller.json(caller.post(Self.base + "/par", pushed))["request_uri"]?.string ?? ""
        let answers = (0..<2).map { _ in
            caller.get(Self.base + "/auth", [("client_id", "web"), ("request_uri", fresh)])
        }
        #expect(answers.map { $0.parameters.first("code") != nil } == [true, wasReused])
    }

    /// RFC 6749, section 3.1, and OpenID Connect Core, section 3.1.2.1: refused, but where the recorded provider took it.
    @Test(arguments: ["&scope=openid", "&prompt=none+login"], [true, false])
    func requestThatIsWrongIsTakenWhereItWasThen(added: String, wasTaken: Bool) throws {
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest() + (wasTaken ? added : ""),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let request = Self.loginRequest().replacing(Self.issuer, with: Self.base)
        let answer = Caller(try Self.provider(builder)).get(request + added)
        #expect(answer.parameters.first("error") == (wasTaken ? nil : "invalid_request"))
    }

    /// RFC 7636, section 4.3: without a method it is the plain one, which the metadata may not have.
    @Test func challengeWithoutAMethodIsTakenWhereItWasThen() throws {
        var builder = CaptureBuilder()
        builder.get(
            Self.issuer + "/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"\(Self.issuer)","authorization_endpoint":"\(Self.issuer)/auth",\
                "token_endpoint":"\(Self.issuer)/token","code_challenge_methods_supported":["S256"]}
                """
            )
        )
        let challenge = "&code_challenge=" + CodeChallenge.s256(of: String(repeating: "Yx8", count: 15))
        builder.redirect(
            Self.loginRequest() + challenge,
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let request = Self.loginRequest().replacing(Self.issuer, with: Self.base)
        let answer = Caller(try Self.provider(builder)).get(request + challenge)
        #expect(answer.parameters.first("code") != nil)
    }

    /// RFC 6749, section 2.3: refused, but where the recorded provider took it, be it in a later login.
    @Test(arguments: [nil, 0, 1])
    func clientThatProvesItselfTwiceIsTakenWhereItWasThen(recorded: Int?) throws {
        let basic = [("Authorization", "Basic " + Base64.encode(Array("web:secret-of-web".utf8)))]
        var builder = CaptureBuilder()
        for (number, digits) in ["0123456789", "9876543210"].enumerated() {
            builder.redirect(
                Self.loginRequest().replacing("0123456789", with: digits),
                to: Self.redirectURI + "?code=code-\(digits)&state=state-\(digits)"
            )
            builder.post(
                Self.issuer + "/token",
                Self.codeForm("code-\(digits)"),
                headers: number == recorded ? basic : [],
                body: Self.answer(number, nil)
            )
        }
        let caller = Caller(try Self.provider(builder))
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        let answer = caller.post(Self.base + "/token", Self.codeForm(code), headers: basic)
        #expect(answer.status == (recorded == nil ? 400 : 200))
    }

    /// RFC 6749, section 2.3: another `client_id` beside the credentials is refused, but where the recorded provider took it.
    @Test(arguments: [true, false])
    func otherNameBesideTheCredentialsIsTakenWhereItWasThen(wasTaken: Bool) throws {
        let basic = [("Authorization", "Basic " + Base64.encode(Array("web:secret-of-web".utf8)))]
        func form(_ code: String, _ name: String) -> [(String, String)] {
            Self.codeForm(code).filter { !$0.0.hasPrefix("client_") } + [("client_id", name)]
        }
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(
            Self.issuer + "/token",
            form("code-0123456789", wasTaken ? "the-other" : "web"),
            headers: basic,
            body: Self.answer(1, nil)
        )
        let caller = Caller(try Self.provider(builder))
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        let answer = caller.post(Self.base + "/token", form(code, "the-other"), headers: basic)
        #expect(answer.status == (wasTaken ? 200 : 400))
    }

    /// A login up to its access token.
    private static var recordedLogin: CaptureBuilder {
        var builder = CaptureBuilder()
        builder.redirect(
            loginRequest(),
            to: redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(issuer + "/token", codeForm(), body: answer(1, nil))
        return builder
    }

    /// Who has logged in at the provider of a recording, and the access token.
    private static func signedIn(at builder: CaptureBuilder) throws -> (Caller, token: String) {
        let caller = Caller(try provider(builder))
        let code = try #require(signIn(caller).parameters.first("code"))
        let tokens = caller.json(caller.post(base + "/token", codeForm(code)))
        return (caller, try #require(tokens["access_token"]?.string))
    }

    /// RFC 6750, section 2: refused, but where the recorded provider told it then.
    @Test(arguments: [true, false])
    func tokenThatIsSentTwiceIsTakenWhereItWasThen(wasTaken: Bool) throws {
        var builder = Self.recordedLogin
        let recorded = "access-token-1-0123456789"
        builder.get(
            Self.issuer + "/userinfo" + (wasTaken ? "?access_token=" + recorded : ""),
            headers: [("Authorization", "Bearer " + recorded)],
            body: .json(#"{"sub":"248289761001"}"#)
        )
        let (caller, token) = try Self.signedIn(at: builder)
        let header = ("Authorization", "Bearer " + token)
        let answer = caller.get(Self.base + "/userinfo", [("access_token", token)], headers: [header])
        #expect(answer.status == (wasTaken ? 200 : 400))
        #expect(caller.get(Self.base + "/userinfo", headers: [header]).status == 200)
    }

    /// RFC 6750, section 3.1: each refusal in the words of its own, whichever came first.
    @Test(arguments: [
        (400, #"{"error":"invalid_request","error_description":"one place only"}"#),
        (401, #"{"error":"invalid_request","error_description":"one place only"}"#),
        (400, #"{"message":"one place only"}"#),
    ]) func refusalOfADoubledTokenIsLearned(status: Int, words: String) throws {
        var builder = Self.recordedLogin
        let recorded = "access-token-1-0123456789"
        let userInfo = Self.issuer + "/userinfo"
        let bearer = [("Authorization", "Bearer " + recorded)]
        builder.get(userInfo + "?access_token=" + recorded, status, headers: bearer, body: .json(words))
        let scope = #"{"error":"insufficient_scope"}"#
        builder.get(userInfo, 403, headers: bearer, body: .json(scope))
        builder.get(userInfo, headers: bearer, body: .json(#"{"sub":"248289761001"}"#))
        let stale = #"{"error":"invalid_token","error_description":"gone"}"#
        builder.get(userInfo, 401, headers: bearer, body: .json(stale))
        let (caller, token) = try Self.signedIn(at: builder)
        let header = ("Authorization", "Bearer " + token)
        let doubled = caller.get(Self.base + "/userinfo", [("access_token", token)], headers: [header])
        #expect(doubled.status == status && doubled.body?.text == words)
        let unknown = caller.get(Self.base + "/userinfo", headers: [("Authorization", "Bearer unknown")])
        #expect(unknown.status == 401 && unknown.body?.text == stale)
        #expect(caller.get(Self.base + "/userinfo", headers: [header]).status == 200)
    }

    /// Facebook's clients ask so, and name no grant.
    @Test func codeIsTakenInAQuery() throws {
        func query(_ code: String) -> [(String, String)] {
            Self.codeForm(code).filter { $0.0 != "grant_type" }
        }
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        let path = "/oauth/access_token"
        builder.get(
            Self.issuer + path + "?" + FormBody.encode(query("code-0123456789")),
            body: Self.answer(1, nil)
        )
        let caller = Caller(try Self.provider(builder))
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        #expect(caller.json(caller.get(Self.base + path, query(code)))["access_token"] != nil)
        #expect(caller.get(Self.base + path).status == 405)
    }

    /// RFC 7009, section 2.1: refused for others, but where the recorded provider did it, as Google's does for who gives no name.
    @Test(
        arguments: [
            ("web", false, 400, 401), ("back", false, 200, 401), (nil, false, 400, 200),
            (nil, true, 400, 200),
        ] as [(String?, Bool, Int, Int)]
    )
    func tokenIsRevokedForWhomItWasThen(
        client: String?,
        isInQuery: Bool,
        byAnother: Int,
        byNobody: Int
    ) throws {
        func credentials(_ client: String?) -> [(String, String)] {
            client.map { [("client_id", $0), ("client_secret", "secret-of-\($0)")] } ?? []
        }
        func request(_ token: String, _ client: String?) -> (target: String, form: [(String, String)]) {
            isInQuery
                ? ("/revoke?token=\(token)", credentials(client))
                : ("/revoke", [("token", token)] + credentials(client))
        }
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil))
        let own = [("grant_type", "client_credentials")] + credentials("back")
        builder.post(Self.issuer + "/token", own, body: Self.answer(2, nil))
        let recorded = request("access-token-1-0123456789", client)
        builder.post(Self.issuer + recorded.target, recorded.form)
        let caller = Caller(try Self.provider(builder))
        func revoke(by client: String?) -> Int {
            let code = Self.signIn(caller).parameters.first("code") ?? ""
            let tokens = caller.json(caller.post(Self.base + "/token", Self.codeForm(code)))
            let sent = request(tokens["access_token"]?.string ?? "", client)
            return caller.post(Self.base + sent.target, sent.form).status
        }
        #expect(revoke(by: "back") == byAnother)
        #expect(revoke(by: nil) == byNobody)
        #expect(revoke(by: "web") == 200)
    }

    /// An export without credentials shows nobody who gave no name, beside another file either: its token request has none, too.
    @Test(arguments: [false, true]) func credentialsThatWereTakenOutTeachNothing(isBesides: Bool) throws {
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        let form = Self.codeForm().filter { !$0.0.hasPrefix("client_") }
        builder.post(Self.issuer + "/token", form, body: Self.answer(1, nil))
        builder.post(Self.issuer + "/revoke", [("token", "access-token-1-0123456789")])
        var capture = builder.capture
        if isBesides {
            builder.get("https://news.example/", headers: [("Cookie", "edition=evening")])
            let exchanges = builder.exchanges.map { exchange in
                var exchange = exchange
                let isOther = exchange.request.url.host == "news.example"
                exchange.provenance.seen = [
                    Provenance.Sighting(file: isOther ? "news.har" : "login.har", entry: 0)
                ]
                return exchange
            }
            capture = Capture(exchanges)
        }
        let caller = Caller(try RecordedProviderTests.provider(capture))
        let code = Self.signIn(caller).parameters.first("code") ?? ""
        let tokens = caller.json(caller.post(Self.base + "/token", Self.codeForm(code)))
        let token = [("token", tokens["access_token"]?.string ?? "")]
        #expect(caller.post(Self.base + "/revoke", token).status == 401)
    }

    /// RFC 6749, section 4.4.2.
    @Test(arguments: [true, false])
    func jsonIsTakenWhereItWasThen(wasTaken: Bool) throws {
        let form = [
            ("grant_type", "client_credentials"), ("client_id", "web"), ("client_secret", "secret-of-web"),
        ]
        let json = Body.json(
            JSONWriter.text(
                of: .object(JSONObject(form.map { JSONObject.Member(name: $0.0, value: .string($0.1)) }))
            )
        )
        var builder = CaptureBuilder()
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "POST",
                    url: RecordedURL(Self.issuer + "/token"),
                    body: wasTaken ? json : Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
                ),
                response: RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: Self.answer(1, nil)
                )
            )
        )
        let answer = Caller(try Self.provider(builder)).send("POST", Self.base + "/token", json)
        #expect(answer.status == (wasTaken ? 200 : 400))
    }
}
