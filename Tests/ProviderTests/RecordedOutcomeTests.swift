import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// What a provider did of its own accord, done once more.
struct RecordedOutcomeTests {
    private static let issuer = "https://id.example"
    private static let redirectURI = "https://web.example/cb"
    private static let base = RecordedProviderTests.base
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    // MARK: - Recordings

    private static func query(_ number: Int) -> [(String, String)] {
        [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("scope", "openid"), ("state", "state-\(number)-0123456789"),
        ]
    }

    /// A login that is answered at once, by a browser that has these cookies and gets that one.
    private static func login(
        into builder: inout CaptureBuilder,
        _ number: Int,
        answer: String,
        cookies: (sent: String?, set: String?) = (nil, nil)
    ) {
        let location = "\(redirectURI)?\(answer)&state=state-\(number)-0123456789"
        builder.get(
            issuer + "/auth?" + FormBody.encode(query(number)),
            302,
            headers: cookies.sent.map { [("Cookie", $0)] } ?? [],
            answer: [("Location", location)] + (cookies.set.map { [("Set-Cookie", $0)] } ?? [])
        )
    }

    private static func form(_ code: String, verifier: String? = nil) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("client_id", "web"),
        ] + (verifier.map { [("code_verifier", $0)] } ?? [])
    }

    private static func idToken(lifetime: Int64) throws -> String {
        let start: Int64 = 1_780_000_000
        return try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": "alice", "aud": "web", "iat": .number(JSONNumber(start)),
                "exp": .number(JSONNumber(start + lifetime)),
            ],
            header: ["typ": "JWT", "kid": "key-1"],
            algorithm: .es256,
            with: .privateKey(try #require(RecordedProviderTests.elliptic))
        )
    }

    private static func tokens(_ idToken: String? = nil) -> Body {
        let token = idToken.map { #","id_token":"\#($0)""# } ?? ""
        return .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"\#(token)}"#)
    }

    private static func caller(_ builder: CaptureBuilder, isAsRecorded: Bool = true, faults: [Fault] = [])
        throws -> Caller
    {
        Caller(
            try RecordedProviderTests.provider(builder.capture) {
                $0.isAsRecorded = isAsRecorded
                $0.faults = faults
            }
        )
    }

    private static func code(_ caller: Caller) throws -> String {
        try #require(caller.get(base + "/auth", query(7)).parameters.first("code"))
    }

    // MARK: - Logins

    @Test func browserThatIsKnownMeetsTheRecordedError() throws {
        var builder = CaptureBuilder()
        Self.login(
            into: &builder,
            1,
            answer: "code=code-0123456789",
            cookies: (nil, "sid=kX29faB71qP40zL8s; Path=/")
        )
        builder.post(Self.issuer + "/token", Self.form("code-0123456789"), body: Self.tokens())
        Self.login(
            into: &builder,
            2,
            answer: "error=invalid_request",
            cookies: ("sid=kX29faB71qP40zL8s", "seen=pQ83fcD55rQ61yM2t; Path=/")
        )
        for isAsRecorded in [true, false] {
            let caller = try Self.caller(builder, isAsRecorded: isAsRecorded)
            let first = caller.get(Self.base + "/auth", Self.query(1))
            #expect(first.parameters.contains("code") && !first.setCookies.isEmpty)
            let second = caller.get(Self.base + "/auth", Self.query(2), headers: [first.cookieHeader])
            #expect(second.parameters.first("error") == (isAsRecorded ? "invalid_request" : nil))
            #expect(second.parameters.contains("code") == !isAsRecorded)
        }
    }

    @Test func browserThatIsKnownGetsTheRecordedCookie() throws {
        var builder = CaptureBuilder()
        for number in 1...2 {
            Self.login(
                into: &builder,
                number,
                answer: "code=code-\(number)-0123456789",
                cookies: (
                    number == 1 ? nil : "sid=kX29faB71qP40zL8s",
                    number == 1 ? "sid=kX29faB71qP40zL8s; Path=/" : "seen=pQ83fcD55rQ61yM2t; Path=/"
                )
            )
            builder.post(
                Self.issuer + "/token",
                Self.form("code-\(number)-0123456789"),
                body: Self.tokens()
            )
        }
        let caller = try Self.caller(builder)
        let first = caller.get(Self.base + "/auth", Self.query(1))
        let second = caller.get(Self.base + "/auth", Self.query(2), headers: [first.cookieHeader])
        #expect(second.parameters.contains("code"))
        #expect(second.setCookies.map(\.name) == ["seen"])
    }

    // MARK: - Tokens

    /// RFC 7636, section 4.1 has 43 characters and more.
    @Test(arguments: [true, false]) func shortVerifierIsTakenWhereItWas(wasTaken: Bool) throws {
        let short = "a-short-verifier"
        func query(_ number: Int, _ verifier: String) -> [(String, String)] {
            Self.query(number) + [
                ("code_challenge", CodeChallenge.s256(of: verifier)), ("code_challenge_method", "S256"),
            ]
        }
        let verifier = wasTaken ? short : Self.verifier
        var builder = CaptureBuilder()
        builder.redirect(
            Self.issuer + "/auth?" + FormBody.encode(query(1, verifier)),
            to: "\(Self.redirectURI)?code=code-0123456789&state=state-1-0123456789"
        )
        builder.post(
            Self.issuer + "/token",
            Self.form("code-0123456789", verifier: verifier),
            body: Self.tokens()
        )
        let caller = try Self.caller(builder, isAsRecorded: false)
        let code = caller.get(Self.base + "/auth", query(7, short)).parameters.first("code")
        let answer = caller.post(Self.base + "/token", Self.form(try #require(code), verifier: short))
        #expect(answer.status == (wasTaken ? 200 : 400))
    }

    @Test(arguments: [true, false]) func verifierWithoutAChallengeIsTakenWhereItWas(wasTaken: Bool) throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-0123456789")
        builder.post(
            Self.issuer + "/token",
            Self.form("code-0123456789", verifier: wasTaken ? Self.verifier : nil),
            body: Self.tokens()
        )
        let caller = try Self.caller(builder, isAsRecorded: false)
        let answer = caller.post(
            Self.base + "/token",
            Self.form(try Self.code(caller), verifier: Self.verifier)
        )
        #expect(answer.status == (wasTaken ? 200 : 400))
    }

    @Test(arguments: [-100, 300]) func tokenThatIsOutOfTimeWasGoodForAsLong(lifetime: Int64) throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-0123456789")
        builder.post(
            Self.issuer + "/token",
            Self.form("code-0123456789"),
            body: Self.tokens(try Self.idToken(lifetime: lifetime))
        )
        let fault = try #require(FaultCatalog.all.first { $0.id == "id-token-expired" })
        let caller = try Self.caller(builder, faults: [fault])
        let answer = caller.json(caller.post(Self.base + "/token", Self.form(try Self.code(caller))))
        let token = try #require(answer["id_token"]?.string.flatMap(JSONWebToken.parse))
        let (start, end) = (try #require(token.issuedAt), try #require(token.expiresAt))
        #expect(end == caller.now.seconds - 3600 && end - start == lifetime)
    }

    @Test func addressBesideAnErrorIsOneOfTheMock() throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-0123456789")
        builder.post(
            Self.issuer + "/token",
            Self.form("code-0123456789"),
            401,
            body: .json(#"{"error":"invalid_client","error_uri":"\#(Self.issuer)/error?code=7000218"}"#)
        )
        let caller = try Self.caller(builder)
        let answer = caller.json(caller.post(Self.base + "/token", Self.form(try Self.code(caller))))
        #expect(answer["error"] == "invalid_client")
        #expect(answer["error_uri"] == .string(Self.base + "/error?code=7000218"))
    }

    // MARK: - Logouts

    @Test(arguments: [true, false]) func logoutThatAPageRefusedIsRefusedAgain(isAsRecorded: Bool) throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-0123456789")
        builder.post(Self.issuer + "/token", Self.form("code-0123456789"), body: Self.tokens())
        let logout = [("client_id", "web"), ("post_logout_redirect_uri", "https://web.example/bye")]
        builder.get(
            Self.issuer + "/logout?" + FormBody.encode(logout),
            200,
            body: .html("<h1>Error</h1><p>The post_logout_redirect_uri is not valid.</p>")
        )
        let caller = try Self.caller(builder, isAsRecorded: isAsRecorded)
        let answer = caller.get(Self.base + "/logout", logout)
        let isRefusal = answer.body?.text?.contains("post_logout_redirect_uri is not valid") ?? false
        #expect((answer.status == 200 && isRefusal) == isAsRecorded)
    }

    /// The state is a short one, which counts with its name only.
    @Test func pageThatAsksSendsTheLogoutOnceMore() throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-0123456789")
        builder.post(Self.issuer + "/token", Self.form("code-0123456789"), body: Self.tokens())
        func logout(_ state: String) -> [(String, String)] {
            [
                ("client_id", "web"), ("post_logout_redirect_uri", "https://web.example/bye"),
                ("state", state),
            ]
        }
        builder.get(
            Self.issuer + "/logout?" + FormBody.encode(logout("lo123")),
            body: .html(
                #"<p>Sign out?<form method="post"><input type="hidden" name="state" value="lo123"></form>"#
            )
        )
        builder.post(
            Self.issuer + "/logout",
            logout("lo123"),
            302,
            answer: [("Location", "https://web.example/bye?state=lo123")]
        )
        let caller = try Self.caller(builder, isAsRecorded: false)
        let page = caller.get(Self.base + "/logout", logout("a\"b"))
        let field = HTMLForm.all(in: page.body?.text ?? "").first?.fields.first
        #expect(field?.name == "state" && field?.value == "a\"b")
        let answer = caller.post(Self.base + "/logout", logout("a\"b"))
        #expect(answer.status == 302)
        #expect(answer.location.map { RecordedURL($0).queryItems.first("state") } == "a\"b")
    }

    // MARK: - Tokens

    /// As a network's own page comes that wants somebody to sign in to it.
    @Test(arguments: [true, false]) func pageInThePlaceOfTokensComesAgain(isAsRecorded: Bool) throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-1-0123456789")
        builder.post(
            Self.issuer + "/token",
            Self.form("code-1-0123456789"),
            body: .html("<title>Sign in to the network</title>")
        )
        let caller = try Self.caller(builder, isAsRecorded: isAsRecorded)
        let answer = caller.post(Self.base + "/token", Self.form(try Self.code(caller)))
        #expect(answer.status == 200 && (answer.body?.essence == "text/html") == isAsRecorded)
    }

    /// Of two recorded logins the first was refused, and so is the third, which is the first again.
    @Test func loginBehindTheLastRecordedOneIsTheFirstAgain() throws {
        var builder = CaptureBuilder()
        for number in 1...2 {
            Self.login(into: &builder, number, answer: "code=code-\(number)-0123456789")
            let isRefused = number == 1
            builder.post(
                Self.issuer + "/token",
                Self.form("code-\(number)-0123456789"),
                isRefused ? 400 : 200,
                body: isRefused ? .json(#"{"error":"invalid_grant"}"#) : Self.tokens()
            )
        }
        let caller = try Self.caller(builder)
        let statuses = try (11...14).map { number in
            let code = caller.get(Self.base + "/auth", Self.query(number)).parameters.first("code")
            return caller.post(Self.base + "/token", Self.form(try #require(code))).status
        }
        #expect(statuses == [400, 200, 400, 200])
    }

    // MARK: - Times

    /// A client that keeps tokens until the answer's own time (Entra, Azure AD B2C) would find them run out.
    @Test(arguments: [
        (#""expires_on":"1780000300""#, "1790000299"), (#""expires_on":1780000300"#, "1790000299"),
        (#""expires_at":1780000300000"#, "1790000299000"), (#""not_before":1780000001"#, "1790000000"),
        (#""expires_at":"2026-05-28T20:31:40Z""#, "2026-09-21T14:18:19Z"),
        (#""expires_at":"2026-05-28T20:31:40.250+00:00""#, "2026-09-21T14:18:19.250+00:00"),
        (#""expires_at":"2026-05-28 20:31:40""#, "2026-09-21 14:18:19"),
        (#""expires_at":0"#, "0"), (#""expires_at":3600"#, "3600"),
    ])
    func endOfTheTokensMovesWithThem(member: String, played: String) throws {
        var builder = CaptureBuilder()
        Self.login(into: &builder, 1, answer: "code=code-1-0123456789")
        builder.post(
            Self.issuer + "/token",
            Self.form("code-1-0123456789"),
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer",\#(member)}"#)
        )
        let caller = try Self.caller(builder, isAsRecorded: false)
        let form = Self.form(try Self.code(caller))
        let answer = caller.json(caller.post(Self.base + "/token", form))
        let name = String(member.dropFirst().prefix { $0 != "\"" })
        let value = try #require(answer[name], "\(answer)")
        #expect(value.string ?? value.int.map { String($0) } == played)
    }
}
