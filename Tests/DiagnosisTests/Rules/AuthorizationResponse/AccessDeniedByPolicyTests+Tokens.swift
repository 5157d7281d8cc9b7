import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What is said to a client that asks for tokens, or comes with one.
extension AccessDeniedByPolicyTests {
    @Test func explainsARefusedRefresh() throws {
        let text = "AADSTS50079: You must enroll in multi-factor authentication"
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(text)]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("token-invalid-grant")?.effectOf == rule)
    }

    @Test func readsTheTokenEndpoint() throws {
        let refused = try Recording("token-request/token-invalid-grant").answering(
            "/token",
            400,
            .object(
                JSONObject([
                    ("error", .string("invalid_grant")),
                    ("error_description", .string("AADSTS50020: no such user")),
                ])
            )
        )
        #expect(refused.finding(rule)?.evidence[0].value == "invalid_grant: AADSTS50020: no such user")
    }

    private static let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"

    /// A page's login, a refresh that is refused, and another login where `again` is the user that signs in then.
    private func refusedRefresh(_ refusal: String, again: String?, agent: String = browser) -> Recording {
        var capture = CaptureBuilder()
        func signIn(_ number: Int, _ user: String) {
            let answer = "https://www.shop.example/?code=9sQ2xKcD4\(number)&state=w\(number)"
            let asked = FormBody.encode([
                ("response_type", "code"), ("client_id", "shop-web"), ("state", "w\(number)"),
                ("scope", "openid offline_access"), ("redirect_uri", "https://www.shop.example/"),
                ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
                ("code_challenge_method", "S256"),
            ])
            capture.redirect(
                "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?\(asked)",
                to: answer,
                headers: [("User-Agent", Self.browser)]
            )
            capture.get(answer, headers: [("User-Agent", Self.browser)], body: .html("<h1>Shop</h1>"))
            let times = #""iat":1780000000,"exp":1790000000"#
            let claims =
                #"{"iss":"https://login.microsoftonline.com/common/v2.0","sub":"\#(user)","aud":"shop-web",\#(times)}"#
            let token = encoded(#"{"alg":"RS256"}"#) + "." + encoded(claims) + ".c2ln"
            redeem(
                [("grant_type", "authorization_code"), ("code", "9sQ2xKcD4\(number)")],
                """
                {"access_token":"at-2YotnFZF-\(number)","token_type":"Bearer","expires_in":3600,\
                "refresh_token":"rt-8xLOxBtZ-\(number)","id_token":"\(token)"}
                """
            )
        }
        func redeem(_ form: [(String, String)], _ answer: String) {
            capture.post(
                "https://login.microsoftonline.com/common/oauth2/v2.0/token",
                form + [
                    ("client_id", "shop-web"), ("redirect_uri", "https://www.shop.example/"),
                    ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
                ],
                answer.contains("error") ? 400 : 200,
                headers: [("User-Agent", agent)],
                body: .json(answer)
            )
        }
        signIn(1, "alice")
        capture.wait(600)
        redeem([("grant_type", "refresh_token"), ("refresh_token", "rt-8xLOxBtZ-1")], refusal)
        if let again { signIn(2, again) }
        return Recording(capture.exchanges)
    }

    private static let secondFactor = #"""
        {"error":"invalid_grant","error_description":"AADSTS50076: you must use multi-factor authentication",\#
        "suberror":"basic_action","claims":"{\"access_token\":{\"capolids\":{\"essential\":true}}}"}
        """#
    private static let consent = #"""
        {"error":"invalid_grant","error_description":"AADSTS65001: The user has not consented",\#
        "suberror":"consent_required"}
        """#

    /// A refresh that needs its user is answered by a login, as MSAL does.
    @Test(arguments: [secondFactor, consent]) func refreshThatALoginFollowsIsANote(refusal: String) throws {
        let recording = refusedRefresh(refusal, again: "alice")
        #expect(recording.finding(rule)?.severity == .note)
        #expect(recording.finding("token-invalid-grant")?.severity ?? .note == .note)
        #expect(recording.outcomes == [.success, .success])
    }

    @Test(arguments: [secondFactor, consent]) func refreshThatNoLoginFollowsSaysWhatToDo(refusal: String)
        throws
    {
        let recording = refusedRefresh(refusal, again: nil)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .error && finding.isPrimary)
        #expect(finding.fix.hasPrefix("Start an interactive login"))
        #expect(finding.evidence.contains { $0.place.name == "suberror" })
        #expect(recording.finding("token-invalid-grant")?.fix == finding.fix)
        #expect(recording.outcomes == [.failure])
    }

    /// A server's refresh is that of its user, whoever signs in there next.
    @Test(arguments: [("alice", Severity.note), ("bob", .error)])
    func loginOfAnotherUserAnswersNothing(user: String, severity: Severity) {
        let recording = refusedRefresh(Self.secondFactor, again: user, agent: "node")
        #expect(recording.finding(rule)?.severity == severity)
    }

    @Test func refusalThatNoLoginCuresKeepsItsWords() throws {
        let text = #"{"error":"invalid_grant","error_description":"AADSTS50105: not assigned to a role"}"#
        let finding = try #require(refusedRefresh(text, again: "alice").finding(rule))
        #expect(finding.fix.contains("assign the user"))
    }

    /// Of GitHub: single sign-on that is enforced, apps that are restricted; then a call that is refused for something else.
    @Test(
        arguments: [
            ("required; url=https://api.example/orgs/shop/sso?authorization_request=A1b2C3", "", true),
            (nil, "the `shop` organization has enabled OAuth App access restrictions", true),
            ("partial-results; organizations=21955855", "Not allowed", false), (nil, "Not allowed", false),
        ] as [(String?, String, Bool)]
    )
    func readsAnOrganizationThatLetsATokenNotIn(header: String?, words: String, fires: Bool) throws {
        let recording = try Recording("resource-calls/insufficient-scope.near-miss").editingLast("/orders") {
            $0.response?.status = 403
            $0.response?.body = .json("{\"message\":\"\(words)\"}")
            if let header { $0.response?.headers.append("X-GitHub-SSO", header) }
        }
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        // The login itself is good.
        #expect(recording.outcomes == [.success])
        // The address lets whoever has it authorize something.
        #expect(finding?.evidence.contains { $0.value.contains("A1b2C3") } != true)
    }

    @Test func readsAuth0sNameAtTheTokenEndpoint() throws {
        let recording = try Recording("refresh/refresh-token-expired").answering(
            "/token",
            403,
            ["error": "unauthorized", "error_description": "user is blocked"]
        )
        #expect(recording.finding(rule)?.isPrimary == true)
    }
}
