import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct RefreshTokenExpiredTests {
    private let rule = "refresh-token-expired"
    private let broken = "refresh/refresh-token-expired"

    private func refused(_ description: String) throws -> Recording {
        try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(description)]
        )
    }

    @Test func comparesAgeAndLifetime() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.body refresh_expires_in", "6 request.body refresh_token", "6 response.body error",
            ]
        )
        #expect(finding.notes == ["good for 30 min", "40 min old"])
        #expect(recording.outcomes == [.failure])
    }

    /// Google ends the tokens of an app in testing after seven days.
    @Test(arguments: [
        (8, "https://oauth2.googleapis.com/token", true), (7, "https://oauth2.googleapis.com/token", true),
        (6, "https://oauth2.googleapis.com/token", false), (8, "https://id.harbour.example/token", false),
    ])
    func tellsOfAnAppInTesting(days: Int, endpoint: String, fires: Bool) throws {
        var recording = try refused("Token has been expired or revoked.").editing { exchange in
            if exchange.request.url.path == "/token" { exchange.request.url = RecordedURL(endpoint) }
        }
        let last = recording.exchanges.count - 1
        recording.exchanges[last].startedAt = recording.exchanges[last].startedAt + .seconds(days * 86_400)
        if endpoint.contains("google") {
            recording = recording.editing { exchange in
                let asked = "https://id.harbour.example/authorize"
                let google = "https://accounts.google.com/o/oauth2/v2/auth"
                exchange.request.url = RecordedURL(exchange.request.url.text.replacing(asked, with: google))
                guard let location = exchange.response?.location else { return }
                exchange.response?.redirect(to: location.replacing(asked, with: google))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.contains("seven days") == fires)
    }

    /// One that was good for longer than a week is not of such an app.
    @Test(arguments: [(6, true), (8, false)])
    func tokenThatLastedLongerIsOfNoAppInTesting(days: Int, isInTesting: Bool) throws {
        var recording = try refused("Token has been expired or revoked.").editing { exchange in
            let google = "https://accounts.google.com/o/oauth2/v2/auth"
            let asked = "https://id.harbour.example/authorize"
            exchange.request.url = RecordedURL(exchange.request.url.text.replacing(asked, with: google))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: location.replacing(asked, with: google))
            }
            guard exchange.request.url.path == "/token" else { return }
            exchange.request.url = RecordedURL("https://oauth2.googleapis.com/token")
        }
        let last = recording.exchanges.count - 1
        var used = recording.exchanges[last]
        used.startedAt = used.startedAt + .seconds(days * 86_400)
        used.response = RecordedResponse(
            status: 200,
            body: .json(#"{"access_token":"not-a-token-of-google"}"#)
        )
        recording.exchanges[last].startedAt = recording.exchanges[last].startedAt + .seconds(20 * 86_400)
        recording.exchanges.insert(used, at: last)
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("seven days") == isInTesting)
    }

    @Test func leavesTheSentenceOfTheSpecificationAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        "Token is not active", "Session not active", "Refresh token expired", "Refresh token is expired.",
        "AADSTS700082: The refresh token has expired due to inactivity.",
        "Token has been expired or revoked.",
        "Refresh Token has been revoked", "AADSTS50173: The provided grant has ended",
    ])
    func believesTheProvidersWords(text: String) throws {
        #expect(try refused(text).finding(rule)?.severity == .error)
    }

    /// Instances that do not share their sessions; some minutes later it may be a short lifetime.
    @Test(arguments: [
        ("Session not active", 5, true), ("Session not active", 500, false),
        ("Invalid refresh token", 5, true), ("Invalid refresh token", 500, false),
        // Of the user and of where the request comes from.
        ("User is inactive", 5, false), ("Client IP address has changed", 5, false),
        ("The token is bound to another DPoP key", 5, false),
    ])
    func tokenThatIsRefusedAtOnceHasNotRunOut(text: String, seconds: Int64, isYoung: Bool) throws {
        var recording = try refused(text)
        recording.exchanges[6].startedAt = recording.exchanges[4].endedAt + .seconds(seconds)
        let findings = recording.findings.filter(\.isPrimary)
        #expect(findings.map { $0.title.contains("just given out") } == [isYoung])
        #expect(findings.map { $0.fix.contains("KC_HOSTNAME") } == [isYoung])
        #expect(recording.outcomes == [.failure])
        // Of another client's token the provider may know all.
        let other = recording.sending("client_id", "shop-app")
        #expect(!other.findings.contains { $0.title.contains("just given out") })
    }

    /// A client may be named by other means than the form; another server does not know the token, whatever its age.
    @Test(arguments: [
        ("no client when it was issued", true), ("no client at the refresh", true), ("another server", false),
    ])
    func tokenIsRefusedAtOnceByTheServerThatIssuedIt(what: String, isYoung: Bool) throws {
        var recording = try refused("Session not active")
        recording.exchanges[6].startedAt = recording.exchanges[4].endedAt + .seconds(5)
        if isYoung {
            let index = what.hasSuffix("refresh") ? 6 : 4
            let items = FormBody.items(of: recording.exchanges[index].request.body)?.items ?? []
            let rest = items.filter { !$0.name.hasPrefix("client_") }.map { ($0.name, $0.value) }
            recording.exchanges[index].request.body = Body(
                text: FormBody.encode(rest),
                mediaType: FormBody.mediaType
            )
        } else {
            recording.exchanges[6].request.url = RecordedURL("https://id.quay.example/token")
        }
        #expect(recording.finding(rule)?.title.contains("just given out") == isYoung)
    }

    @Test(arguments: [
        "Maximum allowed refresh token reuse exceeded", "The client is another one", "",
        "The refresh token is invalid or expired.",
    ])
    func leavesOtherWordsAlone(text: String) throws { #expect(try refused(text).finding(rule) == nil) }

    /// Okta's sentence names two reasons, the catch-all of the specification all there are; a lifetime that is not over decides.
    @Test(arguments: [
        ("", "The refresh token is invalid or expired.", true), ("", "Invalid refresh token", false),
        (",\"refresh_expires_in\":86400", "The refresh token is invalid or expired.", false),
        ("", "The refresh token is invalid, expired, revoked, or was issued to another client.", false),
    ])
    func takesItForOneOfTwoReasons(member: String, text: String, fires: Bool) throws {
        let recording = try stating(member).answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.explanation.contains("leave open which") == true) == fires)
        #expect((recording.finding("token-invalid-grant")?.isPrimary == true) == !fires)
    }

    /// It may be that there never was such a token, which is so of another client's.
    @Test(arguments: [("The refresh token is invalid or expired.", false), ("Refresh token expired", true)])
    func leavesAnotherClientsTokenToItsRule(text: String, isCalledExpired: Bool) throws {
        let recording = try Recording("refresh/refresh-wrong-client").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        #expect((recording.finding(rule) != nil) == isCalledExpired)
        #expect(recording.finding("refresh-wrong-client") != nil)
        if !isCalledExpired { #expect(recording.finding("refresh-wrong-client")?.isPrimary == true) }
    }

    /// However often it is tried.
    @Test func leavesAnotherClientsTokenThatIsSentAgainToItsRule() throws {
        var recording = try Recording("refresh/refresh-wrong-client").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "The refresh token is invalid or expired."]
        )
        var refresh = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        for _ in 0..<4 {
            refresh.startedAt = refresh.startedAt + .seconds(60)
            recording.exchanges.append(refresh)
        }
        #expect(recording.finding("refresh-wrong-client")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    /// One that was cut on its way is none that the provider knows, either.
    @Test(arguments: [(4, false), (0, true)])
    func leavesAnAlteredTokenToTheRefusal(cut: Int, fires: Bool) throws {
        let recording = try stating("").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "The refresh token is invalid or expired."]
        )
        let refresh = try #require(recording.exchanges.last { $0.request.url.path == "/token" })
        let token = try #require(FormBody.items(of: refresh.request.body)?.first("refresh_token"))
        let sent = recording.sending("refresh_token", String(token.dropLast(cut)))
        #expect((sent.finding(rule)?.isPrimary == true) == fires)
        #expect((sent.finding("token-invalid-grant")?.title.contains("was changed") == true) == !fires)
    }

    /// The broken capture, its stated lifetime replaced.
    private func stating(_ member: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard let text = exchange.response?.body?.text, text.contains("refresh_expires_in") else {
                return
            }
            exchange.response?.body = .json(text.replacing(",\"refresh_expires_in\":1800", with: member))
        }
    }

    @Test func readsTheLifetimeOfTheRegistration() throws {
        var recording = try stating("")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        var registration = recording.exchanges[4]
        registration.startedAt = recording.exchanges[0].startedAt - .seconds(60)
        registration.request.url = RecordedURL("https://id.harbour.example/register")
        registration.request.body = .json("{\"redirect_uris\":[\"https://www.shop.example/callback\"]}")
        registration.response?.body = .json("{\"client_id\":\"shop-web\",\"refresh_token_ttl\":600}")
        recording.exchanges.append(registration)
        #expect(recording.finding(rule)?.notes.first == "good for 10 min")
    }

    @Test(arguments: [",\"refresh_expires_in\":0", ",\"refresh_expires_in\":\"never\""])
    func leavesATokenWithoutEndAlone(member: String) throws {
        let recording = try stating(member)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func leavesATokenWithinItsTimeAlone() throws {
        #expect(try stating(",\"refresh_token_expires_in\":86400").finding(rule) == nil)
        #expect(try stating(",\"refresh_token_expires_in\":2000").finding(rule) != nil)
    }

    @Test func leavesAReusedTokenToTheOtherRule() throws {
        let recording = try Recording("refresh/refresh-token-reused").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": "Token is not active"]
        )
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("refresh-token-reused")?.isPrimary == true)
    }

    /// idpyoidc's name for it.
    @Test func readsAGeneralNameWithWords() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": "Token has expired"]
        )
        #expect(recording.finding("refresh-token-expired")?.isPrimary == true)
    }

    /// Google Workspace's limit to a session has a member of its own, whatever the words are.
    @Test(
        arguments: [
            ("Bad Request", "invalid_rapt", true), ("reauth related error (invalid_rapt)", nil, true),
            ("Bad Request", "other", false),
        ] as [(String, String?, Bool)]
    )
    func knowsASessionThatEnded(text: String, subtype: String?, fires: Bool) throws {
        let recording = try refused(text).editingAnswer(of: "/token") {
            $0["error_subtype"] = subtype.map { .string($0) }
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding?.fix.contains("Exempt trusted apps") == true) == fires)
    }

    /// Keycloak's tokens say whether they end with the session of the browser.
    @Test(arguments: [
        ("Refresh", "openid", "asks for the scope offline_access"),
        ("Refresh", "openid offline_access", "no such token came of it"),
        ("Offline", "openid offline_access", nil),
    ])
    func tellsASessionsTokenFromAnOfflineOne(type: String, scope: String, advice: String?) throws {
        let base = "https://sso.harbour.example/realms/shop/protocol/openid-connect"
        let token = [#"{"alg":"HS512"}"#, #"{"typ":"\#(type)","sub":"u1"}"#].map(encoded).joined(
            separator: "."
        )
        var capture = CaptureBuilder()
        capture.redirect(
            base + "/auth?"
                + FormBody.encode([
                    ("response_type", "code"), ("client_id", "shop-ios"), ("scope", scope),
                    ("redirect_uri", "com.example.shop:/callback"), ("state", "state-0123456789"),
                ]),
            to: "com.example.shop:/callback?code=code-0123456789&state=state-0123456789"
        )
        capture.post(
            base + "/token",
            [
                ("grant_type", "authorization_code"), ("client_id", "shop-ios"),
                ("code", "code-0123456789"),
                ("redirect_uri", "com.example.shop:/callback"),
            ],
            body: .json(
                #"{"access_token":"at-2YotnFZF","token_type":"Bearer","refresh_token":"\#(token).c2ln"}"#
            )
        )
        capture.wait(7200)
        capture.post(
            base + "/token",
            [
                ("grant_type", "refresh_token"), ("client_id", "shop-ios"),
                ("refresh_token", token + ".c2ln"),
            ],
            400,
            body: .json(#"{"error":"invalid_grant","error_description":"Session not active"}"#)
        )
        let fix = try #require(Recording(capture.exchanges).finding(rule)).fix
        #expect(fix.contains("typ Refresh") == (advice != nil))
        #expect(advice.map(fix.contains) ?? true)
    }
}
