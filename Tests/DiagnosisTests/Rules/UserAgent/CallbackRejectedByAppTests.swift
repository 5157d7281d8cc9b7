import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
import Testing

struct CallbackRejectedByAppTests {
    private let rule = "callback-rejected-by-app"
    private let broken = "user-agent/callback-rejected-by-app"

    private func answered(_ edit: (inout RecordedResponse) -> Void) throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            var response = RecordedResponse(status: 302)
            edit(&response)
            exchange.response = response
        }
    }

    @Test func showsStatusWordsAndCookies() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "3 response.status ", "3 response.body ", "3 request.header Cookie",
                "0 response.header Set-Cookie",
            ]
        )
        #expect(finding.evidence[1].value == "Shop Something went wrong. Reference 7f9c")
        #expect(finding.evidence[2].value == "shop_login")
        #expect(recording.outcomes == [.failure])
    }

    /// The app sets none where it begins the login, and gets none back.
    private func withoutLoginCookie() throws -> Recording {
        try Recording(broken).editing { exchange in
            guard exchange.request.url.host == "www.shop.example" else { return }
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "cookie" }
            exchange.request.listedCookies = []
            guard exchange.request.url.path == "/login" else { return }
            exchange.response?.headers.fields.removeAll { $0.name.lowercased() == "set-cookie" }
            exchange.response?.listedCookies = []
        }
    }

    @Test func tellsThatTheAppSetNoCookie() throws {
        let recording = try withoutLoginCookie()
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.suffix(2) == ["3 request.header Cookie", "0 response.header Set-Cookie"])
        #expect(finding.evidence.suffix(2).map(\.value) == ["none", "none"])
    }

    /// A program opened the browser, and another one's server has its port.
    ///
    /// Of a login that a page began the capture may lack that.
    @Test(arguments: [
        (true, nil, true), (true, "none", true), (true, "same-site", false), (false, nil, false),
    ])
    func tellsOfAServerThatWasThereFirst(isFirst: Bool, site: String?, isBegunByProgram: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            func moved(_ text: String) -> String {
                text.replacing("https://www.shop.example", with: "http://localhost")
                    .replacing("https%3A%2F%2Fwww.shop.example", with: "http%3A%2F%2Flocalhost")
            }
            exchange.request.url = RecordedURL(moved(exchange.request.url.text))
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: moved(location))
            }
            if let site, exchange.request.url.path == "/authorize" {
                exchange.request.headers.append("Sec-Fetch-Site", site)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response?.status = 404
            exchange.response?.headers.append("Server", "Apache/2.4")
        }.without { isFirst && $0.request.url.path == "/login" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.explanation.contains("another program's server") == isBegunByProgram)
        #expect((finding.evidence.last?.value == "Apache/2.4") == isBegunByProgram)
    }

    @Test(arguments: [
        ("could not find a matching session for this request", "Goth"),
        ("Ueberauth.Failure.Error{message_key: :csrf_attack}", "Ueberauth"),
        ("LogtoClientError: Sign-in session not found.", "Logto"),
        ("/auth Invalid session state: stored %!s(nil), returned abc", "Vouch"),
        ("OAuth 2.0 authorization state not found", "caddy-security"),
        ("OIDC Auth Failure: No state cookie found, client needs to support cookies", "Couchbase"),
        ("InvalidStateException: Invalid state parameter passed in callback URL.", "Symfony"),
    ])
    func knowsWhatLibrariesSay(words: String, library: String) throws {
        let finding = try #require(
            try answered { response in
                response = RecordedResponse(
                    status: 400,
                    body: Body(text: "<h1>Error</h1><p>\(words)", mediaType: "text/html")
                )
            }.finding(rule)
        )
        #expect(finding.notes.contains { $0.contains(library) })
    }

    /// A browser keeps two cookies of a name where their Domain or Path differs, and sends both.
    @Test(
        arguments: [
            (["an-older-one", nil], "that of this login stands behind another's value"),
            ([nil, "an-older-one"], "that of this login stands first"),
        ] as [([String?], String)]
    )
    func tellsThatAnotherCookieOfTheNameCame(values: [String?], note: String) throws {
        let recording = try Recording(broken)
        let sent = try #require(recording.exchanges[3].request.headers.first("cookie"))
        let header = values.map { $0.map { "shop_login=\($0)" } ?? sent }.joined(separator: "; ")
        let doubled = recording.replacing("Cookie", with: header, at: 3).editing {
            $0.request.listedCookies = []
        }
        let finding = try #require(doubled.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places.last == "3 request.header Cookie")
        #expect(finding.evidence.last?.value == "shop_login, 2 times")
        #expect(finding.notes.last == note)
        #expect(finding.explanation.contains("another one of the same name"))
    }

    /// A library without leeway refuses a token that was issued two seconds later by the app's clock.
    @Test(arguments: [(1, false), (2, true), (90, true), (-60, false)])
    func comparesTheTokensTimeWithTheAppsClock(ahead: Int64, isEarly: Bool) throws {
        let login = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/userinfo" }
        let callback = try #require(login.exchanges.last { $0.request.url.path == "/callback" })
        let recording = login.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(
                status: 401,
                headers: HeaderFields([("Date", callback.endedAt.httpDate)])
            )
        }.editingIDToken { claims in
            claims["iat"] = .number(JSONNumber(callback.endedAt.seconds + ahead))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("the provider's clock is ahead of the app's") == isEarly)
        #expect(finding.places.contains { $0.hasSuffix("jwt.claims iat") } == isEarly)
    }

    @Test func leavesARefusedCodeToItsRule() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func standsBehindACause() throws {
        let finding = try #require(Recording("user-agent/cookie-samesite-strict").finding(rule))
        #expect(!finding.isPrimary)
        #expect(finding.effectOf == "cookie-samesite-strict")
    }

    @Test(arguments: [
        "/error?error=state", "/sign-in?auth_error=1", "https://shop.example/#login_error=x",
        "/auth/failure?message=invalid_credentials&strategy=oidc", "/#/sign-in?error=invalid_client",
        "/?errorMessage=Sorry", "https://other.example/?error=x",
    ])
    func firesOnARedirectOfTheAppsThatNamesAnError(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule)?.severity == .error)
    }

    /// A page that is made on the server begins the login, and the cookie stays there.
    @Test(arguments: ["node", nil]) func tellsACookieThatTheServerKept(agent: String?) throws {
        var recording = try withoutLoginCookie()
        let begun = recording.exchanges[0]
        let location = try #require(begun.response?.location)
        var asked = begun
        asked.request.url = RecordedURL("https://www.shop.example/api/auth/signin/harbour")
        asked.request.method = "POST"
        if let agent {
            asked.request.headers.fields.removeAll { $0.name.lowercased() == "user-agent" }
            asked.request.headers.append("User-Agent", agent)
        }
        asked.response = RecordedResponse(
            status: 200,
            headers: HeaderFields([("Set-Cookie", "shop.state=q2w3e4r5t6z7u8; Path=/; HttpOnly")]),
            body: .json(#"{"url":"\#(location)"}"#)
        )
        asked.startedAt = begun.startedAt + .milliseconds(5)
        asked.duration = .milliseconds(10)
        recording.exchanges.insert(asked, at: 1)
        let finding = try #require(recording.finding(rule))
        // What a page of the browser's was given is lost on the way.
        #expect(finding.isPrimary == (agent != nil))
        #expect(
            finding.notes.contains("given to the app's own server, and not to the browser") == (agent != nil)
        )
        #expect(finding.fix.contains("Pass the Set-Cookie fields") == (agent != nil))
    }

    /// Instances that share no keys, a login that took too long: the cookie was there.
    @Test(arguments: [true, false]) func saysThatTheCookieCameBack(isSame: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            if !isSame {
                exchange.request.headers.fields.removeAll { $0.name.lowercased() == "cookie" }
                exchange.request.headers.append("Cookie", "shop_login=another-value-0123456789")
                exchange.request.listedCookies = []
            }
            exchange.response?.body = Body(
                text: "<h1>Correlation failed. Unable to unprotect the message.State.",
                mediaType: "text/html"
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("came back as it was") == isSame)
        #expect((finding.places.last == "0 response.header Set-Cookie") == isSame)
        #expect(finding.notes.contains { $0.contains("Data Protection keys are not shared") })
        #expect(!finding.notes.contains { $0.contains("correlation cookie did not come") })
    }

    /// A limit of time is what a long sign-in meets first.
    @Test(arguments: [(290, false), (632, true)] as [(Int64, Bool)])
    func beginsWithTheLimitWhereTheSignInTookLong(wait: Int64, isLate: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard ["/sign-in", "/callback"].contains(exchange.request.url.path) else { return }
            exchange.startedAt = exchange.startedAt + .seconds(wait)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains { $0.contains("\(wait + 8) s later") })
        #expect(finding.fix.hasPrefix("Sign in once more") == isLate)
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

    private func sentOn(to page: String, at path: String = "/start") throws -> Recording {
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
        ("login.OAuthLogin(missing saved state)", "Grafana: "), ("State token does not match", "Nextcloud: "),
        ("[invalid_nonce]", "Spring Security: the ID token's nonce"),
    ])
    func tellsWhatALibrarysWordsMean(words: String, meaning: String) throws {
        let body = Body(text: "<h1>\(words)</h1>", mediaType: "text/html")
        let finding = try #require(
            answered { $0 = RecordedResponse(status: 500, body: body) }.finding(rule)
        )
        #expect(finding.notes.contains { $0.hasPrefix(meaning) })
    }

    /// A proxy sends the browser to the same address with a slash at the end.
    @Test func saysWhereTheAnswerGotLost() throws {
        let recording = try sentOn(to: "no code", at: "/callback/").answering("/callback/", 400)
        let finding = try #require(recording.finding(rule))
        #expect(recording.outcomes == [.failure])
        #expect(finding.isPrimary)
        #expect(
            finding.places == ["4 response.status ", "4 request.header Cookie", "3 response.location "]
        )
        #expect(finding.notes.first == "refused: the redirect brought nothing of the answer here")
        #expect(finding.notes.last == "sent on by 302, without the query")
        #expect(finding.fix.hasPrefix("Register and send the redirect URI in the spelling"))
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

    @Test func leavesARedirectToAnotherPageAlone() throws {
        #expect(try sentOn(to: "<h1>Failed deliveries</h1>").finding(rule) == nil)
    }

    /// A script shows the message above the form to sign in with; another script has texts for what may happen yet.
    @Test(arguments: [
        (
            #"app.say("Login failed. Try again.","warning")"#, "<input name=u><input type=password name=p>",
            true
        ),
        (#"app.texts({"failed":"Login failed."})"#, "<input name=u><input type=password name=p>", false),
        (#"app.say("Login failed.")"#, "<input name=search>", false),
        (
            #"app.say("Login failed.")"#,
            "<input name=u><input type=password name=p><input type=password name=again>", false
        ),
    ])
    func firesOnAFormToSignInWithAndAMessage(script: String, fields: String, fires: Bool) throws {
        let page = "<title>Mail</title><script>\(script)</script><form method=post>\(fields)</form>"
        let body = Body(text: page, mediaType: "text/html")
        let recording = try answered { $0 = RecordedResponse(status: 200, body: body) }
        #expect(recording.outcomes == [fires ? .failure : .success])
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.places.prefix(2) == ["3 response.status ", "3 response.body "])
            #expect(finding.evidence[1].value == "Login failed. Try again.")
        }
        #expect((try sentOn(to: page).finding(rule) != nil) == fires)
    }

    /// One state for a session: the second login takes the place of the first.
    @Test(arguments: [("shop_login=pVGP5w-8_6mn-ziY4JWDfn", true), ("shop_login=other", false)])
    func namesALoginThatWasBegunMeanwhile(cookie: String, isNamed: Bool) throws {
        var recording = try Recording(broken)
        let callback = try #require(recording.exchanges.last)
        var second = try #require(recording.exchanges.first)
        second.startedAt = callback.startedAt - .milliseconds(200)
        second.request.headers.append("Cookie", cookie)
        let target = try #require(second.response?.location)
        second.response = RecordedResponse(status: 302)
        second.response?.redirect(to: Recording.changing(target, "state", "t7Qm2XbW0kLr9sVd"))
        recording.exchanges.insert(second, at: recording.exchanges.count - 1)
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("3 response.location state") == isNamed)
        #expect(finding.explanation.contains("another login") == isNamed)
    }

    /// A refused call during the callback is what stopped the app, be it UserInfo's or of a server behind the app that asks about
    /// the token.
    @Test(arguments: [
        ("/userinfo", 403, #"{"error":"insufficient_scope"}"#, "insufficient-scope"),
        ("/introspect", 401, #"{"error":"invalid_client"}"#, "token-invalid-client"),
    ])
    func leavesACallThatWasRefusedMeanwhileToItsRule(
        path: String,
        status: Int,
        body: String,
        cause: String
    ) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/userinfo" {
                if path == "/introspect" {
                    let token = exchange.request.headers.first("authorization")?.dropFirst(7) ?? ""
                    exchange.request = RecordedRequest(
                        method: "POST",
                        url: RecordedURL("https://id.harbour.example/introspect"),
                        headers: HeaderFields([("Authorization", "Basic YXBpOndyb25n")]),
                        body: Body(text: "token=\(token)", mediaType: FormBody.mediaType)
                    )
                }
                exchange.response = RecordedResponse(
                    status: status,
                    body: Body(text: body, mediaType: "application/json")
                )
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .seconds(20)
            exchange.response = RecordedResponse(status: 500)
        }
        #expect(recording.finding(cause)?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    /// The page that exchanges the code itself may have both.
    @Test func leavesAFormOnAPageThatGoesOnAlone() throws {
        func found(_ delay: Duration) throws -> Outcome? {
            try Recording("healthy/web-code-flow").editing { exchange in
                if exchange.request.url.path == "/token" { exchange.startedAt = exchange.startedAt + delay }
                guard exchange.request.url.path == "/callback" else { return }
                let form = "<form><input name=u><input type=password name=p></form>"
                exchange.response = RecordedResponse(
                    status: 200,
                    body: Body(text: "<script>say('Sign-in failed.')</script>" + form, mediaType: "text/html")
                )
            }.outcomes.first
        }
        #expect(try found(.seconds(2)) == .success)
        #expect(try found(.zero) == .failure)
    }

    /// The app's server wanted something of the provider meanwhile.
    @Test func namesWhatTheServerWasRefusedMeanwhile() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .seconds(2)
            exchange.client = ClientFacts(process: "firefox", processID: 7)
        }
        let callback = try #require(recording.exchanges.last)
        let provider = try #require(recording.flows.first?.authorizationRequests.first?.endpoint.host)
        var keys = Exchange(
            startedAt: callback.startedAt + .seconds(1),
            duration: .milliseconds(9),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://\(provider)/old/keys")),
            response: RecordedResponse(status: 404)
        )
        keys.client = ClientFacts(process: "python", processID: 8)
        let finding = try #require(Recording(recording.exchanges + [keys]).finding(rule))
        #expect(finding.places.suffix(2) == ["4 request.url ", "4 response.status "])
        #expect(finding.explanation.contains("its own server asked"))
        keys.client = callback.client
        #expect(try #require(Recording(recording.exchanges + [keys]).finding(rule)).places.count == 4)
    }

    @Test(arguments: [
        "/", "/home?welcome=1", "/?error_code=0", "/?message=Welcome",
        "/#/home?tab=1",
    ])
    func leavesOtherRedirectsAlone(target: String) throws {
        #expect(try answered { $0.redirect(to: target) }.finding(rule) == nil)
    }

    @Test(arguments: [
        ("<p>AADSTS7000215: Invalid client secret provided.</p>", true), ("<p>invalid_client</p>", true),
        ("<pre>TokenError: PKCE verification failed.</pre>", true), ("<p>Code not valid</p>", true),
        ("<p>Failed to verify code verifier</p>", true), ("<p>Invalid client credentials</p>", true),
        ("<p>Something went wrong</p>", false),
    ])
    func quotedProviderIsToldApart(page: String, isQuoting: Bool) throws {
        let recording = try answered {
            $0.status = 500
            $0.body = Body(text: page, mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("quotes the provider") == isQuoting)
        #expect(finding.explanation.contains("no part in that") != isQuoting)
    }

    /// The code was exchanged: neither cookies nor state are the reason.
    @Test(
        arguments: [
            ([String](), "7 request.url ", "the code was exchanged"),
            (["/userinfo"], "6 request.url ", "the code was exchanged"),
            (
                ["/userinfo", "/jwks"], nil,
                "the code was exchanged, and nothing fetched after it, neither keys nor user data"
            ),
        ] as [([String], String?, String)]
    )
    func showsWhatTheAppHadWhenItRefused(left: [String], last: String?, note: String) throws {
        let recording = try Recording("healthy/web-code-flow").without { left.contains($0.request.url.path) }
            .editing { exchange in
                guard exchange.request.url.path == "/callback" else { return }
                exchange.response = RecordedResponse(status: 500)
            }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places.dropFirst(2) == ["5 response.status ", "5 jwt.header alg"]
                + (last.map { [$0] } ?? [])
        )
        #expect(finding.notes.contains(note))
        #expect(finding.explanation.contains("exchanged its code"))
    }

    /// What there is to compare depends on what came for the code.
    @Test(arguments: [
        ("signed", "the algorithm of its signature"), ("sealed", "private key"),
        ("none", "There is no ID token"),
    ])
    func saysWhatToCompare(token: String, words: String) throws {
        var recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
        }
        if token == "sealed" { recording = recording.withEncryptedIDToken }
        if token == "none" {
            recording = recording.asking("scope", "orders").asking("nonce", nil)
                .editingAnswer(of: "/token") { $0["id_token"] = nil }
        }
        #expect(try #require(recording.finding(rule)).fix.contains(words))
    }

    /// Libraries that name themselves otherwise for each kind of request; and a page in place of the user's data.
    @Test(arguments: [(false, "7 request.url "), (true, "7 response.status ")])
    func whatWasFetchedByAnotherNameCounts(isPage: Bool, last: String) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "user-agent" }
            exchange.request.headers.append("User-Agent", "library-userinfo/1.0")
            guard isPage else { return }
            exchange.response?.body = Body(text: "<html>Maintenance</html>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == last)
        #expect(finding.notes.contains("the code was exchanged"))
        #expect(finding.notes.contains("a page, where data was asked for") == isPage)
        #expect(finding.explanation.contains("its own server asked") == isPage)
    }

    @Test(arguments: [303, 400])
    func serverThatIsSentNoFragmentIsTold(status: Int) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(exchange.request.url.withoutQuery)
                exchange.response = RecordedResponse(status: status)
                if status == 303 { exchange.response?.redirect(to: "/error?error=state") }
            } else if let location = exchange.response?.location, location.contains("/callback?") {
                exchange.response?.redirect(to: location.replacing("/callback?", with: "/callback#"))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.last == "in the fragment")
        #expect(finding.explanation.contains("behind a #"))
        #expect(try !#require(Recording(broken).finding(rule)).explanation.contains("behind a #"))
    }

    /// A page without a heading, of one line.
    @Test(arguments: [
        ("<title>Shop</title><body><p>Login failed: id.example == Unauthorized", Outcome.failure),
        ("Authentication failed", .failure), ("You are logged in. Errors go to the log.", .success),
        ("Login successful, no error", .success), ("Payment failed", .success),
        ("Login completed without errors. You may close this window.", .success),
        ("You are logged in, and this window could not be closed automatically.", .success),
        ("Logged in to my-cli (no errors) - close this tab", .success),
    ])
    func barePageIsReadByItsFirstSentence(page: String, outcome: Outcome) throws {
        let recording = try answered {
            $0.status = 200
            $0.body = Body(text: page, mediaType: "text/html")
        }
        #expect(recording.outcomes == [outcome])
        #expect((recording.finding(rule) != nil) == (outcome == .failure))
    }

    @Test func codeThatIsExchangedLaterSaysNothingOfTheCallback() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/token" {
                exchange.startedAt = exchange.startedAt + .seconds(60)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 500)
        }
        #expect(try #require(recording.finding(rule)).explanation.contains("no part in that"))
    }

    /// The callback only loads a page, which hands the code to the app's server by script.
    private func handedOn(_ statuses: Int..., body: (String) -> String) throws -> Recording {
        var recording = try Recording(broken)
        let callback = recording.exchanges.count - 1
        let code = try #require(recording.exchanges[callback].request.url.queryItems.first("code"))
        recording.exchanges[callback].response?.status = 200
        recording.exchanges[callback].response?.body = Body(
            text: "<html><script src=app.js></script></html>",
            mediaType: "text/html"
        )
        for (index, status) in statuses.enumerated() {
            var call = recording.exchanges[callback]
            call.startedAt = call.startedAt + .milliseconds(300 * (index + 1))
            call.request.method = "POST"
            call.request.url = RecordedURL("https://api.shop.example/session")
            call.request.body = Body(text: body(code), mediaType: "application/json")
            call.response?.status = status
            call.response?.body = Body(text: #"{"message":"no"}"#, mediaType: "application/json")
            recording.exchanges.append(call)
        }
        return recording
    }

    @Test func serverRefusesTheCodeThatItsPageHandsOn() throws {
        let recording = try handedOn(401) { #"{"code":"\#($0)"}"# }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.prefix(2) == ["4 response.status ", "4 response.body "])
        #expect(recording.outcomes == [.failure])
    }

    @Test func serverThatTakesTheCodeInTheEndIsFine() throws {
        let recording = try handedOn(503, 200) { #"{"code":"\#($0)"}"# }
        #expect(recording.finding(rule) == nil && recording.outcomes == [.success])
    }

    @Test func refusalOfSomethingElseIsNone() throws {
        let recording = try handedOn(401) { _ in #"{"code":"other-than-that"}"# }
        #expect(recording.finding(rule) == nil && recording.outcomes == [.success])
    }

    /// A page of the app's at the address of its redirect URI, which may have an `error` of its own; one of the provider's is
    /// that of a request that is not in the capture.
    @Test(arguments: [
        "error=out_of_stock&state=NY", "error=out_of_stock", "error=login_required",
        "error=out_of_stock&error_description=No",
    ])
    func errorOfTheAppsOwnIsNoResponse(query: String) throws {
        var recording = try Recording("healthy/web-code-flow")
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .seconds(60)
        page.request.url = RecordedURL("https://www.shop.example/callback?\(query)")
        recording.exchanges.append(page)
        #expect(recording.outcomes == [.success])
    }

    @Test func leavesAProvidersErrorAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(
                    Recording.changing(exchange.request.url.text, "code", nil) + "&error=invalid_scope"
                )
            } else if let location = exchange.response?.location, RecordedURL(location).path == "/callback" {
                exchange.response?.redirect(
                    to: Recording.changing(location, "code", nil) + "&error=invalid_scope"
                )
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A note: the login had gone well, and what its user sees last is an error.
    @Test func reloadOfADoneCallbackFailsNothing() throws {
        var recording = try Recording("healthy/web-code-flow")
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        again.startedAt = again.startedAt + .seconds(5)
        again.response = RecordedResponse(status: 400)
        recording.exchanges.append(again)
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == .note && !finding.isPrimary)
        #expect(recording.outcomes == [.success])
    }

    /// In the export of a browser, which has no token request.
    @Test func reloadOfADoneCallbackFailsNothingWithoutTheBackChannel() throws {
        var recording = try Recording("healthy/web-code-flow").without {
            ["/token", "/jwks", "/userinfo"].contains($0.request.url.path)
                || $0.request.url.path.contains("well-known")
        }
        #expect(recording.outcomes == [.success])
        var again = try #require(recording.exchanges.first { $0.request.url.path == "/callback" })
        again.startedAt = again.startedAt + .seconds(5)
        again.response = RecordedResponse(status: 400)
        recording.exchanges.append(again)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding(rule).map { $0.severity == .note } ?? true)
    }

    @Test func saysNothingOfCookiesThatWereStripped() throws {
        #expect(try Recording(broken).sanitized.finding(rule)?.places.count == 2)
    }

    /// A page at the end of a callback whose code the app's server never used.
    private func deadEnd(
        _ page: String = "<h1>Shop</h1><p>Timeout",
        agent: String = "shop-backend/1.0",
        without paths: Set<String> = ["/token", "/jwks", "/userinfo"]
    ) throws -> Recording {
        try Recording("healthy/web-code-flow").without { paths.contains($0.request.url.path) }.editing {
            exchange in
            if exchange.request.url.path.contains("well-known") {
                exchange.request.headers.fields.removeAll { $0.name == "User-Agent" }
                exchange.request.headers.append("User-Agent", agent)
            }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
    }

    @Test func aPageWithoutAWayOnIsARefusalWhereTheServerIsSeen() throws {
        let finding = try #require(try deadEnd().finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "4 response.status ", "0 request.url ", "4 response.body ", "4 request.header Cookie",
                "1 response.header Set-Cookie",
            ]
        )
        #expect(finding.evidence[2].value == "Shop Timeout")
        #expect(try deadEnd().outcomes == [.failure])
        #expect(try deadEnd().finding("backchannel-not-recorded") == nil)
    }

    @Test(arguments: [
        "<script src=app.js></script>", "<body onload=go()>", "<meta http-equiv=\"refresh\" content=0>",
    ])
    func aPageThatGoesOnIsNone(page: String) throws { #expect(try deadEnd(page).finding(rule) == nil) }

    @Test(arguments: [
        "Mozilla/5.0 (X11; Linux) Firefox/140.0", "Shop/3 CFNetwork/1568.300.101 Darwin/24.2.0",
    ])
    func aServerThatIsNotSeenMayHaveUsedTheCode(agent: String) throws {
        let recording = try deadEnd(agent: agent)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
        #expect(recording.finding("backchannel-not-recorded") != nil)
    }

    @Test func aServerThatUsesATokenHasFetchedItUnseen() throws {
        let recording = try deadEnd(without: ["/token", "/jwks"])
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Its keys were not there, it was passed through: the token request may be on it; so may it be an entry that says nothing.
    @Test func aConnectionThatCouldNotBeReadMayHaveHadTheCode() throws {
        let dead = try deadEnd()
        #expect(dead.finding(rule) != nil)
        let callback = try #require(dead.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let metadata = try #require(dead.exchanges.first { $0.request.url.path.contains("well-known") })
        for kind in 0..<4 {
            var unread = Exchange(
                startedAt: dead.exchanges[callback].startedAt,
                request: RecordedRequest(
                    method: "CONNECT",
                    url: RecordedURL(metadata.request.url.origin ?? "")
                )
            )
            switch kind {
            case 0: unread.tunnel = TunnelFacts(reason: .noKeys, sentBytes: 900, receivedBytes: 3000)
            case 1: unread.tunnel = TunnelFacts(reason: .asked)
            case 2: unread.request = RecordedRequest(method: "", url: RecordedURL(""))
            default:
                unread.tunnel = TunnelFacts(reason: .noKeys)
                unread.request.url = RecordedURL("https://192.0.2.7")
                unread.connection.serverAddress = "192.0.2.7:443"
            }
            var recording = dead
            if kind == 3 {
                recording = recording.editing { exchange in
                    guard exchange.request.url.path.contains("well-known") else { return }
                    exchange.connection.serverAddress = "192.0.2.7:443"
                }
                #expect(recording.finding(rule) != nil)
            }
            recording.exchanges.insert(unread, at: callback + 1)
            #expect(recording.finding(rule) == nil, "\(kind)")
            #expect(recording.finding("backchannel-not-recorded") != nil, "\(kind)")
        }
    }

    /// Cognito and others go on to a page of their own with the same parameters, and set a cookie on the way.
    @Test func cookiesOfTheProviderAreNotTheApps() throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        var page = recording.exchanges[index]
        let query = try #require(page.request.url.query)
        page.startedAt = page.startedAt + .milliseconds(50)
        page.request.url = RecordedURL("https://id.harbour.example/login?" + query)
        recording.exchanges[index].response = RecordedResponse(
            status: 302,
            headers: HeaderFields([
                ("Set-Cookie", "XSRF-TOKEN=0123456789; Path=/; Secure"), ("Location", page.request.url.text),
            ])
        )
        recording.exchanges.insert(page, at: index + 1)
        #expect(recording.findings.filter { $0.severity == .error }.map(\.rule) == [rule])
    }

    @Test(arguments: [
        ("<title>Shop</title><script src=/a.js></script><h1>Sign-in failed</h1>", true),
        ("<title>Shop</title><h1>Welcome</h1><p>No error</p>", false),
    ])
    func firesOnAPageHeadedByAnError(html: String, fires: Bool) throws {
        let recording = try answered {
            $0.status = 200
            $0.body = Body(text: html, mediaType: "text/html")
        }
        #expect((recording.finding(rule)?.severity == .error) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
    }

    /// A page that exchanges the code itself has only a name of that kind.
    @Test func leavesAPageThatGoesOnAlone() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/token" { exchange.startedAt = exchange.startedAt + .seconds(2) }
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(
                status: 200,
                body: Body(text: "<title>Error tracker</title>", mediaType: "text/html")
            )
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// A program on this machine answers its browser first, and fetches the tokens then.
    @Test(arguments: [
        ("http://127.0.0.1:8400/callback", false), ("https://www.shop.example/callback", true),
    ])
    func recordingThatEndsAtALoopbackPageProvesNothing(target: String, fires: Bool) throws {
        let recording = try deadEnd()
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let own = "https://www.shop.example/callback"
        var ended = Recording(Array(recording.exchanges[...callback])).asking("redirect_uri", target).editing
        {
            let url = $0.request.url.text
            if url.hasPrefix(own) { $0.request.url = RecordedURL(target + url.dropFirst(own.count)) }
            if let location = $0.response?.location, location.hasPrefix(own) {
                $0.response?.redirect(to: target + location.dropFirst(own.count))
            }
        }
        #expect((ended.finding(rule) != nil) == fires)
        // Nor does the icon that a browser asks for at once.
        var icon = ended.exchanges[callback]
        icon.startedAt = icon.startedAt + .milliseconds(50)
        icon.request.url = RecordedURL(try #require(icon.request.url.origin) + "/favicon.ico")
        icon.response = RecordedResponse(status: 404)
        ended.exchanges.append(icon)
        #expect((ended.finding(rule) != nil) == fires)
    }

    /// It told the browser that all is well, and did nothing more while the recording went on.
    @Test(arguments: [
        "<p>You may close this window.", "<script>window.close()</script><p>You may close this window.",
    ])
    func programThatLeavesTheCodeIsTold(page: String) throws {
        let recording = try deadEnd(page).without { $0.request.url.path == "/login" }
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        var later = recording.exchanges[callback]
        later.startedAt = later.startedAt + .seconds(60)
        later.request.url = RecordedURL("https://www.other.example/")
        let own = "https://www.shop.example/callback"
        let target = "http://127.0.0.1:8400/callback"
        let asked = Recording(Array(recording.exchanges[...callback]) + [later])
            .asking("redirect_uri", target).editing {
                let url = $0.request.url.text
                if url.hasPrefix(own) { $0.request.url = RecordedURL(target + url.dropFirst(own.count)) }
                if let location = $0.response?.location, location.hasPrefix(own) {
                    $0.response?.redirect(to: target + location.dropFirst(own.count))
                }
            }
        let finding = try #require(asked.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title.contains("did not exchange the code"))
        #expect(finding.notes.first == "what the browser was told")
    }

    /// A web app that is developed on this machine, and begins its logins itself.
    @Test func recordingThatEndsAtThePageOfAWebAppOnThisMachineIsARefusal() throws {
        let recording = try deadEnd()
        let callback = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        let own = "https://www.shop.example/"
        let target = "http://127.0.0.1:8400/"
        let ended = Recording(Array(recording.exchanges[...callback]))
            .asking("redirect_uri", target + "callback").editing {
                let url = $0.request.url.text
                if url.hasPrefix(own) { $0.request.url = RecordedURL(target + url.dropFirst(own.count)) }
                if let location = $0.response?.location, location.hasPrefix(own) {
                    $0.response?.redirect(to: target + location.dropFirst(own.count))
                }
            }
        #expect(ended.finding(rule) != nil)
        #expect(ended.outcomes == [.failure])
    }

    /// Who had to refuse the tokens shows an error, which says nothing more.
    @Test func leavesAPageToTheTokensThatItRefuses() throws {
        let page = { (path: String) in
            try Recording(path).editing { exchange in
                guard exchange.request.url.path == "/callback" else { return }
                exchange.response = RecordedResponse(
                    status: 200,
                    body: Body(text: "<title>Error</title>", mediaType: "text/html")
                )
            }
        }
        let recording = try page("id-token/id-token-nonce-mismatch")
        #expect(recording.findings.first?.rule == "id-token-nonce-mismatch")
        #expect(recording.finding(rule) == nil)
        #expect(try page("healthy/web-code-flow").finding(rule)?.isPrimary == true)
    }

    /// What stopped the app while it was at work on the callback says more than its page of errors.
    @Test func leavesARefusedTokenToItsRule() throws {
        let refused = try Recording("healthy/web-code-flow").answering("/userinfo", 401).editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.duration = .seconds(1)
            exchange.response = RecordedResponse(status: 500)
        }
        #expect(refused.finding(rule) == nil)
        #expect(refused.finding("bearer-rejected")?.isPrimary == true)
        // Long before the call it was answered already.
        let earlier = refused.editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.duration = .milliseconds(1) }
        }
        #expect(earlier.finding(rule) != nil)
    }

    @Test func firesWhereTheAppAsksForAPasswordAgain() throws {
        let form = "<h1>Shop</h1><form><input name=user><input type=password name=p></form>"
        #expect(try sentOn(to: form).finding(rule) == nil)
        let finding = try #require(sentOn(to: form, at: "/users/sign_in").finding(rule))
        #expect(finding.notes.first == "sent back to the app's form to sign in with: nobody was signed in")
        #expect(finding.evidence[1].value == "Shop")
        let box = "<div class=\"gl-alert gl-alert-danger\">Could not authenticate you: Issuer mismatch</div>"
        let told = try sentOn(to: box + form, at: "/users/sign_in").finding(rule)
        #expect(told?.evidence[1].value == "Could not authenticate you: Issuer mismatch")
    }

    @Test func showsTheWordsOfThePageThatAnErrorIsShownOn() throws {
        let page =
            "<h2>Login</h2><div class=\"alert alert-danger\">[invalid_id_token] The iss claim is off</div>"
        let finding = try #require(sentOn(to: page, at: "/login?error").finding(rule))
        #expect(finding.places.prefix(2) == ["3 response.location error", "4 response.body "])
        #expect(finding.evidence[1].value == "[invalid_id_token] The iss claim is off")
    }

    @Test(arguments: [true, false])
    func addressThatIsNotConfirmedIsShown(isVerified: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
        }.editingIDToken(claims: { $0["email_verified"] = .bool(isVerified) })
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.contains { $0.place.name == "email_verified" } == !isVerified)
    }

    @Test(arguments: [JSONValue.bool(true), .bool(false), "false"])
    func addressThatUserInfoCallsUnconfirmedIsShown(isVerified: JSONValue) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 500)
            exchange.duration = .seconds(5)
        }.editingAnswer(of: "/userinfo") { $0["email_verified"] = isVerified }
        let finding = try #require(recording.finding(rule))
        #expect(
            finding.evidence.contains { $0.place.name == "email_verified" && $0.place.part == .responseBody }
                == (isVerified != .bool(true))
        )
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
    ])
    func readsWhatThePageBehindTheRedirectSays(page: String, isRefused: Bool) throws {
        #expect((try sentOn(to: page).finding(rule) != nil) == isRefused)
    }

    /// A callback that is answered with 200 and nothing but the error.
    @Test(arguments: [
        ("application/json", "{\"success\":false,\"error\":\"invalid_state\"}", true),
        ("application/json", "{\"success\":true}", false),
        ("text/plain", "Authentication failed: state mismatch", true), ("text/html", "Invalid state", true),
        ("text/html", "Oh dear...", true), ("text/plain", "Signed in. You may close this window.", false),
        (
            "text/html",
            "<br />\n<b>Fatal error</b>:  Uncaught Vendor\\OpenIDConnectClientException: Unable to determine state in /srv/a.php:12",
            true
        ),
    ])
    func readsABodyThatIsAnErrorAsAWhole(type: String, text: String, isRefused: Bool) throws {
        let recording = try answered {
            $0 = RecordedResponse(status: 200, body: Body(text: text, mediaType: type))
        }
        #expect((recording.finding(rule) != nil) == isRefused)
    }

    /// A service for errors is told the address of the page, and has too much to do.
    @Test func reportOfTheAddressIsNoRefusal() throws {
        let recording = try handedOn(429) {
            #"{"request":{"url":"https://www.shop.example/callback?code=\#($0)"}}"#
        }
        .editing { exchange in
            guard exchange.response?.status == 429 else { return }
            exchange.request.url = RecordedURL("https://o1.ingest.sentry.io/api/1/envelope/")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func serverMaySayNoWithASuccess() throws {
        let recording = try handedOn(200) { #"{"code":"\#($0)"}"# }.editing { exchange in
            guard exchange.request.url.host == "api.shop.example" else {
                return
            }
            exchange.response = RecordedResponse(
                status: 200,
                body: Body(text: "{\"success\":0,\"status\":401}", mediaType: "application/json")
            )
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func nonceThatNobodyAskedForIsShown() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
        }
        #expect(recording.finding(rule)?.evidence.contains { $0.place.name == "nonce" } == false)
        let unasked = recording.asking("nonce", nil)
        #expect(unasked.finding(rule)?.evidence.contains { $0.place.name == "nonce" } == true)
    }

    @Test(arguments: [
        (502, "balancers and reverse proxies"), (504, "balancers and reverse proxies"),
        (404, "at which the app has nothing"), (500, "no part in that"),
    ])
    func statusSaysMoreInItself(status: Int, words: String) throws {
        let finding = try answered { $0.status = status }.finding(rule)
        #expect(finding?.explanation.contains(words) == true)
    }

    /// With the tokens in hand, the proxy's answer is about the app's own; what the app says in JSON is its own word.
    @Test(arguments: [
        (502, "text/html", true), (504, "text/html", true), (502, "application/json", false),
        (500, "text/html", false),
    ])
    func proxyMayRefuseWhatTheAppAnswers(status: Int, type: String, isProxys: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            let text = type == "text/html" ? "<h1>\(status)</h1>" : #"{"error":"no session"}"#
            exchange.response = RecordedResponse(status: status, body: Body(text: text, mediaType: type))
            exchange.duration = .seconds(5)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.contains("proxy_buffer_size") == isProxys)
        #expect(finding.fix.contains("the algorithm of its signature") == !isProxys)
        #expect(finding.notes.contains { $0.hasPrefix("the code was exchanged") })
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

    /// A page of the app's hands its code to the app's server, which exchanges it while it is at work on that; `first` is what the
    /// same address had answered to the page just before.
    private func handedOn(
        _ status: Int,
        _ body: String,
        lasting: Duration = .milliseconds(600),
        first: Int? = nil
    ) throws -> Recording {
        var exchanges = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/" }
            .exchanges
        let place = try #require(exchanges.firstIndex { $0.request.url.path == "/callback" })
        let code = try #require(exchanges[place].request.url.queryItems.first("code"))
        exchanges[place].duration = .milliseconds(40)
        exchanges[place].response = RecordedResponse(
            status: 200,
            body: .html("<div id=root></div><script src=/app.js></script>")
        )
        for later in exchanges.indices[(place + 1)...] {
            exchanges[later].startedAt = exchanges[later].startedAt + .milliseconds(150)
        }
        var call = exchanges[place]
        call.startedAt = call.startedAt + .milliseconds(100)
        call.duration = lasting
        call.request.method = "POST"
        call.request.url = RecordedURL("https://www.shop.example/api/session")
        call.request.body = .json("{\"code\":\"\(code)\"}")
        call.response = RecordedResponse(status: status, body: .json(body))
        var earlier = call
        if let first {
            earlier.response = RecordedResponse(status: first, body: .json("{}"))
            call.startedAt = call.startedAt + .milliseconds(20)
        }
        exchanges.insert(contentsOf: first == nil ? [call] : [earlier, call], at: place + 1)
        return Recording(exchanges)
    }

    @Test(arguments: [
        (401, #"{"error":"LOGIN_FAILED"}"#, true), (500, "", true),
        (200, #"{"success":false,"error":"no such user"}"#, true), (200, #"{"user":"alice"}"#, false),
    ])
    func serverThatExchangedTheCodeAndRefusedItsPageIsTold(status: Int, body: String, isRefused: Bool) throws
    {
        let recording = try handedOn(status, body)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        guard let finding else { return }
        #expect(finding.places.first == "5 response.status ")
        #expect(finding.notes.contains("the code was exchanged"))
    }

    /// React renders a page twice while it is developed: the same address had taken the code already.
    @Test(arguments: [(200, false), (401, true)])
    func secondCallOfThePageIsNoRefusalWhereTheFirstWasTaken(first: Int, isRefused: Bool) throws {
        let recording = try handedOn(400, #"{"error":"code used"}"#, first: first)
        #expect((recording.finding(rule) != nil) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    /// Logs and flags are sent with the page's address, and the code in it.
    @Test func otherCallsOfThePageAreNoRefusal() throws {
        var exchanges = try handedOn(200, #"{"user":"alice"}"#).exchanges
        let place = try #require(exchanges.firstIndex { $0.request.url.path == "/api/session" })
        var log = exchanges[place]
        log.startedAt = log.startedAt + .milliseconds(20)
        log.duration = .milliseconds(500)
        log.request.url = RecordedURL("https://www.shop.example/api/logs")
        log.response = RecordedResponse(status: 403, body: .json("{}"))
        exchanges.insert(log, at: place + 1)
        let recording = Recording(exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Somebody else exchanged the code.
    @Test func callThatWasOverBeforeTheExchangeIsNoRefusal() throws {
        let recording = try handedOn(401, #"{"error":"LOGIN_FAILED"}"#, lasting: .milliseconds(20))
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// What the login asked for and did not get may be what the app refuses.
    @Test func showsAContextThatTheLoginDidNotHave() throws {
        let recording = try Recording("id-token/acr-not-satisfied").editingLast("/callback") {
            $0.response = RecordedResponse(status: 403)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence.contains { $0.place.name == "acr_values" && $0.value == "two-factor" })
        #expect(finding.notes.contains { $0.hasPrefix("not what the login asked for") })
    }

    /// An error's own name is no secret, though its member is called as the code is.
    @Test(arguments: [
        ("code", "cookie_decryption_error", true), ("code", "SplxlOBeZQQYbYS6WxSbIA", false),
        ("client_secret", "secret_of_a_test", false),
    ])
    func showsTheNameOfAnErrorThatIsCalledACode(member: String, code: String, isShown: Bool) throws {
        let recording = try handedOn(401) { #"{"code":"\#($0)"}"# }.editing { exchange in
            guard exchange.request.url.path == "/session" else { return }
            exchange.response?.body = .json("{\"\(member)\":\"\(code)\",\"message\":\"no\"}")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence.contains { $0.value.contains(code) } == isShown)
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

    /// Decap CMS and Backstage: a window of its own tells the one that opened it how the login went.
    @Test(arguments: [
        (#"msg="authorization:github:error:{\"message\":\"Invalid state\"}""#, "Invalid state", true),
        (#"m.indexOf("authorization:github:error:");m="authorization:github:success:{}""#, "error", false),
        (
            "m=decodeURIComponent('%7B%22type%22%3A%22authorization_response%22%2C%22error%22%3A%7B%22name%22%3A%22NotFoundError%22%7D%7D')",
            "NotFoundError", true
        ),
        (
            "m=decodeURIComponent('%7B%22type%22%3A%22authorization_response%22%2C%22response%22%3A%7B%7D%7D')",
            "response", false
        ),
    ])
    func readsWhatAWindowTellsItsOpener(script: String, words: String, isRefused: Bool) throws {
        let page = "<html><body><script>\(script);window.opener.postMessage(m,'*')</script></body></html>"
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.response = RecordedResponse(status: 200, body: .html(page))
        }.without { $0.request.url.path == "/" }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        if isRefused { #expect(finding?.evidence.contains { $0.value.contains(words) } == true) }
    }

    /// A cache in front of the app gives everybody one redirect to the provider, or one page with the link to it.
    @Test(arguments: [
        ("Age", "812", false, true), ("X-Cache", "Hit from cloudfront", true, true),
        ("Age", "0", false, false),
        ("X-Cache", "Miss from cloudfront", true, false),
    ])
    func loginThatBeganOutOfACacheIsTold(name: String, value: String, isPage: Bool, isTold: Bool) throws {
        let recording = try answered { $0.status = 400 }.editing { exchange in
            guard let location = exchange.response?.location, RecordedURL(location).path == "/authorize"
            else {
                return
            }
            if isPage {
                exchange.response = RecordedResponse(
                    status: 200,
                    body: .html("<a href=\"\(location)\">Sign in</a>")
                )
            }
            exchange.response?.headers.append(name, value)
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.explanation.contains("out of a cache") == isTold)
        #expect(finding.evidence.contains { $0.place.name == name } == isTold)
    }

    /// Recorders that name no clients: whose request it is shows in its name for itself.
    @Test(arguments: [("shop-backend/2.1", true), ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", false)])
    func pageInPlaceOfDataIsToldWithoutTheClientsNames(agent: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            exchange.client = ClientFacts()
            if exchange.request.url.path == "/callback" { exchange.response = RecordedResponse(status: 500) }
            guard exchange.request.url.path == "/userinfo" else { return }
            exchange.request.headers.fields.removeAll { $0.name.lowercased() == "user-agent" }
            exchange.request.headers.append("User-Agent", agent)
            exchange.response?.body = Body(text: "<html>Maintenance</html>", mediaType: "text/html")
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.contains("a page, where data was asked for") == isTold)
        #expect(finding.explanation.contains("something that it did not get") == isTold)
    }

    /// The sign-in page was sent again, and the state is used up by the first answer.
    @Test(arguments: [("n3xtC0de", true), (nil, false)])
    func secondAnswerToOneLoginIsToldAsThat(code: String?, isTold: Bool) throws {
        var recording = try Recording("healthy/web-code-flow")
        var second = try #require(recording.exchanges.last { $0.request.url.path == "/callback" })
        if let code {
            second.request.url = RecordedURL(Recording.changing(second.request.url.text, "code", code))
        }
        second.startedAt = second.startedAt + .seconds(60)
        second.response = RecordedResponse(
            status: 400,
            body: .html("<h1>Login failed</h1>Unable to verify authorization request state")
        )
        recording.exchanges.append(second)
        let finding = recording.finding(rule)
        #expect((finding?.explanation.contains("a second time") ?? false) == isTold)
    }
}
