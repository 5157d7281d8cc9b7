import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct TokenInvalidGrantTests {
    private let rule = "token-invalid-grant"
    private let broken = "token-request/token-invalid-grant"

    @Test func saysWhatWasCheckedAndFoundRight() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["4 response.body error"])
        #expect(
            finding.notes == [
                "checked: redirect URI the same, verifier fits, code sent once, client the same, code 0 s old"
            ]
        )
    }

    /// Of a token request alone nothing could be compared, and there are no notes to point to.
    @Test func saysWhereNothingCouldBeChecked() throws {
        let whole = try Recording(broken)
        #expect(whole.finding(rule)?.explanation.contains("notes say what was checked") == true)
        let alone = Recording(whole.exchanges.filter { $0.request.url.path == "/token" })
        let finding = try #require(alone.finding(rule))
        #expect(finding.notes.isEmpty)
        #expect(finding.explanation.contains("nothing to compare"))
    }

    /// Discord refuses a redirect URI that the login did not name, without a word on it.
    @Test func namesARedirectURIOfTheExchangeAlone() throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", nil).finding(rule))
        #expect(finding.isPrimary && finding.places.last == "4 request.body redirect_uri")
        #expect(finding.notes.last?.hasPrefix("the login's own request named none") == true)
        let neither = try Recording(broken).asking("redirect_uri", nil).sending("redirect_uri", nil)
        #expect(neither.finding(rule)?.places == ["4 response.body error"])
    }

    @Test func whatTheRefusalRepeatsOfTheRequestIsNotShown() throws {
        let verifier = String(repeating: "verify", count: 8)
        let answer: JSONValue = .string("verifier \(verifier) was not expected")
        let recording = try Recording(broken).sending("code_verifier", verifier)
            .answering("/token", 400, ["error": "invalid_grant", "error_description": answer])
        let shown = recording.findings.flatMap(\.evidence).map(\.value)
        #expect(shown.contains("invalid_grant: verifier veri…(48) was not expected"), "\(shown)")
        #expect(!shown.contains { $0.contains(verifier) })
    }

    /// By the grant, and by what the provider says alone.
    @Test(arguments: [
        ("password", "Invalid user credentials", "name or password"),
        ("password", "Account is not fully set up", "left to do"),
        ("urn:ietf:params:oauth:grant-type:jwt-bearer", "", "assertion"),
        ("client_credentials", "", "in its own name"),
        ("client_credentials", "request not supported on this domain", "in its own name"),
        ("urn:ietf:params:oauth:grant-type:token-exchange", "", "exchanged"),
        ("urn:ietf:params:oauth:grant-type:pre-authorized_code", "Wrong tx_code", "pre-authorized code"),
        ("refresh_token", "Refresh token has already been used", "used before"),
        ("refresh_token", "Token expired", "run out"), ("authorization_code", "Code is expired", "run out"),
        ("authorization_code", "Code is invalid, expired or revoked", "code or refresh token"),
        ("authorization_code", "", "code or refresh token"),
        ("authorization_code", "Certificate thumbprint mismatch", "client's certificate"),
        ("refresh_token", "Certificate thumbprint mismatch", "client's certificate"),
    ])
    func saysWhatWasRejected(grant: String, words: String, title: String) throws {
        let recording = try Recording(broken).sending("grant_type", grant)
            .sending("refresh_token", grant == "refresh_token" ? "rt-8675309-q2w3e4r5" : nil)
            .answering("/token", 400, ["error": "invalid_grant", "error_description": .string(words)])
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains(title), "\(finding.title)")
    }

    /// Docker Hub answers without an error's name; the client, which has no secret, is not what was refused.
    @Test func passwordThatIsRefusedInOwnWordsIsNotAFaultOfTheClient() throws {
        let refused = try Recording(broken).sending("grant_type", "password").sending("code", nil)
            .sending("username", "alice").sending("password", "sea-otter-77")
            .answering("/token", 401, ["details": "incorrect username or password"])
        let finding = try #require(refused.finding(rule))
        #expect(finding.isPrimary && finding.title.contains("name or password"))
        for other in ["client-auth-missing", "token-invalid-client"] {
            #expect(refused.finding(other) == nil)
        }
        let client = refused.answering("/token", 401, ["details": "unknown application"])
        #expect(client.finding(rule) == nil)
    }

    /// Zoom, LinkedIn and others have a general name for it, and words.
    @Test(arguments: [
        ("Invalid authorization code zc1", true),
        (
            "appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.",
            true
        ),
        ("The authorization code is missing", false), ("The authorization code grant is switched off", false),
    ])
    func readsAGeneralNameWithWords(words: String, fires: Bool) throws {
        let recording = try Recording(broken).answering(
            "/token",
            400,
            ["error": "invalid_request", "error_description": .string(words)]
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("token-endpoint-error") == nil) == fires)
        // Of words that name every reason none is believed.
        #expect(recording.backChannel.finding("pkce-verifier-mismatch") == nil)
    }

    /// Laravel Passport has the status of a client that is not known for it.
    @Test func blamesNoClientWhoseRefreshTokenWasRefused() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            401,
            [
                "error": "invalid_request", "error_description": "The refresh token is invalid.",
                "hint": "Token is not linked to client",
            ]
        )
        #expect(recording.finding(rule) != nil)
        #expect(recording.finding("token-invalid-client") == nil)
    }

    @Test func emptyCodeIsNoneThatWasChecked() throws {
        let finding = try #require(Recording(broken).sending("code", "").finding(rule))
        #expect(finding.title.contains("without a code"))
        #expect(finding.notes.allSatisfy { !$0.contains("checked") })
    }

    @Test func anotherCodeThanTheDeliveredOneIsShown() throws {
        let finding = try #require(Recording(broken).sending("code", "typed-in-by-hand").finding(rule))
        #expect(finding.title.contains("not the one that was delivered"))
        #expect(finding.places.suffix(1) == ["4 request.body code"])
    }

    @Test func codeThatOnlyTheCallbackBroughtIsShown() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.request.url = RecordedURL(
                Recording.changing(exchange.request.url.text, "code", "put-there-by-another")
            )
        }.sending("code", "put-there-by-another")
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.contains("another code than the provider's redirect"))
        #expect(finding.places.suffix(2) == ["2 response.location code", "3 request.query code"])
        // The provider may have given the code on a page that nobody read.
        var again = recording
        var visit = again.exchanges[2]
        visit.startedAt = visit.endedAt + .milliseconds(5)
        visit.duration = .milliseconds(5)
        visit.response = RecordedResponse(
            status: 200,
            body: Body(text: "<p>One moment", mediaType: "text/html")
        )
        again.exchanges.insert(visit, at: 3)
        #expect(again.finding(rule)?.title.contains("another code") == false)
    }

    @Test func leavesAnotherErrorAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func doesNotCallRightWhatIsWrong() throws {
        let finding = try #require(
            Recording(broken).sending("code_verifier", String(repeating: "a", count: 43)).finding(rule)
        )
        #expect(!finding.isPrimary)
        #expect(finding.notes.first?.contains("verifier") == false)
    }

    @Test func standsForARefreshAsWell() throws {
        let recording = try Recording(broken + ".near-miss").answering(
            "/token",
            400,
            ["error": "invalid_grant"]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    @Test func isANoteWhereTheNextTryIsTaken() throws {
        var recording = try Recording(broken)
        var second = try #require(recording.exchanges.last)
        second.startedAt = second.startedAt + .milliseconds(100)
        recording.exchanges.append(second)
        recording = recording.granted()
        #expect(recording.finding(rule)?.severity == .note)
    }

    /// The app does not look at the error, and goes to the token endpoint all the same.
    @Test(arguments: [
        ("code=&", "invalid_grant", "token-invalid-grant"), ("", "invalid_request", "token-endpoint-error"),
    ])
    func isANoteWhereTheErrorIsTakenForACode(code: String, error: String, rule: String) throws {
        var recording = try Recording("authorization-response/user-cancelled")
        #expect(recording.finding("user-cancelled")?.isPrimary == true)
        try recording.redeem("\(code)client_id=shop-web", error: error)
        #expect(recording.finding("user-cancelled")?.isPrimary == true)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note && !finding.isPrimary)
        #expect(finding.notes.last == "sent without a code")
        // One that brings a code besides is refused for that.
        try recording.redeem("code=code-of-another-0001&client_id=shop-web", error: error)
        #expect(recording.finding(rule)?.notes.contains("sent without a code") != true)
    }

    /// What is wrong with the rest of such a request is no reason why it was refused.
    @Test func errorThatIsTakenForACodeIsNoEffectOfTheVerifier() throws {
        let verifier = String(repeating: "a", count: 43) + "="
        var recording = try Recording("authorization-response/user-cancelled")
            .asking("code_challenge", CodeChallenge.s256(of: verifier))
        try recording.redeem("code=&client_id=shop-web&code_verifier=\(verifier)", error: "invalid_request")
        #expect(recording.finding("pkce-verifier-malformed")?.severity == .warning)
        let finding = try #require(recording.finding("token-endpoint-error"))
        #expect(finding.severity == .note && finding.effectOf == nil)
    }

    @Test func saysNothingWhereTheAnswerWasNotSaved() throws {
        #expect(try Recording(broken).withoutBodies(of: "/token").finding(rule) == nil)
    }

    /// Signed two hours before the provider's clock.
    @Test(arguments: [(false, "rejected the assertion"), (true, "on behalf of its user")])
    func showsTheTimesOfAnAssertion(isOnBehalf: Bool, title: String) throws {
        let refused = try Recording(broken).answering("/token", 400, ["error": "invalid_grant"])
        var call = try #require(refused.exchanges.last { $0.request.url.path == "/token" })
        let claims = "{\"aud\":\"https://id.harbour.example/token\",\"iat\":1772600000,\"exp\":1772603600}"
        let token = "\(encoded("{\"alg\":\"RS256\"}")).\(encoded(claims)).c2ln"
        call.request.body = Body(
            text: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(token)"
                + (isOnBehalf ? "&requested_token_use=on_behalf_of" : ""),
            mediaType: FormBody.mediaType
        )
        call.response?.headers.replace("Date", with: "Wed, 04 Mar 2026 07:53:20 GMT")
        let finding = try #require(Recording([call]).finding(rule))
        #expect(finding.title.contains(title))
        #expect(finding.notes.contains("over for 7200 s, by the answer's Date"))
        #expect(finding.places.contains { $0.hasSuffix("jwt.claims aud") })
    }

    // MARK: - Revoked

    /// A refresh that is refused twenty minutes after a token of the first answer was given back.
    private func refreshing(afterRevoking name: String, answered status: Int = 200) throws -> Recording {
        var recording = try Recording("healthy/refresh")
        let first = try #require(recording.exchanges.first { $0.request.url.path == "/token" })
        let answer = try #require(first.response?.body?.bytes.flatMap { try? JSONParser.parse($0) })
        var revocation = first
        revocation.request.url = RecordedURL("https://id.harbour.example/revoke")
        revocation.request.body = Body(
            text: FormBody.encode([("token", answer[name]?.string ?? ""), ("client_id", "shop-web")]),
            mediaType: FormBody.mediaType
        )
        revocation.response = RecordedResponse(status: status)
        revocation.startedAt = first.startedAt + .seconds(60)
        recording.exchanges.append(revocation)
        return recording.answering("/token", 400, ["error": "invalid_grant"])
    }

    @Test func tokenThatTheClientRevokedIsNamed() throws {
        let finding = try #require(try refreshing(afterRevoking: "refresh_token").finding(rule))
        #expect(finding.isPrimary && finding.title.contains("had been revoked"))
        #expect(
            finding.places == ["6 response.body error", "7 request.body token", "7 response.status "]
        )
        #expect(!finding.fix.contains("cannot show"))
    }

    @Test func refreshWithoutAReasonIsTheEndOfASession() throws {
        let recording = try Recording("healthy/refresh").answering("/token", 400, ["error": "invalid_grant"])
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider rejected the refresh token")
        #expect(finding.fix.contains("begin a new login"))
        let code = try Recording(broken).finding(rule)
        #expect(code?.title == "The provider rejected the code or refresh token")
    }

    /// The provider may keep the refresh token (RFC 7009, section 2.1).
    @Test func revokedAccessTokenIsNoReason() throws {
        let finding = try #require(try refreshing(afterRevoking: "access_token").finding(rule))
        #expect(!finding.title.contains("had been revoked"))
        #expect(!finding.places.contains("7 request.body token"))
    }

    @Test func wordsOfTheProviderStandAboveTheRevocation() throws {
        let recording = try refreshing(afterRevoking: "refresh_token").editing { exchange in
            guard exchange.request.url.path == "/token", exchange.response?.status == 400 else { return }
            exchange.response?.body = Body(
                text: #"{"error":"invalid_grant","error_description":"Token has expired"}"#,
                mediaType: "application/json"
            )
        }
        #expect(!recording.findings.contains { $0.title.contains("had been revoked") })
    }

    @Test func revocationThatWasRefusedIsNoReason() throws {
        let finding = try #require(
            try refreshing(afterRevoking: "refresh_token", answered: 503).finding(rule)
        )
        #expect(!finding.title.contains("had been revoked"))
    }

    /// A refresh with what one answer of the capture gave out, changed.
    @Test(arguments: [
        ("refresh_token", 1, "was changed"), ("access_token", 0, "Another token"),
        ("refresh_token", 0, "rejected the refresh token"),
    ])
    func refreshTokenIsComparedWithTheIssuedOnes(name: String, cut: Int, title: String) throws {
        let recording = try Recording("refresh/refresh-token-expired.near-miss")
        let found: String? =
            recording.exchanges.lazy.compactMap { exchange in
                exchange.response?.body?.bytes.flatMap { try? JSONParser.parse($0) }?.object?[name]?.string
            }.first
        let issued = try #require(found)
        let finding = try #require(
            recording.sending("refresh_token", String(issued.dropLast(cut)))
                .answering(
                    "/token",
                    400,
                    [
                        "error": "invalid_grant",
                        "error_description": "The provided access grant is invalid, expired, or revoked.",
                    ]
                ).finding(rule)
        )
        #expect(finding.isPrimary && finding.title.contains(title))
    }

    @Test(arguments: ["undefined", "state", "a-code-of-somebody-else"]) func namesWhatWasSentAsTheCode(
        sent: String
    )
        throws
    {
        let recording = try Recording(broken)
        let state = try #require(recording.flows.first?.logins.first?.request.state)
        let finding = try #require(
            recording.sending("code", sent == "state" ? state : sent).finding(rule)
        )
        #expect(finding.title.contains("without a code") == (sent == "undefined"))
        #expect(finding.evidence.contains { $0.value == "undefined" } == (sent == "undefined"))
        #expect(finding.notes.contains { $0.hasSuffix("the state of this login") } == (sent == "state"))
    }
}

extension Recording {
    /// The app takes its answer to the token endpoint, which refuses it; `form`: behind the grant type.
    fileprivate mutating func redeem(_ form: String, error: String) throws {
        let answer = try #require(exchanges.last)
        var request = RecordedRequest(method: "POST", url: RecordedURL("https://id.harbour.example/token"))
        request.body = Body(text: "grant_type=authorization_code&" + form, mediaType: FormBody.mediaType)
        exchanges.append(
            Exchange(
                startedAt: answer.startedAt + .milliseconds(5),
                request: request,
                response: RecordedResponse(
                    status: 400,
                    body: Body(text: #"{"error":"\#(error)"}"#, mediaType: "application/json")
                )
            )
        )
    }
}
