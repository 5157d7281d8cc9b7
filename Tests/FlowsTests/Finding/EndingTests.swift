import Captures
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// How a login ended by its answers alone.
struct EndingTests {
    private func ending(_ build: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
        ShopLogin.endings(build)
    }

    @Test func loginPageLeftOpenIsIncomplete() { #expect(ending { $1.authorize(&$0) } == [.incomplete]) }

    @Test func callbackWithoutItsBackChannelIsASuccessWhenTheAppGoesOn() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.answer(&$0)
                $1.callback(&$0)
            } == [.success]
        )
    }

    /// The browser's way back shows the sign-in page out of its cache, and asks nobody; one that it asks for anew is left open.
    @Test(arguments: [("disk", Outcome.success), (nil, .incomplete)] as [(String?, Outcome)])
    func pageOfTheHistoryUndoesNoSuccess(cache: String?, outcome: Outcome) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        let again = login.authorize(&capture)
        var exchanges = capture.exchanges
        exchanges[again].foreign["_fromCache"] = cache.map { .string($0) }
        #expect(FlowFinder.flows(in: Capture(exchanges)).map(\.ending) == [outcome])
    }

    /// HEAD asks whether there is a page; what it is answered says nothing of the login.
    @Test func nobodySignsInByHEAD() throws {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let asked = login.authorize(&capture)
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        var exchanges = capture.exchanges
        exchanges[asked].request.method = "HEAD"
        exchanges[asked].response = RecordedResponse(status: 405)
        let flows = FlowFinder.flows(in: Capture(exchanges))
        #expect(flows.map(\.ending) == [.success])
        #expect(flows.first?.authorizationRequests.map(\.exchange) == [1])
    }

    /// A program on this machine answers its browser first: what it asked the provider before is in the capture, so its code would be.
    @Test(arguments: [(true, Outcome.incomplete), (false, .success)])
    func programThatExchangedNoCodeYetIsNotDone(isSeen: Bool, outcome: Outcome) {
        #expect(
            ending {
                var login = $1
                login.redirectURI = "http://127.0.0.1:8400/cb"
                if isSeen { login.discovery(&$0) }
                login.authorize(&$0)
                login.answer(&$0)
                let page = Body.html("You may close this window.")
                $0.get(login.callbackURL, headers: ShopLogin.browser, body: page)
            } == [outcome]
        )
    }

    /// A program whose own service exchanges the code for it.
    @Test func programThatGaveItsCodeToItsServiceIsDone() {
        let handing = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://service.example/handed"),
            headers: HeaderFields(ShopLogin.backend),
            body: .json(#"{"handed":"\#(ShopLogin().code)"}"#)
        )
        #expect(
            ending {
                var login = $1
                login.redirectURI = "http://127.0.0.1:8400/cb"
                login.discovery(&$0)
                login.authorize(&$0)
                login.answer(&$0)
                let page = Body.html("You may close this window.")
                $0.get(login.callbackURL, headers: ShopLogin.browser, body: page)
                $0.add(
                    Exchange(
                        startedAt: Timestamp(seconds: 0),
                        request: handing,
                        response: RecordedResponse(status: 200)
                    )
                )
            } == [.success]
        )
    }

    @Test func callbackThatTheAppRefusesIsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $0.get($1.callbackURL, 400, headers: ShopLogin.browser, body: .html("no"))
            } == [.failure]
        )
    }

    /// Behind the callback's redirect, on a page of the app's own.
    @Test(arguments: [
        ("<div class=\"alert alert-danger\">The request to sign in was denied.</div>", Outcome.failure),
        (
            "<div class='alert alert-warning'>Invalid login. Please try again.</div><form><input name=user></form>",
            .failure
        ),
        ("<title>Login failed</title><p>The session is unavailable</p>", .failure),
        ("<title>Acme</title><h1>Account Inactive</h1><p>This account is inactive.", .failure),
        ("<h1>Your account has been disabled</h1>", .failure),
        ("<h1>Sign Up Closed</h1><p>We are sorry", .failure), ("<h1>Inactive accounts</h1>", .success),
        ("<h1>Account</h1><p>Two devices are blocked</p>", .success),
        ("<h1>Your account: 3 notes on how to keep it from being locked or blocked</h1>", .success),
        ("<div role=alert>Your last login: Monday</div>", .success),
        ("<div role=alert>3 failed login attempts since Monday</div>", .success),
        ("<h1>Problems signing in on your phone?</h1>", .success),
        ("<h1>Failed deliveries</h1>", .success), ("<h1>Hello</h1><h2>Failed logins</h2>", .success),
        ("<div class='alert-warning'>There was 1 failed login attempt on Monday</div>", .success),
        ("<div role=alert>Your authorization for GitHub has expired</div>", .success),
        ("<div role=alert>Two-factor authentication: your recovery codes have expired</div>", .success),
        ("<div role=alert>Your trial expired. Log in to billing to go on</div>", .success),
        ("<div role=alert>Last failed login: Monday</div>", .success),
        ("<div role=alert>Letzte fehlgeschlagene Anmeldung: Montag</div>", .success),
        ("<div role=alert>Die Anmeldung ist fehlgeschlagen</div>", .failure),
        ("<div role=alert><span trmsg=106></span></div>", .failure),
        ("<div role=alert><span trmsg=47></span></div>", .success),
        (
            "<a href='/users/sign_out'>Alice</a><div class='alert-warning'>You cannot sign in without a key from May on</div>",
            .success
        ),
    ])
    func pageThatTellsOfAFailedLoginIsTheEndOfIt(page: String, expected: Outcome) {
        for isExchanged in [false, true] {
            let found = ending {
                $1.authorize(&$0)
                $1.answer(&$0)
                $0.redirect($1.callbackURL, to: "/start", headers: ShopLogin.browser)
                if isExchanged { $1.token(&$0) }
                $0.get("https://shop.example/start", headers: ShopLogin.browser, body: .html(page))
            }
            #expect(found == [expected])
        }
    }

    /// What has not changed since is not sent again.
    @Test func metadataThatTheClientHasAlreadyAreNoFailure() {
        let path = "/.well-known/openid-configuration"
        #expect(ending { $0.get($1.issuer + path, 304, body: .html("")) } == [.incomplete])
        #expect(ending { $0.get($1.issuer + path, 404, body: .html("")) } == [.failure])
    }

    /// The app's server was at work on the callback: it had its tokens, and sent the browser to a page of errors.
    @Test(arguments: [("/?error=email_not_verified", Outcome.failure), ("/?welcome=1", .success)])
    func redirectToAnErrorIsTheEndOfALoginThatHadItsTokens(target: String, expected: Outcome) {
        let found = ending {
            $1.authorize(&$0)
            $1.answer(&$0)
            $1.token(&$0)
            $0.redirect($1.callbackURL, to: target, headers: ShopLogin.browser)
        }
        #expect(found == [expected])
    }

    /// A framework's message stands in a cookie of its own, so the answer sets one.
    @Test func codeThatTheAppsServerLeavesAloneWithoutItsCookieIsAFailure() {
        func found(_ cookie: [(String, String)]) -> [Outcome] {
            ending { capture, login in
                login.discovery(&capture)
                capture.get(
                    "https://shop.example/login",
                    302,
                    headers: ShopLogin.browser,
                    answer: [
                        ("Set-Cookie", "session=3f9a7c1e5b; Path=/"), ("Location", login.authorizationURL),
                    ]
                )
                login.authorize(&capture)
                login.answer(&capture)
                capture.get(
                    login.callbackURL,
                    302,
                    headers: ShopLogin.browser + cookie,
                    answer: [("Set-Cookie", "messages=W10; Path=/"), ("Location", "/start")]
                )
                capture.get(
                    "https://shop.example/start",
                    headers: ShopLogin.browser + [("Cookie", "messages=W10")],
                    body: .html("<p>Welcome</p>")
                )
            }
        }
        #expect(found([]) == [.failure])
        #expect(found([("Cookie", "session=3f9a7c1e5b")]) == [.success])
    }

    @Test func errorOfTheProviderIsAFailureAndADenialIsCancelled() {
        for (error, expected) in [("server_error", Outcome.failure), ("access_denied", .cancelled)] {
            let found = ending {
                $1.authorize(&$0)
                $0.redirect(
                    $1.redirectURI + "?error=\(error)&state=\($1.state)",
                    to: "/home",
                    headers: ShopLogin.browser
                )
            }
            #expect(found == [expected], "\(error)")
        }
    }

    @Test func refusedCodeIsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, status: 400, body: #"{"error":"invalid_grant"}"#)
            } == [.failure]
        )
    }

    @Test func retryThatSucceedsMakesItASuccess() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, status: 503, body: "{}")
                $1.token(&$0)
            } == [.success]
        )
    }

    /// The listener of a command line client takes one request, and hangs up on the next one.
    @Test func callbackLoadedAgainAtAListenerThatIsDoneIsASuccess() {
        #expect(
            ending {
                $1.authorize(&$0)
                $0.get($1.callbackURL, headers: ShopLogin.browser, body: .html("You may close this window."))
                $0.add(
                    Exchange(
                        startedAt: Timestamp(nanoseconds: 0),
                        duration: .seconds(5),
                        request: RecordedRequest(method: "GET", url: RecordedURL($1.callbackURL)),
                        failure: "ECONNRESET: connection reset by the provider"
                    )
                )
                $1.token(&$0)
            } == [.success]
        )
    }

    /// The browser's half alone: the callback that was taken is loaded again, and its state is used up.
    @Test(arguments: [(true, Outcome.success), (false, .failure)])
    func callbackLoadedAgainThatEndsAtAnErrorIsASuccess(wasTaken: Bool, outcome: Outcome) {
        #expect(
            ending {
                $1.authorize(&$0)
                if wasTaken { $1.callback(&$0) }
                $0.redirect(
                    $1.callbackURL,
                    to: "/auth/failure?error=csrf_detected",
                    headers: ShopLogin.browser
                )
            } == [outcome]
        )
    }

    @Test func codeInACustomSchemeThatNobodyExchangesIsIncomplete() {
        let found = ending { capture, login in
            var app = login
            app.redirectURI = "com.example.shop:/cb"
            app.authorize(&capture)
            app.answer(&capture)
        }
        #expect(found == [.incomplete])
    }

    @Test func errorInsideAnAnswerWithStatus200IsAFailure() {
        #expect(
            ending {
                $1.authorize(&$0)
                $1.callback(&$0)
                $1.token(&$0, body: #"{"error":"bad_verification_code"}"#)
            } == [.failure]
        )
    }

    /// A page that speaks to the provider itself, and stops.
    @Test func codeThatAPageLeavesAloneIsIncomplete() {
        func found(_ more: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
            ending { capture, login in
                capture.get(
                    login.issuer + "/.well-known/openid-configuration",
                    headers: ShopLogin.browser + [("Origin", "https://shop.example")],
                    body: .json(#"{"issuer":"\#(login.issuer)"}"#)
                )
                login.authorize(&capture)
                login.answer(&capture)
                capture.get(login.callbackURL, headers: ShopLogin.browser, body: .html("<div id=app></div>"))
                more(&capture, login)
            }
        }
        #expect(found { _, _ in } == [.incomplete])
        let own = found { capture, login in
            capture.post("https://api.shop.example/session", [("code", login.code)], body: .json("{}"))
        }
        #expect(own == [.success])
    }

    /// Only the provider knows where the answer to a pushed request goes: the redirect with the code tells.
    @Test func answerToAPushedRequestOfWhichTheBrowserShowsNothingIsFound() {
        var capture = CaptureBuilder()
        let request = "https://idp.example/authorize?client_id=shop&request_uri=urn%3Aexample%3Apushed-1"
        capture.get(request, body: .html("<form method=post action=/login><input name=user></form>"))
        capture.post(
            "https://idp.example/login",
            [("user", "alice")],
            302,
            answer: [("Location", "https://shop.example/cb?code=code-0001-abcd&state=state-0001")]
        )
        capture.redirect("https://shop.example/cb?code=code-0001-abcd&state=state-0001", to: "/home")
        #expect(capture.flows.map(\.ending) == [.success])
        #expect(capture.flows.first?.authorizationResponses.map(\.callback) == [2])
    }

    /// The tokens had come, and the app's server was not content with them, or with the user.
    @Test(arguments: [
        ("/login?error", Outcome.failure), ("/sign-in?error=OAuthAccountNotLinked", .failure),
        ("https://portal.example/login?error=x", .success), ("/start?error_code=0", .success),
        ("/cb?error=no_seat", .failure), ("https://www.shop.example/login?error=no_seat", .failure),
        ("https://www.shop.example/login?error=no_seat&state=abc", .success),
        ("/start?error=null&ticket=1", .success),
    ])
    func errorThatTheCallbackLeadsToEndsTheLogin(target: String, expected: Outcome) {
        let found = ending {
            $1.authorize(&$0)
            $1.answer(&$0)
            $0.redirect($1.callbackURL, to: target, headers: ShopLogin.browser)
            $1.token(&$0)
        }
        #expect(found == [expected])
    }

    /// Sent on to another spelling of its address, a callback may lose its query; what the app says of another page is no affair of
    /// the login.
    @Test(arguments: [
        ("/cb/", 400, Outcome.failure), ("https://www.shop.example/cb", 500, .failure),
        ("http://shop.example/cb", 404, .failure), ("/cb/", 200, .success),
        ("/cb/start", 404, .success), ("https://files.shop.example/cb", 404, .success),
    ])
    func answerThatARedirectLosesIsTheEndOfIt(target: String, status: Int, expected: Outcome) {
        for isExchanged in [false, true] {
            let found = ending {
                $1.authorize(&$0)
                $1.answer(&$0)
                $0.redirect($1.callbackURL, to: target, headers: ShopLogin.browser)
                if isExchanged { $1.token(&$0) }
                let url = target.hasPrefix("/") ? "https://shop.example" + target : target
                $0.get(url, status, headers: ShopLogin.browser, body: .html("no"))
            }
            #expect(found == [isExchanged ? .success : expected])
        }
    }

    /// A browser makes a GET of a form that is sent on by 301 or 302.
    @Test func formThatARedirectLosesIsTheEndOfIt() {
        let found = ending {
            $1.authorize(&$0)
            $0.post(
                $1.redirectURI,
                [("code", $1.code), ("state", $1.state)],
                301,
                headers: ShopLogin.browser,
                answer: [("Location", "https://www.shop.example/cb")]
            )
            $0.get("https://www.shop.example/cb", 500, headers: ShopLogin.browser, body: .html("no state"))
        }
        #expect(found == [.failure])
    }

    /// Who is signed in is not asked for a password there.
    @Test(arguments: [
        ("/users/sign_in", true, Outcome.failure), ("/login", true, .failure), ("/login", false, .success),
        ("/start", true, .success), ("/login/password", true, .success),
    ])
    func formToSignInWithBehindTheCallbackIsTheEndOfIt(path: String, asks: Bool, expected: Outcome) {
        let form = "<form method=post><input name=user><input type=password name=password></form>"
        for isExchanged in [false, true] {
            let found = ending {
                $1.authorize(&$0)
                $1.answer(&$0)
                $0.redirect($1.callbackURL, to: path, headers: ShopLogin.browser)
                if isExchanged { $1.token(&$0) }
                let page = asks ? form : "<p>You are signed in</p>"
                $0.get("https://shop.example" + path, headers: ShopLogin.browser, body: .html(page))
            }
            #expect(found == [expected])
        }
    }

    /// A script of the provider's leads to the redirect URI, which was pushed, or has a name in its place.
    @Test(arguments: [
        ("request_uri=urn%3Aexample%3Apushed-1", 302, Outcome.success),
        ("redirect_uri=Shop_Inc-Shop-PRD&response_type=code&state=state-of-one-0001", 302, .success),
        ("request_uri=urn%3Aexample%3Apushed-1", 500, .failure),
    ])
    func answerThatAScriptBringsToTheAppIsFound(query: String, status: Int, expected: Outcome) {
        let login = ShopLogin()
        let request = "https://idp.example/authorize?client_id=shop&" + query
        var capture = CaptureBuilder()
        capture.redirect("https://shop.example/login", to: request, headers: ShopLogin.browser)
        capture.get(
            request,
            headers: ShopLogin.browser,
            body: .html("<div id=root></div><script src=a.js></script>")
        )
        capture.get("https://shop.example/news?code=4711", headers: ShopLogin.browser)
        capture.get(
            login.callbackURL,
            status,
            headers: ShopLogin.browser,
            answer: status == 302 ? [("Location", "/home"), ("Set-Cookie", "session=3f9a7c1e5b")] : []
        )
        #expect(capture.flows.map(\.ending) == [expected])
        #expect(capture.flows.first?.authorizationResponses.map(\.callback) == [3])
    }
}
