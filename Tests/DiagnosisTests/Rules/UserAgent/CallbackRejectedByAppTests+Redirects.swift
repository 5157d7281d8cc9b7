import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// Where the app sends the browser on instead of an answer: an error named in the address, a page that is there for errors.
extension CallbackRejectedByAppTests {
    @Test(arguments: [
        "/error?error=state", "/sign-in?auth_error=1", "https://shop.example/#login_error=x",
        "/auth/failure?message=invalid_credentials&strategy=oidc", "/#/sign-in?error=invalid_client",
        "/?errorMessage=Sorry", "https://other.example/?error=x",
    ])
    func firesOnARedirectOfTheAppsThatNamesAnError(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule)?.severity == .error)
    }

    /// A server that signs in for an app of another site (Supabase) tells that one why it could not.
    @Test func firesOnARedirectToTheAppThatItSignsInFor() throws {
        let target =
            "https://reader.example/auth/callback?error=server_error&error_code=unexpected_failure"
            + "&error_description=Unable+to+exchange+external+code%3A+c3f1"
        let finding = try #require(try answered { $0.redirect(to: target) }.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places.first == "3 response.location error")
        #expect(finding.notes.first?.contains("Supabase Auth") == true)
        #expect(finding.explanation.contains("quotes the provider"))
    }

    @Test(arguments: [
        "/fail", "/auth/error", "/web/msg/error/login/callback", "/login-failed", "/auth/google/failure",
        "/error?reference=7f9c",
        "/auth/auth-code-error", "https://shop.example/#/login-failed", "/login-failed#/",
        "/sessions/unauthorized", "/access-denied",
    ])
    func firesOnARedirectToAPageThatIsThereForErrors(target: String) throws {
        let recording = try answered { $0.redirect(to: target) }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places.first == "3 response.location ")
        #expect(finding.notes.first == "sent to a page of the app's that is there for errors")
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        "/home", "/failed", "/deliveries/error", "/error/reports/login", "/jobs/failed",
        "https://other.example/auth/error",
        "/users/failed", "/user/payment/failed", "/session/upload/error",
    ])
    func leavesARedirectToAPageOfOtherThingsAlone(target: String) throws {
        let recording = try answered { $0.redirect(to: target) }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Somebody opened the address of the last error, was sent to sign in, and comes back to it; or it leads on to the home page.
    @Test(arguments: [true, false])
    func leavesAPageOfErrorsThatLeadsOnAlone(isBefore: Bool) throws {
        var recording = try answered { $0.redirect(to: "/auth/error") }
        var page = try #require(recording.exchanges.first)
        page.request.url = RecordedURL(page.request.url.resolving("/auth/error").text)
        page.startedAt =
            isBefore
            ? page.startedAt - .seconds(1)
            : try #require(recording.exchanges.last).startedAt + .seconds(1)
        page.response = RecordedResponse(status: 302)
        page.response?.redirect(to: isBefore ? "/login" : "/home")
        recording.exchanges.insert(page, at: isBefore ? 0 : recording.exchanges.count)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Somebody looks at a page whose address is one of errors, is asked to sign in there, and comes back to it.
    @Test(arguments: [
        ("/auth/error", "/auth/error"), ("/start?next=%2Fauth%2Ferror", "/auth/error"),
        ("/start?next=%2Faccess-denied", "/access-denied"),
    ])
    func leavesTheWayBackToAPageOfErrorsAlone(before: String, target: String) throws {
        var recording = try answered { $0.redirect(to: target) }
        var page = try #require(recording.exchanges.first)
        page.request.url = RecordedURL(page.request.url.resolving(before).text)
        page.startedAt = page.startedAt - .seconds(1)
        page.response = RecordedResponse(status: 401)
        recording.exchanges.insert(page, at: 0)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// The page has a slash at its end, or a language before it; or somebody tries again from it.
    @Test(arguments: ["/auth/error/", "/en/auth/error", "/login"])
    func firesOnAPageOfErrorsThatLeadsToItsLike(next: String) throws {
        var recording = try answered { $0.redirect(to: "/auth/error") }
        var page = try #require(recording.exchanges.first)
        page.request.url = RecordedURL(page.request.url.resolving("/auth/error").text)
        page.startedAt = try #require(recording.exchanges.last).startedAt + .seconds(1)
        page.response = RecordedResponse(status: 301)
        page.response?.redirect(to: next)
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes == [.failure])
    }

    func sentOn(to page: String, at path: String = "/start") throws -> Recording {
        let recording = try answered { $0.redirect(to: path) }
        var landing = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        landing.request.url = RecordedURL(landing.request.url.resolving(path).text)
        landing.startedAt = landing.startedAt + .seconds(1)
        landing.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        return Recording(recording.exchanges + [landing])
    }

    @Test func firesOnARedirectToAPageThatSaysSo() throws {
        let page = "<title>Shop</title><div class=alert-danger>The request to sign in was denied.</div>"
        let finding = try #require(sentOn(to: page).finding(rule))
        #expect(
            finding.places == [
                "3 response.location ", "4 response.body ", "3 request.header Cookie",
                "0 response.header Set-Cookie",
            ]
        )
        #expect(finding.evidence[0].value == "/start")
        #expect(finding.evidence[1].value == "The request to sign in was denied.")
    }

    @Test(arguments: [
        ("An error was encountered while handling the remote login. Correlation failed.", "ASP.NET: its c"),
        ("Exception: Unable to unprotect the message.State.", "ASP.NET: the state was made with a key"),
        ("IDX21323: RequireNonce is 'True'", "ASP.NET: the cookie with the nonce"),
        ("Login Failed: Unable to find a valid CSRF token. Please try again.", "OAuth2 Proxy: "),
        ("Unable to verify authorization request state.", "Passport: "),
        ("OAuth state missing from cookies", "JupyterHub: "),
        ("state mismatch OAuth state mismatch. Please restart the authentication flow.", "Panel: "),
        ("The received state has expired.", "Nextcloud: "),
        ("no resumable session found", "Ory Kratos: "), ("Missing saved oauth state", "Grafana: "),
        ("login.OAuthLogin(missing saved state)", "Grafana: "), ("State token does not match", "Nextcloud: "),
        ("[invalid_nonce]", "Spring Security: the ID token's nonce"),
        ("JSON::JWK::Set::KidNotFound", "json-jwt (Ruby): the key set"),
        ("Invalid ID token: Expired token", "openid_connect (Ruby): by the clock"),
        ("Token error: Signature has expired", "Python Social Auth: by the clock"),
        ("Error: Could not get a refresh token", "oidc-agent: "),
        ("Authentication process canceled", "Python Social Auth: the provider answered a request"),
        ("Your credentials aren&#x27;t allowed", "Python Social Auth: the provider answered a request"),
        ("InsecureTransportError: (insecure_transport) OAuth 2 MUST utilize https.", "oauthlib or Authlib: "),
    ])
    func tellsWhatALibrarysWordsMean(words: String, meaning: String) throws {
        let body = Body(text: "<h1>\(words)</h1>", mediaType: "text/html")
        let finding = try #require(
            answered { $0 = RecordedResponse(status: 500, body: body) }.finding(rule)
        )
        #expect(finding.notes.contains { $0.hasPrefix(meaning) })
    }

    /// The app's own redirect, with its session, and an app that works all the same.
    @Test(
        arguments: [
            (400, nil, nil, true), (400, "session=abc; Path=/", nil, false), (503, nil, nil, false),
            (404, nil, nil, true), (404, nil, "/account", false), (400, nil, "/account", false),
        ] as [(Int, String?, String?, Bool)]
    )
    func redirectOfAnAppThatTookTheAnswerLosesNone(status: Int, cookie: String?, page: String?, fires: Bool)
        throws
    {
        var recording = try sentOn(to: "no code", at: "/callback/").answering("/callback/", status)
        if let cookie { recording = recording.answering("/callback", header: "Set-Cookie", cookie) }
        if let page {
            var later = try #require(recording.exchanges.last)
            later.request.url = RecordedURL(later.request.url.resolving(page).text)
            later.startedAt = later.startedAt + .seconds(1)
            later.response = RecordedResponse(
                status: 200,
                body: Body(text: "<p>Hello Alice", mediaType: "text/html")
            )
            recording.exchanges.append(later)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// The callback takes the login's cookie back, and the page behind it is loaded without any.
    func forgetting() throws -> Recording {
        try Recording("healthy/web-code-flow")
            .answering("/callback", header: "Set-Cookie", "shop_login=\"\"; Max-Age=0; Path=/")
            .editingLast("/") { page in
                page.request.headers.remove("cookie")
                page.request.listedCookies = []
            }
    }

    /// As Streamlit does, whatever was wrong with the tokens; who keeps a session is signed in.
    @Test(
        arguments: [
            (nil, nil, true), ("_xsrf=2|7d1f", nil, true), ("shop_session=7d1f4a", nil, false),
            (nil, "shop_session=7d1f4a; Path=/", false),
        ] as [(String?, String?, Bool)]
    )
    func cookiesThatAreThrownAwayAreARefusal(sent: String?, given: String?, fires: Bool) throws {
        let recording = try forgetting()
            .editingLast("/callback") { if let given { $0.response?.headers.append("Set-Cookie", given) } }
            .editingLast("/") { page in if let sent { page.request.headers.append("Cookie", sent) } }
        #expect(recording.outcomes == [fires ? .failure : .success])
        #expect(recording.finding(rule)?.places.first == (fires ? "4 response.header Set-Cookie" : nil))
        let half = recording.without { ["/token", "/jwks", "/userinfo"].contains($0.request.url.path) }
        #expect((half.finding(rule)?.fix.contains("Streamlit's terminal") ?? false) == fires)
    }

    /// The user may be known by something else than a cookie of the page, or need not be known.
    @Test(arguments: [
        "a cookie that is left", "access alone", "a cookie of its API", "a token", "a header of its own",
    ])
    func whoeverMayBeKnownIsNotForgotten(by sign: String) throws {
        var recording = try forgetting()
        var call = try #require(recording.exchanges.last)
        call.startedAt = call.endedAt + .milliseconds(20)
        call.request.url = RecordedURL("https://api.shop.example/me")
        call.response = RecordedResponse(status: 200)
        switch sign {
        case "a cookie that is left":
            recording = recording.editingLast("/callback") {
                $0.request.headers.append("Cookie", "shop_guest=5c1e7d")
                $0.request.listedCookies = []
            }
        case "access alone": recording = recording.asking("scope", "orders")
        case "a cookie of its API": call.request.headers.append("Cookie", "api_session=7d1f4a")
        case "a token": call.request.headers.append("Authorization", "Bearer not-a-token-0123456789")
        default: call.request.headers.append("X-Session-Token", "not-a-token-0123456789")
        }
        recording.exchanges.append(call)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes.first == .success)
    }

    /// A program is called back at this machine and keeps its tokens; a web app under development has pages there.
    @Test(arguments: [(nil, false), ("/favicon.ico", false), ("/home", true)] as [(String?, Bool)])
    func programOnThisMachineForgetsNobody(page: String?, fires: Bool) throws {
        let origin = "https://www.shop.example"
        var recording = try forgetting().without {
            ["/token", "/jwks", "/userinfo"].contains($0.request.url.path)
        }
        .asking("redirect_uri", "http://localhost:51004/callback")
        .editing { exchange in
            let url = exchange.request.url.text
            exchange.request.url = RecordedURL(url.replacing(origin, with: "http://localhost:51004"))
            if let location = exchange.response?.location {
                exchange.response?.redirect(
                    to: location.replacing(origin, with: "http://localhost:51004")
                )
            }
        }
        if let page {
            var shown = try #require(recording.exchanges.first { $0.request.url.path == "/login" })
            shown.startedAt = shown.startedAt - .seconds(1)
            shown.request.url = RecordedURL("http://localhost:51004" + page)
            shown.response = RecordedResponse(status: 200, body: .html("<h1>Home"))
            recording.exchanges.append(shown)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesARedirectToAnotherPageAlone() throws {
        #expect(try sentOn(to: "<h1>Failed deliveries</h1>").finding(rule) == nil)
    }

    @Test(arguments: [
        "/", "/home?welcome=1", "/?error_code=0", "/?message=Welcome",
        "/#/home?tab=1",
    ])
    func leavesOtherRedirectsAlone(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule) == nil)
    }

    /// Grafana's way: the redirect says nothing, a cookie does.
    @Test func firesOnARedirectThatHandsAnErrorOnInACookie() throws {
        let finding = try #require(
            try answered {
                $0.redirect(to: "/login")
                $0.headers.append("Set-Cookie", "login_error=6c6f67696e; Path=/; HttpOnly")
            }.finding(rule)
        )
        #expect(finding.places.first == "3 response.header Set-Cookie")
        #expect(finding.evidence[0].value == "login_error")
    }

    @Test(arguments: [
        (
            "<div class=\"alert alert-danger\">The login attempt failed. Reason: no email address.</div>",
            true
        ),
        ("<div class=alert-danger>There were 3 failed login attempts since Monday.</div>", false),
        (
            "<div class=alert-danger>Signing in using your account in git.corp.example is not allowed.</div>",
            true
        ),
        ("<h1>Something went wrong</h1><p>We could not complete your sign in.</p>", true),
        ("<h1>Something went wrong</h1><p>The basket could not be read.</p>", false),
        ("<div role=alert>ID token validate failed with error: invalid audience</div>", true),
        (
            #"<script>window.grafanaBootData = {settings: {"loginError":"User not in a required group"}}</script>"#,
            true
        ),
        (#"<script>window.grafanaBootData = {settings: {"loginError":""}}</script>"#, false),
    ])
    func readsWhatThePageBehindTheRedirectSays(page: String, isRefused: Bool) throws {
        #expect((try sentOn(to: page).finding(rule) != nil) == isRefused)
    }

    @Test(
        arguments: [
            ("/auth/error?error=OAuthAccountNotLinked", "Auth.js"),
            ("/login?error=csrf_detected", "OmniAuth"),
            ("/login?error=denied", nil),
        ] as [(String, String?)]
    )
    func namesOfLibrariesAreExplained(target: String, library: String?) throws {
        let finding = try #require(try answered { $0.redirect(to: target) }.finding(rule))
        #expect((finding.evidence[0].note?.hasPrefix(library ?? "-") == true) == (library != nil))
    }

    /// Behind a refusal the app shows its page to sign in at; anything else means that it works all the same.
    @Test(arguments: [("/login", true), ("/home", false)])
    func pageToSignInAtIsNoServiceBehindARefusal(path: String, isRefused: Bool) throws {
        var exchanges = try handedOn(403, #"{"error":"no policy"}"#).exchanges
        var page = try #require(exchanges.first { $0.request.url.path == "/login" })
        page.startedAt = try #require(exchanges.last).endedAt + .seconds(2)
        page.request.url = RecordedURL("https://www.shop.example\(path)")
        page.response = RecordedResponse(status: 200, body: .html("<div id=root></div>"))
        exchanges.append(page)
        let recording = Recording(exchanges)
        #expect((recording.finding(rule) != nil) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    /// Passport sends whoever it could not sign in to the page to sign in at, and says nothing.
    ///
    /// To another page it may have gone on well, and so may an app that gives or is sent something to know its user by.
    @Test(arguments: [
        ("/login", nil, nil, true), ("/home", nil, nil, false), ("/login?ticket=8d1f00c2", nil, nil, false),
        ("/login", "sid=7tGnE11CNeDXr1V8; Path=/", nil, false),
        ("/login", nil, "sid=7tGnE11CNeDXr1V8", false),
    ])
    func appThatSetNoCookieAndSendsBackToSignInKnowsNobody(
        target: String,
        given: String?,
        known: String?,
        fires: Bool
    ) throws {
        var recording = try withoutLoginCookie().editingLast("/callback") {
            $0.response = RecordedResponse(status: 302)
            $0.response?.redirect(to: target)
            if let given { $0.response?.headers.append("Set-Cookie", given) }
        }
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.endedAt + .milliseconds(20)
        page.request.url = page.request.url.resolving(target)
        if let known { page.request.headers.append("Cookie", known) }
        page.response = RecordedResponse(
            status: 200,
            body: Body(text: "<h1>Log in</h1><a href=/login/sso>Log in</a>", mediaType: "text/html")
        )
        recording.exchanges.append(page)
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
        guard let finding else { return }
        #expect(finding.isPrimary && finding.severity == .error && finding.fix.contains("trust proxy"))
        #expect(finding.places.first == "3 response.location ")
        #expect(finding.notes.first?.contains("without a session") == true)
    }
}
