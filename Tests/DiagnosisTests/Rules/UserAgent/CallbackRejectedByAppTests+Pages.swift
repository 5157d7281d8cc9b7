import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// What the page says that the app answered with, in text, form, script or JSON.
extension CallbackRejectedByAppTests {
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

    /// The portal of LemonLDAP::NG answers its callback with a button for the next try, and a message by number.
    @Test(arguments: [("106", true), ("9", false), ("0", false)])
    func firesOnAPortalWithTheNumberOfAnError(number: String, fires: Bool) throws {
        let page = """
            <div class="message alert" role="alert"><span trmsg="\(number)"></span></div>
            <form method="post"><input type="checkbox" name="checkLogins"><button>Connect</button></form>
            """
        let recording = try Recording("healthy/web-code-flow").answeringCallback(
            200,
            Body(text: page, mediaType: "text/html")
        )
        #expect(recording.outcomes == [fires ? .failure : .success])
        let finding = recording.finding(rule)
        #expect((finding != nil) == fires)
        if let finding {
            #expect(finding.evidence[1].value == "PE106 PE_OIDC_AUTH_ERROR")
            #expect(finding.notes.contains { $0.hasPrefix("LemonLDAP::NG") })
        }
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

    /// Where the way to sign in is a button, the page has no form.
    @Test func firesOnTheWarningOfThePageToSignInAt() throws {
        let box = "<div class=\"alert alert-warning\"><button>&times;</button> Invalid state signature</div>"
        let recording = try sentOn(to: box, at: "/login/")
        let finding = try #require(recording.finding(rule))
        #expect(finding.evidence[1].value == "Invalid state signature")
        #expect(!finding.notes.contains { $0.hasPrefix("Flask-AppBuilder (Airflow, Superset): ") })
        #expect(recording.outcomes == [.failure])
        #expect(try sentOn(to: box).finding(rule) == nil)
        for words in ["You are on the test system", "Some fonts are missing in your browser"] {
            let other = box.replacing("Invalid state signature", with: words)
            #expect(try sentOn(to: other, at: "/login/").outcomes == [.success])
        }
    }

    @Test func showsTheWordsOfThePageThatAnErrorIsShownOn() throws {
        let page =
            "<h2>Login</h2><div class=\"alert alert-danger\">[invalid_id_token] The iss claim is off</div>"
        let finding = try #require(sentOn(to: page, at: "/login?error").finding(rule))
        #expect(finding.places.prefix(2) == ["3 response.location error", "4 response.body "])
        #expect(finding.evidence[1].value == "[invalid_id_token] The iss claim is off")
    }

    /// A callback that is answered with 200 and nothing but the error.
    @Test(arguments: [
        ("application/json", "{\"success\":false,\"error\":\"invalid_state\"}", true),
        ("application/json", "{\"success\":true}", false),
        ("text/plain", "Authentication failed: state mismatch", true), ("text/html", "Invalid state", true),
        ("text/html", "Oh dear...", true), ("text/plain", "Invalid URI", true),
        ("text/html", "<title>Shop</title><p>Invalid redirect URI.", true),
        ("text/plain", "Signed in. You may close this window.", false),
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
                body: .json("{\"success\":0,\"status\":401}")
            )
        }
        #expect(recording.finding(rule) != nil)
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
        let recording = try Recording("healthy/web-code-flow").answeringCallback(200, .html(page)).without {
            $0.request.url.path == "/"
        }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        if isRefused { #expect(finding?.evidence.contains { $0.value.contains(words) } == true) }
    }
}
