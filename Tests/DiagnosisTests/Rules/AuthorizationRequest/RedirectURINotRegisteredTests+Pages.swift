import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// By which pages, addresses and words it is known.
extension RedirectURINotRegisteredTests {
    @Test(arguments: [
        "AADSTS50011: The redirect URI 'https://x' specified in the request does not match the redirect URIs configured",
        "Error 400: redirect_uri_mismatch", "Callback URL mismatch.",
        "The redirection URI provided does not match a pre-registered value.",
        "<b>INVALID PARAMETER: REDIRECT_URI</b>", "<p>L'url de callback est invalide</p>",
        "<strong>앱 관리자 설정 오류 (KOE006)</strong>", "<p>Code d’erreur : <b>Y030118</b></p>",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 400 {
                exchange.response?.body = Body(text: text, mediaType: "text/html")
            }
        }
        #expect(recording.finding(rule) != nil)
    }

    /// FranceConnect says so with the status of a failure of its own.
    @Test func statusOfAFailureMakesNoFailureOfIt() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response = RecordedResponse(
                status: 500,
                body: Body(text: "<h1>Erreur</h1><p>Y030118</p>", mediaType: "text/html")
            )
        }
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("provider-server-error") == nil)
    }

    @Test(arguments: [
        "error=redirect_mismatch", "oauthErrorCode=invalid_callback&oauthErrorMsg=x",
        "error=invalid_redirect_uri",
    ])
    func readsTheProvidersErrorPageByItsURL(query: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 302
            exchange.response?.body = nil
            exchange.response?.redirect(to: "https://id.harbour.example/error?" + query)
        }
        #expect(recording.finding(rule)?.evidence[1].place.part == .responseLocation)
    }

    /// An error page has words of its own, and often a host of its own.
    @Test(arguments: [
        (
            "https://error.harbour.example/?error=invalid_request&error_description=redirect_uri+is+not+registered",
            true
        ),
        ("https://error.harbour.example/?error=invalid_request&error_description=nonce+is+not+unique", false),
        ("https://www.shop.example/error?error_description=redirect_uri+is+not+registered", false),
    ])
    func readsAnErrorPageAtAnotherHost(location: String, isOne: Bool) throws {
        let recording = try Recording(broken).redirecting(to: location)
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    /// On a developer's machine both are at one host.
    @Test(arguments: [("", true), (":8443", false), (":9443", true)])
    func tellsTheAppsErrorPageByItsPort(port: String, isOne: Bool) throws {
        let host = "https://id.harbour.example"
        let recording = try Recording(broken).asking("redirect_uri", host + ":8443/callback").redirecting(
            to: "\(host)\(port)/error?error_description=redirect_uri+is+not+registered"
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    @Test(arguments: [
        (400, "<h1>Error</h1>The redirect URI is not among those of this application", true),
        (200, "<h1>Something went wrong</h1>The redirect URI is not among those of this application", true),
        (200, "<h1>Sign in</h1>The redirect URI is not among those of this application", true),
        (
            200,
            "<h1>Sign in</h1><form><input name=user></form>The redirect URI is not among those of this application",
            false
        ),
    ])
    func readsAPageOfErrorsByItsSentences(status: Int, page: String, isOne: Bool) throws {
        #expect((try Recording(broken).saying(page, status: status).finding(rule) != nil) == isOne)
    }

    /// Authlib's servers answer what the app that they are part of makes of the error, mostly with 200.
    @Test(arguments: [
        ("text/html", "invalid_request: Redirect URI https://a.example/cb is not supported by client."),
        (
            "application/json",
            #"{"error":"invalid_request","error_description":"Redirect URI https://a.example/cb is not supported by client."}"#
        ),
    ])
    func readsWhatAuthlibSays(type: String, text: String) throws {
        var recording = try Recording(broken).saying(text, status: 200)
        let asked = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        recording.exchanges[asked].response?.headers = HeaderFields([("Content-Type", type)])
        recording.exchanges[asked].response?.body = Body(text: text, mediaType: type)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test(
        arguments: [
            (200, "<title>LinkedIn</title><p>The redirect_uri does not match the registered value</p>"),
            (200, "<p>The <code>redirect_uri</code> is not associated with this application.</p>"),
            (200, "URL Blocked: This redirect failed because the redirect URI is not whitelisted in the app"),
            (
                200,
                "<h2>Sorry</h2><p>AADB2C90006: The redirect URI provided in the request is not registered</p>"
            ),
            (
                400,
                "The request fails due to a missing, invalid, or mismatching redirection URI (redirect_uri)."
            ),
            (400, "The requested redirect_uri is missing in the client configuration."),
            (400, "<h2>An error has occurred</h2><p>The redirect uri included is not valid."),
            (
                401,
                "The requested redirect uri is malformed or doesn't match client redirect URI."
            ),
            (400, "redirect_uri did not match any of the client's registered redirect_uris"),
            (400, #"{"status":400,"message":"Parameter redirect_uri does not match registered URI"}"#),
            (400, "The redirect URI you provided has not been whitelisted for your application"),
            (400, "Oauth error invalid_request: The redirect_uri is not whitelisted"),
            (400, "The redirect_uri query parameter value is invalid."),
            (400, "INVALID_CLIENT: Invalid redirect URI"), (400, "Invalid redirect url (4,700)"),
            (400, "error=redirect_uri_mismatch&error_description=redirect_uri must match configuration"),
            (400, "Unregistered redirect_uri (\"https://app.example/cb\")."),
            (400, "The specified 'redirect_uri' is not valid for this client application."),
            (400, "<div>[invalid_request] OAuth 2.0 Parameter: redirect_uri</div>"),
        ]
    )
    func readsWhatAPageSaysWithAnyStatus(status: Int, text: String) throws {
        let recording = try Recording("healthy/web-code-flow").saying(text, status: status)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        "<script>m={\"x\":\"The redirect_uri is not associated with this application.\"}</script>Sign in",
        "<p>AADB2C90006 means: ask the app's owner</p><input name=p type=password>",
        "<script>m={\"oob\":\"The flow has been blocked in order to keep users secure.\"}</script>Sign in",
        "<p>Help: redirect_uri does not match the registered value?</p><input type=\"password\">",
    ])
    func leavesASignInPageAlone(page: String) throws {
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authorization-error") == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    @Test func readsTheTextInTheAddressOfAnErrorPage() throws {
        let text =
            "The 'redirect_uri' parameter does not match any of the OAuth 2.0 Client's pre-registered redirect urls."
        let location = Recording.changing(
            "https://login.harbour.example/error?error=invalid_request",
            "error_description",
            text
        )
        var recording = try Recording("healthy/web-code-flow").redirecting(to: location)
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.startedAt + .milliseconds(200)
        page.request.url = RecordedURL(location)
        page.response = RecordedResponse(
            status: 200,
            body: Body(text: "<h1>An error occurred</h1>", mediaType: "text/html")
        )
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsKeycloaksMessageInAnyLanguage() throws {
        let recording = try Recording("healthy/web-code-flow").saying(
            "<p>Ungültiger Parameter: redirect_uri</p>"
        )
        #expect(recording.finding(rule) == nil)
        let keycloaks = recording.editing { exchange in
            let text = { (url: String) in
                url.replacing("/authorize", with: "/realms/shop/protocol/openid-connect/auth")
            }
            exchange.request.url = RecordedURL(text(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: text(location)) }
        }
        #expect(keycloaks.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [
        "MSIS9224: The received 'redirect_uri' parameter is not a valid registered redirect URI",
        "{\"message\":\"invalid client id or redirect uri\"}",
        "The domain of this URL isn't included in the app's domains.",
        "A specified redirect_uri must match the callback registered on the consumer.",
    ])
    func knowsMoreWords(text: String) throws {
        let recording = try Recording("authorization-request/client-id-unknown").saying(text, status: 400)
        #expect(recording.finding("redirect-uri-not-registered")?.isPrimary == true)
    }

    /// TikTok's page lists the parameters that are wrong, and says no more of them.
    @Test(arguments: [
        ("redirect_uri", "redirect-uri-not-registered"), ("client_key", "client-id-unknown"),
        ("scope", "scope-rejected"), ("state", "authorization-error"),
    ])
    func readsAListOfWhatIsWrong(name: String, rule: String) throws {
        let page = """
            <title>TikTok</title><h1>Something went wrong</h1><p>If you're a developer, correct the following and try again:</p><p>\(name)</p>
            <p>Refer to our Developer Documentation for more information.</p>
            """
        let recording = try Recording(broken).saying(page, status: 200)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes.last == .failure)
    }

    /// Where a sign-in leads back to is called that in ASP.NET.
    @Test(arguments: [
        ("Exception: invalid return URL", false), ("Exception: invalid redirect_uri", true),
    ])
    func leavesTheReturnURLOfASignInFormAlone(words: String, isOne: Bool) throws {
        let recording = try Recording("healthy/web-code-flow")
            .without { !["/login", "/authorize", "/sign-in"].contains($0.request.url.path) }
            .editing { exchange in
                guard exchange.request.url.path == "/sign-in" else { return }
                exchange.response = RecordedResponse(
                    status: 500,
                    body: Body(text: "<h1>Internal Server Error</h1><p>\(words)</p>", mediaType: "text/html")
                )
            }
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
        #expect((recording.finding("provider-server-error")?.isPrimary == true) == !isOne)
    }

    /// Zoom, WeChat and Casdoor answer with 200, a few words and no heading.
    @Test(arguments: [
        ("<div>Invalid redirect: https://www.shop.example/callback (4,700)</div>", true),
        ("<h4>redirect_uri 参数错误</h4>", true),
        ("<div>Redirect URI: https://www.shop.example/callback doesn't exist in the list</div>", true),
        ("<div>Invalid redirect: x</div><form method=post><input name=user></form>", false),
        (
            "<div>Invalid redirect: x</div>" + String(repeating: "<p>What to know of it.</p>", count: 60),
            false
        ),
    ])
    func readsAPageWith200ThatIsAllOfTheAnswer(page: String, isOne: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").saying(page, status: 200)
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
        #expect(recording.outcomes == [isOne ? .failure : .incomplete])
    }

    /// A word of pages is none of a secret's, be it that somebody has it for a password.
    @Test(arguments: [("password", true), ("expires soon", false)])
    func showsTheWordsOfAPageThoughOneIsAPassword(password: String, isShown: Bool) throws {
        let words = "Invalid redirect_uri: your password expires soon"
        let recording = try Recording("authorization-response/login-abandoned")
            .sending("password", password, to: "/sign-in")
            .endingSignIn(at: "/error", .html("<title>Error</title><p>\(words)</p>"))
            .editingLast("/error") { exchange in
                exchange.request.body = nil
                exchange.response?.status = 400
            }
        let finding = try #require(recording.finding("redirect-uri-not-registered"))
        #expect((finding.evidence.last?.value == words) == isShown)
    }
}
