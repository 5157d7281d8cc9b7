import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// What a provider is seen to do beyond what all do: played, where the recording shows it, and nowhere else.
struct LearnedDialectTests {
    static let issuer = "https://id.example"
    static let redirectURI = "https://web.example/cb"
    static let base = RecordedProviderTests.base

    // MARK: - Recordings

    private static func token(_ claims: JSONObject) throws -> String {
        let key = try #require(RecordedProviderTests.elliptic)
        return try JSONWebToken.sign(
            claims: claims,
            header: ["typ": "JWT", "kid": "key-1"],
            algorithm: .es256,
            with: .privateKey(key)
        )
    }

    private static func idToken(nonce: String?) throws -> String {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "alice", "aud": "web", "iat": 1_780_000_000, "exp": 1_780_000_600,
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return try token(claims)
    }

    static func answer(_ number: Int, _ refresh: String?, idToken: String? = nil) -> Body {
        var members: JSONObject = [
            "access_token": .string("access-token-\(number)-0123456789"), "token_type": "Bearer",
            "expires_in": 600,
        ]
        members["refresh_token"] = refresh.map { .string($0) }
        members["id_token"] = idToken.map { .string($0) }
        return .json(JSONWriter.text(of: .object(members)))
    }

    static func loginRequest(at issuer: String = issuer) -> String {
        issuer + "/auth?"
            + FormBody.encode([
                ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI),
                ("scope", "openid"), ("state", "state-0123456789"), ("nonce", "nonce-0123456789"),
            ])
    }

    static func codeForm(_ code: String = "code-0123456789") -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("client_id", "web"), ("client_secret", "secret-of-web"),
        ]
    }

    private static func refreshForm(_ token: String, _ client: String = "web") -> [(String, String)] {
        [
            ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client),
            ("client_secret", "secret-of-\(client)"),
        ]
    }

    /// A login of `web` that brought `refresh-token-1`.
    private static func login(into builder: inout CaptureBuilder, at issuer: String = issuer) throws {
        builder.redirect(
            loginRequest(at: issuer),
            to: redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(
            issuer + "/token",
            codeForm(),
            body: answer(1, "refresh-token-1-0123456789", idToken: try idToken(nonce: "nonce-0123456789"))
        )
    }

    /// What a refresh with a token was answered.
    private static func refresh(
        _ builder: inout CaptureBuilder,
        _ number: Int,
        with token: Int,
        by client: String = "web",
        idToken: String? = nil
    ) {
        builder.post(
            issuer + "/token",
            refreshForm("refresh-token-\(token)-0123456789", client),
            body: answer(number, "refresh-token-\(number)-0123456789", idToken: idToken)
        )
    }

    // MARK: - Playing

    static func provider(_ builder: CaptureBuilder, isAsRecorded: Bool = false) throws
        -> RecordedProvider
    {
        try RecordedProviderTests.provider(builder.capture) { $0.isAsRecorded = isAsRecorded }
    }

    static func signIn(_ caller: Caller, _ changes: [String: String] = [:]) -> RecordedResponse {
        let usual = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("scope", "openid"), ("state", "state-of-mine"), ("nonce", "nonce-of-mine"),
        ]
        let added = changes.filter { change in !usual.contains { $0.0 == change.key } }.map { ($0, $1) }
        return caller.get(base + "/auth", usual.map { ($0.0, changes[$0.0] ?? $0.1) } + added)
    }

    /// The refresh token of a new login.
    private static func refreshToken(_ caller: Caller) throws -> String {
        let code = try #require(signIn(caller).parameters.first("code"))
        let tokens = caller.json(caller.post(base + "/token", codeForm(code)))
        return try #require(tokens["refresh_token"]?.string)
    }

    private static func refresh(_ token: String, by client: String = "web", at caller: Caller) -> JSONValue {
        caller.json(caller.post(base + "/token", refreshForm(token, client)))
    }

    private static func nonce(of answer: JSONValue) throws -> String? {
        let token = try #require(answer["id_token"]?.string.flatMap(JSONWebToken.parse))
        return token.claim("nonce")?.string
    }

    // MARK: - Issuers

    /// As Keycloak behind a proxy that ends TLS says: what is signed afresh is right.
    @Test(arguments: [("http://id.example", base), ("https://another.example", "https://another.example")])
    func tokenIsOfThisProviderWhateverTheSchemeWas(recorded: String, played: String) throws {
        var builder = CaptureBuilder()
        builder.get(
            Self.issuer + "/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"\(Self.issuer)","authorization_endpoint":"\(Self.issuer)/auth",\
                "token_endpoint":"\(Self.issuer)/token","jwks_uri":"\(Self.issuer)/jwks"}
                """
            )
        )
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        let token = try Self.token([
            "iss": .string(recorded), "sub": "alice", "aud": "web", "iat": 1_780_000_000,
            "exp": 1_780_000_600, "nonce": "nonce-0123456789",
        ])
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil, idToken: token))
        let caller = Caller(try Self.provider(builder))
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        let tokens = caller.json(caller.post(Self.base + "/token", Self.codeForm(code)))
        let issued = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(issued.issuer == played)
    }

    /// Whoever keeps keys by name meets a new one after a restart, also where the recorded name was short.
    @Test(arguments: [("key-1", true), ("signing-key-2026-07", false)])
    func keyHasANameOfItsOwn(recorded: String, isThumbprint: Bool) throws {
        var builder = CaptureBuilder()
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        let token = try JSONWebToken.sign(
            claims: ["iss": .string(Self.issuer), "sub": "alice", "aud": "web"],
            header: ["kid": .string(recorded)],
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
        builder.post(Self.issuer + "/token", Self.codeForm(), body: Self.answer(1, nil, idToken: token))
        let provider = try Self.provider(builder)
        let caller = Caller(provider)
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        let set = caller.json(caller.get(try #require(metadata["jwks_uri"]?.string)))
        let key = JSONWebKey(json: try #require(set["keys"]?.array?.first?.object))
        #expect(key.id != recorded)
        #expect((key.id == key.thumbprint) == isThumbprint)
        #expect(isThumbprint || key.id?.utf8.count == recorded.utf8.count)
        let code = try #require(Self.signIn(caller).parameters.first("code"))
        let tokens = caller.json(caller.post(Self.base + "/token", Self.codeForm(code)))
        #expect(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)?.keyID == key.id)
    }

    /// RFC 9207, section 2: errors, too.
    @Test(arguments: [true, false])
    func errorNamesTheIssuerWhereOneDidThen(isNamed: Bool) throws {
        var builder = CaptureBuilder()
        let issuer = isNamed ? "&iss=" + PercentEncoding.encode(Self.issuer) : ""
        builder.redirect(
            Self.loginRequest(),
            to: Self.redirectURI + "?error=access_denied&state=state-0123456789" + issuer
        )
        let caller = Caller(try Self.provider(builder, isAsRecorded: true))
        let answer = Self.signIn(caller)
        #expect(answer.parameters.first("error") == "access_denied")
        #expect(answer.parameters.first("iss") == (isNamed ? Self.base : nil))
    }

    /// RFC 8414, section 2: where tokens come by way of the browser alone there is nothing that takes a code.
    @Test func providerWithoutATokenEndpointPromisesNone() throws {
        var builder = CaptureBuilder()
        let answer = "#access_token=access-token-1-0123456789&token_type=Bearer&state=state-0123456789"
        builder.redirect(
            Self.loginRequest().replacing("response_type=code", with: "response_type=token"),
            to: Self.redirectURI + answer
        )
        let provider = try Self.provider(builder)
        let caller = Caller(provider)
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        #expect(metadata["response_types_supported"] == ["token"])
        #expect(metadata["token_endpoint"] == nil && metadata["grant_types_supported"] == ["implicit"])
    }

    // MARK: - Response tokens

    @Test func responseTokenNamesItsOtherAudiencesToo() throws {
        var builder = CaptureBuilder()
        let response = try Self.token([
            "iss": .string(Self.issuer), "aud": ["web-mobile", "web"], "exp": 1_780_000_600,
            "code": "code-0123456789", "state": "state-0123456789",
        ])
        builder.redirect(
            Self.loginRequest() + "&response_mode=query.jwt",
            to: Self.redirectURI + "?response=" + response
        )
        builder.post(
            Self.issuer + "/token",
            Self.codeForm(),
            body: Self.answer(1, nil, idToken: try Self.idToken(nonce: "nonce-0123456789"))
        )
        let provider = try RecordedProviderTests.provider(builder.capture) {
            $0.clients = [.init(id: "own", secret: "own-secret")]
            $0.redirectURIs = ["http://localhost:3000/cb"]
            $0.autoLogin = ""
        }
        for (client, uri) in [("web", Self.redirectURI), ("own", "http://localhost:3000/cb")] {
            let answer = Self.signIn(
                Caller(provider),
                ["client_id": client, "redirect_uri": uri, "response_mode": "query.jwt"]
            )
            let token = try #require(answer.parameters.first("response").flatMap { JSONWebToken.parse($0) })
            #expect(token.claim("aud") == ["web-mobile", .string(client)])
        }
    }

    // MARK: - Refreshed ID tokens

    @Test(arguments: [("nonce-0123456789", "nonce-of-mine"), (nil, nil)] as [(String?, String?)])
    func refreshedIDTokenHasTheNonceWhereTheRecordedOneHas(recorded: String?, played: String?) throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        Self.refresh(&builder, 2, with: 1, idToken: try Self.idToken(nonce: recorded))
        for isAsRecorded in [false, true] {
            let caller = Caller(try Self.provider(builder, isAsRecorded: isAsRecorded))
            let answer = Self.refresh(try Self.refreshToken(caller), at: caller)
            #expect(try Self.nonce(of: answer) == played)
        }
    }

    @Test func nonceThatNobodyAskedForIsPlayedOnlyAsRecorded() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        Self.refresh(&builder, 2, with: 1, idToken: try Self.idToken(nonce: "another-0123456789"))
        let correct = Caller(try Self.provider(builder))
        let answer = Self.refresh(try Self.refreshToken(correct), at: correct)
        #expect(try Self.nonce(of: answer) == "nonce-of-mine")

        let alike = Caller(try Self.provider(builder, isAsRecorded: true))
        let token = try Self.refreshToken(alike)
        let nonce = try #require(try Self.nonce(of: Self.refresh(token, at: alike)))
        #expect(nonce != "nonce-of-mine" && nonce != "another-0123456789")
        #expect(nonce.utf8.count == "another-0123456789".utf8.count)
    }

    @Test func nonceOfALoginBeforeTheRecordingIsKept() throws {
        var builder = CaptureBuilder()
        Self.refresh(&builder, 2, with: 1, idToken: try Self.idToken(nonce: "nonce-0123456789"))
        let caller = Caller(try Self.provider(builder))
        let answer = Self.refresh("refresh-token-1-0123456789", at: caller)
        #expect(try Self.nonce(of: answer) == "nonce-0123456789")
    }

    // MARK: - Refresh tokens that are used again

    @Test func laterUseOfARefreshTokenIsAnsweredAsItWasThen() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        Self.refresh(&builder, 2, with: 1, idToken: try Self.idToken(nonce: nil))
        Self.refresh(&builder, 3, with: 1)
        let caller = Caller(try Self.provider(builder))
        let token = try Self.refreshToken(caller)
        let answers = (0..<3).map { _ in Self.refresh(token, at: caller) }
        #expect(answers.map { $0["access_token"] != nil } == [true, true, true])
        #expect(answers.map { $0["id_token"] != nil } == [true, false, false])
        // Each token counts for itself.
        let next = try #require(answers[0]["refresh_token"]?.string)
        #expect(Self.refresh(next, at: caller)["id_token"] != nil)
    }

    @Test func replacedRefreshTokenIsGoodOnceWhereNoneWasSeenAgain() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        // Kept at first, used again, and only then replaced: nothing was taken that had been.
        builder.post(
            Self.issuer + "/token",
            Self.refreshForm("refresh-token-1-0123456789"),
            body: Self.answer(2, "refresh-token-1-0123456789")
        )
        Self.refresh(&builder, 3, with: 1)
        let caller = Caller(try Self.provider(builder))
        let token = try Self.refreshToken(caller)
        #expect(Self.refresh(token, at: caller)["refresh_token"]?.string == token)
        let replaced = Self.refresh(token, at: caller)["refresh_token"]?.string
        #expect(replaced != nil && replaced != token)
        #expect(Self.refresh(token, at: caller)["error"] == "invalid_grant")
    }

    // MARK: - Refresh tokens of others

    @Test func refreshTokenIsSharedOnlyAsItWasSeen() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        Self.refresh(&builder, 2, with: 1, by: "jobs")
        let provider = try RecordedProviderTests.provider(builder.capture) {
            $0.clients = [.init(id: "stranger", secret: "secret-of-stranger")]
        }
        let caller = Caller(provider)
        let token = try Self.refreshToken(caller)
        #expect(Self.refresh(token, by: "stranger", at: caller)["error"] == "invalid_grant")
        let shared = try #require(Self.refresh(token, by: "jobs", at: caller)["refresh_token"]?.string)
        // What came is the other one's own, and was never taken from the first.
        #expect(Self.refresh(shared, at: caller)["error"] == "invalid_grant")
        #expect(Self.refresh(shared, by: "jobs", at: caller)["access_token"] != nil)
    }

    @Test func refreshTokenOfAnotherClientIsRefusedWhereNoneWasTaken() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        Self.refresh(&builder, 2, with: 1)
        Self.refresh(&builder, 8, with: 7, by: "jobs")
        let caller = Caller(try Self.provider(builder))
        let token = try Self.refreshToken(caller)
        #expect(Self.refresh(token, by: "jobs", at: caller)["error"] == "invalid_grant")
        #expect(Self.refresh(token, at: caller)["access_token"] != nil)
    }

    @Test func textThatStandsForManyTokensShowsNothing() throws {
        var builder = CaptureBuilder()
        try Self.login(into: &builder)
        for client in ["web", "jobs", "web"] {
            builder.post(
                Self.issuer + "/token",
                Self.refreshForm("[redacted]", client),
                body: Self.answer(2, "[redacted]")
            )
        }
        let caller = Caller(try Self.provider(builder))
        let token = try Self.refreshToken(caller)
        #expect(Self.refresh(token, by: "jobs", at: caller)["error"] == "invalid_grant")
    }

    // MARK: - Several issuers at one host

    private static func addMetadata(of issuer: String, to builder: inout CaptureBuilder) {
        let document: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/auth"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/jwks"),
        ]
        builder.get(
            issuer + "/.well-known/openid-configuration",
            body: .json(JSONWriter.text(of: .object(document)))
        )
    }

    @Test(arguments: [[issuer + "/staging", issuer], [issuer, issuer + "/staging"]])
    func metadataOfAnUnusedIssuerStayItsOwn(order: [String]) throws {
        var builder = CaptureBuilder()
        for issuer in order { Self.addMetadata(of: issuer, to: &builder) }
        try Self.login(into: &builder)
        let provider = try Self.provider(builder)
        #expect(provider.issuers.map(\.identifier) == [Self.base])
        #expect(provider.issuers[0].remarks.contains { $0.contains(Self.issuer + "/staging") })
        let caller = Caller(provider)
        for issuer in [Self.base, Self.base + "/staging"] {
            let metadata = caller.json(caller.get(issuer + "/.well-known/openid-configuration"))
            #expect(metadata["issuer"]?.string == issuer)
            #expect(metadata["token_endpoint"]?.string == issuer + "/token")
        }
        // Nobody answers in the name of another one.
        #expect(caller.post(Self.base + "/staging/token", Self.codeForm()).status == 404)
        #expect(caller.get(Self.base + "/staging/jwks").status == 404)
        #expect(caller.get(Self.base + "/jwks").status == 200)
    }

    @Test func issuersThatAreBothUsedSpeakForThemselves() throws {
        var builder = CaptureBuilder()
        let staging = Self.issuer + "/staging"
        for issuer in [Self.issuer, staging] { Self.addMetadata(of: issuer, to: &builder) }
        try Self.login(into: &builder)
        // The second client asked for its own only.
        var other = CaptureBuilder()
        Self.addMetadata(of: staging, to: &other)
        other.redirect(
            staging + "/auth?response_type=code&client_id=app&scope=openid&state=state-of-staging"
                + "&redirect_uri=https%3A%2F%2Fapp.example%2Fcb",
            to: "https://app.example/cb?code=code-of-staging-01&state=state-of-staging"
        )
        other.post(
            staging + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "code-of-staging-01"),
                ("redirect_uri", "https://app.example/cb"), ("client_id", "app"),
            ],
            body: Self.answer(5, nil)
        )
        let provider = try RecordedProvider(captures: [builder.capture, other.capture], baseURL: Self.base)
        #expect(provider.issuers.map(\.identifier) == [Self.base, Self.base + "/staging"])
        #expect(provider.issuers.map { $0.clients.map(\.id) } == [["web"], ["app"]])
        let caller = Caller(provider)
        for issuer in provider.issuers {
            let metadata = caller.json(caller.get(issuer.discovery))
            #expect(metadata["issuer"]?.string == issuer.identifier)
            #expect(!issuer.remarks.contains { $0.contains("but its metadata") })
        }
        // The clients of one are strangers to the other.
        let answer = caller.post(Self.base + "/staging/token", Self.codeForm())
        #expect(caller.json(answer)["error"] == "invalid_client")
    }
}
