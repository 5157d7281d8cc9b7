import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct AccessDeniedByPolicyTests {
    private let rule = "access-denied-by-policy"
    private let broken = "authorization-response/access-denied-by-policy"

    @Test func quotesTheText() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 request.query error"])
        #expect(finding.evidence[0].value == "access_denied: User is not assigned to the client application.")
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.finding("user-cancelled") == nil)
    }

    @Test(arguments: [
        ("access_denied", "AADSTS50105: The signed in user is not assigned to a role"),
        ("consent_required", "AADSTS65001: The user or administrator has not consented"),
        ("interaction_required", "AADSTS53003: Access has been blocked by Conditional Access policies"),
        ("interaction_required", "AADSTS50005: User tried to log in to a device from a platform (Unknown)"),
        ("access_denied", "shop has not completed the Google verification process"),
        ("admin_policy_enforced", "x"), ("access_denied", "permission denied"),
        (
            "access_denied",
            "Policy evaluation failed for this request, please check the policy configurations."
        ),
        ("access_denied", "user does not have access to this application"),
        ("access_denied", "Signups not allowed for this instance"),
        ("access_denied", "user is not part of the org_8Yk organization"),
        ("access_denied", "User is not in the allowed groups"),
        ("access_denied", "Your account is pending approval"),
        ("access_denied", "Access is not allowed by the administrator"),
        ("access_denied", "The user lacks the required role"),
        ("access_denied", "Keine Berechtigung"), ("access_denied", "Vous n'avez pas acc\u{e8}s"),
        ("access_denied", "user is blocked"), ("access_denied", "Ihr Konto ist gesperrt."),
        ("access_denied", "Compte d\u{e9}sactiv\u{e9}"), ("access_denied", "MFA required"),
        ("access_denied", "Multi-factor authentication is required for this app"),
        ("interaction_required", "AADSTS53000: Device is not in required device state: compliant"),
        ("access_denied", "The developer hasn’t given you access to this app."),
        ("invalid_client", "Oauth App is not in active state."),
        ("application_suspended", "Your application has been suspended. Contact support."),
        (
            "access_denied",
            "The resource owner or authorization server denied the request. The user was denied access to this client."
        ),
        ("invalid_team_for_non_distributed_app", "x"),
        ("OAUTH_EC_APP_NOT_FOUND", "External client app is not installed in this org"),
    ])
    func knowsTheTexts(error: String, text: String) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", error), ("error_description", text),
        ])
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
    }

    /// Keycloak's page, and what the client is told where it asks for tokens.
    @Test func tellsAClientThatIsSwitchedOffFromOneThatIsNotKnown() throws {
        let page = try Recording("authorization-request/client-id-unknown")
        let off = page.saying("<h1>We are sorry...</h1><p>Client disabled.</p>", status: 400)
        let told = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": "invalid_client", "error_description": "Client disabled"]
        )
        for recording in [off, told] {
            let finding = try #require(recording.finding(rule))
            #expect(finding.isPrimary && finding.title == "The client is switched off at the provider")
            #expect(finding.fix.hasPrefix("Switch the client on again"))
        }
        #expect(off.findings.filter { $0.severity == .error }.map(\.rule) == [rule])
        let unknown = page.saying("<h1>We are sorry...</h1><p>Client not found.</p>", status: 400)
        #expect(unknown.finding("client-id-unknown")?.isPrimary == true)
        #expect(unknown.finding(rule) == nil)
    }

    /// Matrix's server asks a policy engine, and says no on a page of its own.
    @Test(arguments: [
        ("The authorization request was denied by the policy enforced by this service", true),
        ("The authorization request was denied. See our privacy policy.", false),
        ("Unknown client. Sign-ins may also be denied by the policy of your organization.", false),
        // As firewalls have it.
        ("Your request was denied by policy. Incident 4711", false),
    ])
    func readsAPageOfAPolicyEngine(words: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(
            "<h1>Authorization denied</h1><p>\(words)</p>",
            status: 403
        )
        #expect((recording.finding(rule)?.isPrimary ?? false) == fires)
    }

    /// authentik's page is made by a script, which is told the name of the next stage.
    @Test(arguments: [
        ("ak-stage-access-denied", "Request has been denied.", true),
        ("ak-stage-access-denied", "Invalid password", false),
        ("ak-stage-identification", "Request has been denied.", false),
    ])
    func readsTheStageAtWhichASignInEnds(stage: String, words: String, fires: Bool) throws {
        var recording = try Recording(broken).saying(
            "<title>authentik</title><div id=flow></div>",
            status: 200
        )
        var call = try #require(recording.exchanges.last)
        call.startedAt = call.startedAt + .milliseconds(300)
        call.request.url = RecordedURL("https://id.harbour.example/api/v3/flows/executor/consent/?query=")
        call.response = RecordedResponse(
            status: 200,
            body: Body(
                text: #"{"component":"\#(stage)","error_message":"\#(words)"}"#,
                mediaType: "application/json"
            )
        )
        recording.exchanges.append(call)
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires {
            #expect(recording.finding(rule)?.places == ["2 response.body error_message"])
            #expect(recording.finding("login-abandoned") == nil)
        }
    }

    /// Google's proxy has signed the user in by then, and marks what it answers itself.
    @Test(arguments: [(403, true, true), (403, false, false), (200, true, false)])
    func readsTheProxysAnswerInTheAppsPlace(status: Int, isMarked: Bool, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").frontChannel.editingLast("/") { exchange in
            exchange.response?.status = status
            if isMarked { exchange.response?.headers.append("x-goog-iap-generated-response", "true") }
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// Okta's page posts by script, and is answered in JSON.
    @Test(arguments: ["security.access_denied", "errors.E0000004"])
    func readsTheAnswerToTheSignInsScript(key: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.method == "POST" else { return }
            exchange.request.url = RecordedURL("https://id.harbour.example/idp/idx/identify")
            exchange.response = RecordedResponse(
                status: 403,
                body: Body(
                    text: #"{"messages":{"value":[{"i18n":{"key":"\#(key)"},"class":"ERROR"}]}}"#,
                    mediaType: "application/ion+json"
                )
            )
        }.without { $0.request.url.path == "/callback" }
        #expect((recording.finding(rule)?.isPrimary == true) == (key == "security.access_denied"))
    }

    @Test(arguments: [
        ("access_denied", "The user denied"), ("access_denied", "The user declined the access policy"),
        ("invalid_scope", "no permission for this scope"),
        ("unauthorized", "x"),
    ])
    func leavesAlone(error: String, text: String) throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", error), ("error_description", text),
        ])
        #expect(recording.finding(rule) == nil)
    }

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

    /// A redirect that has only the error's name leads to the provider's page, which has the words.
    @Test func readsThePageThatARedirectAfterTheSignInLeadsTo() throws {
        var recording = try Recording(Array(Recording(broken).exchanges.prefix(3)))
        let location = "https://id.harbour.example/oauth/error?error=access_denied"
        recording = recording.editingLast("/sign-in") { $0.response?.redirect(to: location) }
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .seconds(1)
        page.request.method = "GET"
        page.request.url = RecordedURL(location)
        page.request.body = nil
        page.response = RecordedResponse(status: 403)
        page.response?.body = Body(
            text: "<h1>Access blocked: Shop has not completed the Google verification process</h1>",
            mediaType: "text/html"
        )
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test(arguments: [("Account Inactive", true), ("Account", false)])
    func readsThePageThatSaysThatTheAccountMayNotBeUsed(heading: String, fires: Bool) throws {
        let page = Body.html("<title>Harbour</title><h1>\(heading)</h1><p>Ask us.</p>")
        let recording = try Recording(broken).endingSignIn(with: .init(status: 200, body: page))
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires { #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [rule]) }
    }

    @Test func readsThePageAfterTheSignIn() throws {
        let page = Body.html("<p>AADSTS50105: Your administrator has configured it</p>")
        let recording = try Recording(broken).endingSignIn(with: .init(status: 200, body: page))
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["2 response.body "])
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsAPageThatIsNoSignIn() throws {
        let page =
            "<title>Permission denied - authentik</title><ak-stage-access-denied>Request has been denied.</ak-stage-access-denied>"
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.outcomes == [.failure])
        let signIn = try Recording("healthy/web-code-flow").saying(
            page + "<input type='password'>",
            status: 200
        )
        #expect(signIn.finding(rule) == nil)
    }

    @Test func leavesASilentRequestToAnotherRule() throws {
        let recording = try Recording(broken).redirecting(with: [
            ("error", "interaction_required"), ("error_description", "AADSTS50076: use a second factor"),
        ]).asking("prompt", "none")
        #expect(recording.finding(rule) == nil)
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

    @Test func knowsTheWordsOfSalesforce() throws {
        let recording = try Recording("authorization-response/user-cancelled").redirecting(
            with: [("error", "OAUTH_APP_BLOCKED"), ("error_description", "this app is blocked by admin")]
        )
        #expect(recording.finding("access-denied-by-policy")?.isPrimary == true)
    }

    /// WSO2 knows the client, and shuts it out.
    @Test(arguments: [
        ("Oauth App is not in active state.", true), ("authentication.flow.app.disabled.description", true),
        ("Oauth App is not known.", false),
    ])
    func tellsAClientThatIsShutOutFromOneThatIsNotKnown(words: String, isShutOut: Bool) throws {
        let recording = try Recording("authorization-request/client-id-unknown")
            .saying("<h1>invalid_client</h1><p>\(words)</p>")
        #expect((recording.finding(rule)?.isPrimary == true) == isShutOut)
        #expect((recording.finding("client-id-unknown") == nil) == isShutOut)
    }

    @Test func readsWhatGooglesPageOfErrorsIsTold() throws {
        let words = "The developer hasn’t given you access to this app. It’s currently being tested."
        var record: [UInt8] = []
        for (number, text) in [(1, "access_denied"), (2, words)] {
            record += [UInt8(number << 3 | 2), UInt8(text.utf8.count)]
            record += Array(text.utf8)
        }
        let query = FormBody.encode([("authError", Base64.encode(record)), ("client_id", "shop-web")])
        let recording = try Recording("healthy/web-code-flow").redirecting(
            to: "https://accounts.google.com/signin/oauth/error?\(query)"
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[0].value == "access_denied \(words)")
        #expect(finding.places == ["2 response.location authError"])
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

    /// Facebook answers so with 200, and shows no heading.
    @Test(arguments: [("App not active", true), ("Continue as Jane", false)])
    func readsThePageThatSaysThatTheAppIsNotLive(words: String, fires: Bool) throws {
        let recording = try Recording(broken).saying(
            "<title>Harbour</title><div>\(words)</div><div>Try again later.</div>",
            status: 200
        )
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
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

    /// The author of an action of Auth0's writes the text; what Auth0 says of the user's own no is known.
    @Test(arguments: [
        ("Your account waits for approval.", "harbour.eu.auth0.com", true),
        ("User did not authorize the request", "harbour.eu.auth0.com", false),
        ("Permissions error", "harbour.eu.auth0.com", false),
        ("Your account waits for approval.", "id.harbour.example", false),
        ("Your email is not verified.", "id.harbour.example", true),
        ("None of the sign-on policies are applicable", "id.harbour.example", true),
    ])
    func readsWhatAnActionSays(text: String, host: String, fires: Bool) throws {
        let recording = try Recording(broken).withEndpoints { "https://\(host)/\($0)" }.redirecting(with: [
            ("error", "access_denied"), ("error_description", text),
        ])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect((recording.finding("user-cancelled") == nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .cancelled])
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
