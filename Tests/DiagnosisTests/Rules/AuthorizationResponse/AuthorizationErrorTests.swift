import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

struct AuthorizationErrorTests {
    private let rule = "authorization-error"
    private let broken = "authorization-response/authorization-error"

    /// Snowflake says no word of the role that it is about.
    @Test(arguments: [("acme.snowflakecomputing.com", true), ("id.harbour.example", false)])
    func tellsWhatSnowflakeDoesNotConsentTo(host: String, fires: Bool) throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://\(host)/oauth/authorize?response_type=code&client_id=cli-1&state=iCdLSVnXkKqhBW0Q"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A51234%2F&scope=session%3Arole%3AANALYST",
            400,
            headers: [("User-Agent", "Mozilla/5.0")],
            body: .html("<title>Snowflake</title><h1>Invalid consent request.</h1>")
        )
        let finding = try #require(Recording(capture.exchanges).finding(rule))
        #expect(finding.isPrimary)
        #expect((finding.places.last == "0 request.query scope") == fires)
        #expect(finding.fix.contains("BLOCKED_ROLES_LIST") == fires)
    }

    @Test func repeatsTheText() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["3 request.query error"])
        #expect(finding.evidence[0].value == "invalid_request: The parameter claims_locales is too long")
        #expect(recording.outcomes == [.failure])
        let said = "invalid_request&error_description=The+parameter+claims_locales+is+too+long"
        let grant = recording.editing { exchange in
            let (url, location) = (exchange.request.url.text, exchange.response?.location)
            exchange.request.url = RecordedURL(url.replacing(said, with: "unauthorized_client"))
            if let location, location.contains(said) {
                exchange.response?.redirect(to: location.replacing(said, with: "unauthorized_client"))
            }
        }
        #expect(try #require(grant.finding(rule)).fix.contains("Enable the authorization code grant"))
    }

    @Test(arguments: [
        "authorization-response/user-cancelled", "authorization-response/access-denied-by-policy",
        "authorization-request/redirect-uri-not-registered", "user-agent/proxy-scheme-downgrade",
    ])
    func leavesToOtherRulesWhatTheyExplain(path: String) throws {
        #expect(try Recording(path).finding(rule) == nil)
    }

    /// An app that begins anew behind every error is told the user's no again and again.
    @Test(arguments: [
        ("access_denied", "The user declined", false),
        ("invalid_request", "claims_locales is too long", true),
    ])
    func whatIsKnownOfAnAnswerIsKnownOfTheSameOneBefore(error: String, text: String, fires: Bool) throws {
        let callback = "https://shop.example/login/op/authorized"
        var capture = CaptureBuilder()
        for (round, answer) in [(error, text), ("access_denied", "The user declined")].enumerated() {
            let state = ("state", "state-000000000\(round)")
            let request =
                "https://idp.example/authorize?"
                + FormBody.encode([
                    ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", callback), state,
                ])
            let answered =
                "\(callback)?"
                + FormBody.encode([("error", answer.0), ("error_description", answer.1), state])
            capture.redirect("https://shop.example/login/op", to: request)
            capture.redirect(request, to: answered)
            capture.redirect(answered, to: "/login/op")
        }
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.places == (fires ? ["2 request.query error"] : nil))
        #expect(recording.finding("user-cancelled")?.isPrimary == !fires)
        #expect(recording.outcomes == [.cancelled])
    }

    private func page(_ status: Int, _ text: String, header: (String, String)? = nil) throws -> Recording {
        try Recording(Array(Recording(broken).exchanges.prefix(2))).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(
                status: status,
                headers: HeaderFields(header.map { [$0] } ?? []),
                body: Body(text: text, mediaType: "text/html")
            )
        }
    }

    /// Hydra wants a state of eight characters, and names the error after it.
    @Test(arguments: [("abc", "3 characters"), (nil, nil)] as [(String?, String?)])
    func tellsAStateThatIsTooWeak(state: String?, note: String?) throws {
        let recording = try Recording(broken).asking("state", state).redirecting(with: [
            ("error", "invalid_state"), ("error_description", "The state is missing or too weak"),
            ("state", state),
        ])
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("at least eight characters"))
        #expect(finding.places.last?.hasSuffix("request.query state") == true)
        #expect(finding.notes.contains(note ?? "") == (note != nil))
    }

    /// IdentityServer's page has a number, and its log the reason.
    @Test func saysWhereIdentityServerTellsTheReason() throws {
        var recording = try page(302, "")
        let last = recording.exchanges.count - 1
        let target = "https://id.harbour.example/home/error?errorId=CfDJ8a"
        recording.exchanges[last].response?.redirect(to: target)
        var shown = recording.exchanges[last]
        shown.request = RecordedRequest(method: "GET", url: RecordedURL(target))
        shown.response = RecordedResponse(
            status: 200,
            body: Body(
                text: """
                    <!DOCTYPE html><html><body><h1>Error</h1><div class="alert alert-danger">\
                    Sorry, there was an error <strong><em> : unauthorized_client </em></strong></div></body></html>
                    """,
                mediaType: "text/html"
            )
        )
        shown.startedAt = shown.endedAt
        recording.exchanges.append(shown)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.fix.hasPrefix("IdentityServer tells the reason in its own log"))
    }

    @Test func findsAPageOfTheProvider() throws {
        #expect(try page(400, "<p>invalid_request: display</p>").finding(rule)?.isPrimary == true)
        #expect(try page(400, "<p>Something is not right</p>").finding(rule) != nil)
        #expect(try page(200, "<p>AADSTS900144: The request body must contain</p>").finding(rule) != nil)
        #expect(try page(200, "invalid_request").finding(rule)?.isPrimary == true)
        #expect(try page(200, "Read what invalid_request means").finding(rule) == nil)
    }

    /// Its number begins as that of a policy does.
    @Test(arguments: [("AADSTS500201", true), ("AADSTS50020", false), ("AADSTS500208", false)])
    func namesAnEndpointWithoutPersonalAccounts(number: String, isOne: Bool) throws {
        let recording = try page(200, "<p>\(number): We are unable to issue tokens to this account.</p>")
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isOne)
        #expect((finding?.fix.contains("/oauth2/v2.0/authorize") ?? false) == isOne)
        #expect((recording.finding("access-denied-by-policy")?.isPrimary == true) == !isOne)
    }

    /// A code that may have been issued is masked, and the number of a product's error is none.
    @Test(arguments: [("ABA-60007", true), ("abcd-12345", false), ("ABCD-12a45", false)])
    func tellsANumberFromACode(code: String, isShown: Bool) throws {
        let recording = try page(400, "x").answering(
            "/authorize",
            400,
            ["code": .string(code), "message": "Authentication failure"]
        )
        let value = try #require(recording.finding(rule)?.evidence.first?.value)
        #expect(value.contains("Authentication failure"))
        #expect(value.contains(code) == isShown)
    }

    /// A page that repeats what was sent says nothing of it.
    @Test func acrValuesOnAPageAreNotTheReason() throws {
        let recording = try page(400, "<p>Something is not right: acr_values=gold</p>").asking(
            "acr_values",
            "gold"
        )
        #expect(recording.finding(rule)?.title == "The provider refused the login request")
    }

    @Test func showsTheMessageOfThePageAndNotItsMenu() throws {
        let text =
            "<nav>Profile</nav><div>No network?</div><div class='error message'><h3>Bad request</h3></div>"
        #expect(try page(400, text).finding(rule)?.evidence.first?.value == "Bad request")
    }

    @Test func leavesTheBrowsersTicketAlone() throws {
        let recording = try page(401, "<form></form>", header: ("WWW-Authenticate", "Negotiate"))
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesFailuresAndThrottlingAlone() throws {
        #expect(try page(503, "invalid_request").finding(rule) == nil)
        #expect(try page(429, "").finding(rule) == nil)
    }

    /// Behind the sign-in page: what can be filled in again is no end.
    @Test(arguments: [
        (400, "<p>Your login attempt timed out.</p><a href=/>Restart</a>", true),
        (422, "<form method=post><input name=user></form>", false), (401, "<p>No</p>", false),
        (404, "<p>No</p>", false), (400, "", false),
    ])
    func pageThatEndsTheSignInIsARefusal(status: Int, text: String, fires: Bool) throws {
        let recording = try Recording(broken).endingSignIn(with: .init(status: status, body: .html(text)))
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
    }

    /// Keycloak and WSO2, whose pages had stood open for too long.
    @Test(arguments: [
        (
            "<title>Sign in to shop</title><h1>Page has expired</h1><p>To restart <a href=/>click here</a></p>",
            200
        ),
        ("<h1>We are sorry...</h1><p>Restart login cookie not found. It may have expired.</p>", 400),
        ("<p>Session Timeout or Invalid Session</p><p>Please log in again.</p>", 400),
        ("<h1>Error</h1><p>authentication.context.null.description</p>", 400),
    ])
    func tellsOfALoginThatHadRunOut(html: String, status: Int) throws {
        func recording(_ html: String) throws -> Recording {
            try Recording(broken).endingSignIn(with: .init(status: status, body: .html(html)))
                .editingLast("/sign-in") { $0.startedAt = $0.startedAt + .seconds(2000) }
        }
        let finding = try #require(recording(html).finding(rule))
        #expect(finding.isPrimary && finding.title == "The login had run out at the provider")
        #expect(finding.places == ["2 response.body ", "- timing sign-in"])
        // Another end is told as one, and so is a page that thinks of all that may be.
        for words in ["Unexpected error", "This happens if your session has timed out, or cookies are off."] {
            let other = try recording("<h1>We are sorry...</h1><p>\(words)</p>").finding(rule)
            #expect(other?.title == "The provider refused the login request")
        }
    }

    @Test func leavesAWrongPasswordAlone() throws {
        let wrong = RecordedResponse(status: 401, body: .html("<p>Wrong name or password</p>"))
        let recording = try Recording(broken).endingSignIn(with: wrong)
        #expect(recording.finding(rule) == nil)
    }

    /// Sent on to the same path without the query, by a rule for slashes or for https; with a cookie it may be kept in a session.
    @Test(
        arguments: [
            ("https://idp.example/authorize/", nil, true),
            ("https://idp.example/authorize/", "session=1", false),
            ("https://idp.example/authorize/?client_id=shop", nil, false),
            ("https://idp.example/error", nil, false),
        ] as [(String, String?, Bool)]
    )
    func queryThatWasLostAtARedirectIsTold(next: String, cookie: String?, isLost: Bool) {
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", "https://shop.example/cb"),
            ("scope", "openid"), ("state", "state-0123456789"),
        ])
        var capture = CaptureBuilder()
        let headers = [("Location", next)] + (cookie.map { [("Set-Cookie", $0)] } ?? [])
        capture.get("https://idp.example/authorize?" + query, 302, answer: headers)
        let answer = #"{"error":"invalid_request","error_description":"state is too short"}"#
        capture.get(next, 400, headers: cookie.map { [("Cookie", $0)] } ?? [], body: .json(answer))
        let recording = Recording(capture.exchanges)
        #expect(recording.finding(rule)?.isPrimary == true)
        let title = recording.finding(rule)?.title
        #expect((title == "The login request lost its parameters at a redirect") == isLost)
        #expect(recording.outcomes == [.failure])
    }

    /// With status 200 a heading has to say so, and nothing may be left to fill in.
    @Test(arguments: [
        ("<title>Sign in</title><h1>We are sorry...</h1><p>Unexpected error</p>", true),
        ("<title>Error</title><script src=/e.js></script><p>Reference 8873</p>", true),
        ("<title>Error</title><form method=post><input name=user></form>", false),
        ("<title>Error</title><form method=post><button>Allow</button></form>", false),
        ("<title>Error</title><select name=language></select><input type=search name=q>", true),
        ("<h1>Unable to sign in?</h1><p>Approve it on your phone</p>", false),
        ("<title>Sign in</title><noscript><h1>Error</h1></noscript><div id=root></div>", false),
        ("<title>Terror in the woods</title><p>An error</p>", false),
    ])
    func pageHeadedByAnErrorIsARefusal(html: String, fires: Bool) throws {
        let recording = try Recording(broken).endingSignIn(with: .init(status: 200, body: .html(html)))
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        // So it is where the endpoint itself answers with it.
        #expect((try page(200, html).finding(rule) != nil) == fires)
    }

    /// WSO2 tells its page for a sign-in that it gave up in the address what to show.
    @Test(arguments: [
        (
            "/authenticationendpoint/retry.do?status=Attention&statusMsg=Login+failed", "<p>Attention</p>",
            true
        ),
        ("/authenticationendpoint/oauth2_error.do?oauthErrorMsg=Not+valid", "<p>Not valid</p>", true),
        (
            "/authenticationendpoint/login.do?authFailure=true&authFailureMsg=login.fail.message",
            "<input type=password>", false
        ), ("/sign-in?error=bad_credentials", "<div id=root>Loading</div>", false),
        ("/external?ErrorCode=APPROVAL_ERROR", "<title>Error Page</title><p>Approval</p>", true),
    ])
    func readsTheAddressOfAPageOfErrors(target: String, html: String, fires: Bool) throws {
        let recording = try Recording(broken).endingSignIn(at: target, .html(html))
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        if fires { #expect(recording.finding(rule)?.evidence.first?.place.exchange == 3) }
    }

    private let step = #"{"authId":"eyJ0eXAi","callbacks":[{"type":"NameCallback"}]}"#

    /// ForgeRock's sign-in is made of calls: what ended it is told, whatever its page began anew by itself.
    @Test(arguments: [
        (["authId"], true), (["authId", ""], true), (["authId", "", "authId"], false), ([""], false),
    ])
    func callThatEndsTheSignInIsARefusal(requests: [String], fires: Bool) throws {
        var recording = try Recording(Array(Recording(broken).exchanges.prefix(2)))
        var call = try #require(recording.exchanges.last)
        recording.exchanges[1].response = RecordedResponse(
            status: 200,
            body: Body(text: "<title>Login</title><script src=/app.js></script>", mediaType: "text/html")
        )
        call.request.url = call.request.url.resolving("/am/json/authenticate")
        call.request.method = "POST"
        for (index, request) in requests.enumerated() {
            call.startedAt = call.startedAt + .seconds(5)
            call.request.body = .json(request.isEmpty ? "{}" : step)
            let isFailure = !request.isEmpty && index == 0
            call.response = RecordedResponse(
                status: isFailure ? 401 : 200,
                body: .json(
                    isFailure
                        ? #"{"code":401,"reason":"Unauthorized","message":"Login failure"}"# : step
                )
            )
            recording.exchanges.append(call)
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .incomplete])
        if fires {
            #expect(finding?.places == ["2 response.body message"])
            #expect(finding?.evidence[0].value == "Unauthorized: Login failure")
            #expect(finding?.title == "ForgeRock refused the sign-in")
            #expect(finding?.explanation.hasSuffix("itself was not refused.") == true)
        }
    }

    /// Facebook has names of its own for an error.
    @Test func readsAnErrorByOtherNames() throws {
        let recording = try Recording("authorization-response/user-cancelled").redirecting(
            with: [("error", nil), ("error_code", "1349048"), ("error_message", "Can't load URL")]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[0].value == "1349048: Can't load URL")
        #expect(recording.finding("code-missing") == nil)
    }

    /// A broker's page about what an identity provider behind it answered: the app's request is not at fault.
    @Test(arguments: [("SAMLResponse", true), ("password", false)])
    func tellsAnAnswerOfAnIdentityProviderBehind(field: String, isBehind: Bool) throws {
        let page = Body(
            text: "<h1>We are sorry</h1><p>invalid_request: Invalid response</p>",
            mediaType: "text/html"
        )
        let recording = try Recording("authorization-response/access-denied-by-policy")
            .sending(field, "PHNhbWxwOlJlc3BvbnNlPg==", to: "/sign-in")
            .endingSignIn(with: RecordedResponse(status: 400, body: page))
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("behind it") == isBehind)
    }
}
