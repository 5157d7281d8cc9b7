import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Testing

struct RedirectURINotRegisteredTests {
    private let rule = "redirect-uri-not-registered"
    private let broken = "authorization-request/redirect-uri-not-registered"

    @Test func namesTheURIThePageAndTheNearestOther() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "3 request.query redirect_uri", "3 response.body ", "0 request.query redirect_uri",
            ]
        )
        #expect(finding.evidence[1].value == "Invalid parameter: redirect_uri")
        #expect(finding.notes.last?.hasSuffix("a \"/\" too many at the end") == true)
    }

    /// Out of a file that ends with a line break, or with the quotation marks of an environment file.
    @Test(arguments: [
        ("https://www.shop.example/callback\n", "white space around it"),
        ("\"https://www.shop.example/callback\"", "in quotation marks"),
    ])
    func saysWhatStandsAroundIt(sent: String, note: String) throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", sent).finding(rule))
        #expect(finding.notes.first == note)
        #expect(finding.fix.hasPrefix("Take off what stands around the redirect URI"))
    }

    /// An app builds its redirect URI from the address that it is opened at.
    @Test(arguments: ["http", "https"]) func namesALoginThatBeganOverHTTP(scheme: String) throws {
        let uri = "redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback%2F"
        let recording = try Recording(broken).editing { exchange in
            let sent = "redirect_uri=http%3A%2F%2Fwww.shop.example%2Fcallback"
            let url = exchange.request.url.text.replacing(uri, with: sent)
            exchange.request.url = RecordedURL(
                exchange.request.url.path == "/login" ? url.replacing("https", with: scheme) : url
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: location.replacing(uri, with: sent))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.contains("2 request.url ") == (scheme == "http"))
        #expect(finding.fix.contains("opened at an http address") == (scheme == "http"))
        // Of the other one a rule of its own tells.
        #expect((recording.finding("proxy-scheme-downgrade") != nil) == (scheme == "https"))
    }

    /// Then http is not what is wrong with it.
    @Test func saysNothingOfHTTPWhereItWasAnsweredBefore() throws {
        let sent = "redirect_uri=http%3A%2F%2Fwww.shop.example%2F"
        let uri = "redirect_uri=https%3A%2F%2Fwww.shop.example%2Fcallback%2F"
        var recording = try Recording(broken).editing { exchange in
            let url = exchange.request.url.text.replacing(uri, with: sent + "callback")
            exchange.request.url = RecordedURL(
                exchange.request.url.path == "/login" ? url.replacing("https", with: "http") : url
            )
            if let location = exchange.response?.location {
                exchange.response?.redirect(to: location.replacing(uri, with: sent + "callback"))
            }
        }
        #expect(recording.finding(rule)?.fix.contains("opened at an http address") == true)
        var earlier = recording.exchanges[3]
        earlier.startedAt = recording.exchanges[0].startedAt - .seconds(90)
        earlier.request.url = RecordedURL(
            Recording.changing(
                earlier.request.url.text.replacing(sent + "callback", with: sent + "old"),
                "state",
                "earlier"
            )
        )
        earlier.response?.status = 302
        earlier.response?.redirect(to: "http://www.shop.example/old?code=earlier-code&state=earlier")
        recording.exchanges.append(earlier)
        let finding = try #require(recording.finding(rule))
        #expect(!finding.fix.contains("opened at an http address"))
        #expect(!finding.fix.contains("  "))
    }

    @Test func leavesAloneWhatReachedTheRedirectURI() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "AADSTS50011: The redirect URI 'https://x' specified in the request does not match the redirect URIs configured",
        "Error 400: redirect_uri_mismatch", "Callback URL mismatch.",
        "The redirection URI provided does not match a pre-registered value.",
        "<b>INVALID PARAMETER: REDIRECT_URI</b>", "<strong>앱 관리자 설정 오류 (KOE006)</strong>",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 400 {
                exchange.response?.body = Body(text: text, mediaType: "text/html")
            }
        }
        #expect(recording.finding(rule) != nil)
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

    /// GitHub, Twitch.
    @Test(arguments: ["redirect_uri_mismatch", "redirect_mismatch"])
    func registeredCallbackIsTold(error: String) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 302
            exchange.response?.redirect(to: "https://www.shop.example/other?error=\(error)")
        }
        #expect(recording.finding(rule) != nil)
    }

    @Test func leavesAnErrorOfThatNameAloneThatReachedTheApp() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 302
            exchange.response?.body = nil
            exchange.response?.redirect(to: "https://www.shop.example/callback/?error=redirect_uri_mismatch")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func abstainsWithoutTheTextOfThePage() throws {
        let recording = try Recording(broken).withoutBodies(of: "/authorize")
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }

    @Test func saysNothingOfAnotherRefusal() throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.response?.status == 400 {
                exchange.response?.body = Body(text: "Client not found.", mediaType: "text/html")
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    /// An error without a word, of the endpoint itself.
    private func silent(_ status: Int, length: String? = "0") throws -> Recording {
        try Recording("healthy/web-code-flow").saying("", status: status).answering(
            "/authorize",
            header: "Content-Length",
            length
        )
    }

    @Test(arguments: [400, 403]) func takesAnEmptyPageForIt(status: Int) throws {
        let finding = try #require(try silent(status).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.evidence[1].value == "\(status)")
        #expect(finding.notes.contains { $0.contains("or the client is not known") })
    }

    @Test func leavesOtherStatusesAndUnsavedPagesAlone() throws {
        #expect(try silent(404).finding(rule) == nil)
        #expect(try silent(403, length: nil).finding(rule) == nil)
        #expect(try silent(403, length: "212").finding(rule) == nil)
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

    /// A port that is another one each time is none that could be registered.
    @Test func saysWhatToRegisterForAPortThatIsChosenAnew() throws {
        func fix(_ uri: String) throws -> String {
            try #require(Recording(broken).asking("redirect_uri", uri).finding(rule)).fix
        }
        #expect(try fix("http://localhost:51004/callback").contains("without a port"))
        #expect(try !fix("http://localhost:8400/callback").contains("without a port"))
        #expect(try !fix("https://www.shop.example/callback").contains("without a port"))
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

    /// Spotify, Bluesky.
    @Test(arguments: [
        ("http://localhost:8400/callback", "INVALID_CLIENT: Insecure redirect URI", true),
        ("http://localhost:8400/callback", "Invalid redirect_uri (allowed: http://127.0.0.1/callback)", true),
        ("http://localhost:8400/callback", "INVALID_CLIENT: Invalid redirect URI", false),
        ("http://shop.example/callback", "INVALID_CLIENT: Insecure redirect URI", false),
    ])
    func saysWhatToSendInPlaceOfTheNameOfTheMachine(uri: String, words: String, fires: Bool) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri).saying(words)
        #expect(try #require(recording.finding(rule)).fix.contains("127.0.0.1 with the port") == fires)
    }

    @Test func saysThatTheProviderItselfRegisteredIt() throws {
        let login = try Recording("registration/registration-redirect-differs")
        let request = try #require(login.exchanges.first { $0.request.url.path == "/authorize" })
        let sent = try #require(request.request.url.queryItems.first("redirect_uri"))
        let refused = login.saying("<h1>Invalid redirect URI</h1>")
        #expect(refused.finding(rule)?.title.contains("has registered") == false)
        let finding = try #require(
            refused.editingAnswer(of: "/register") { $0["redirect_uris"] = .array([.string(sent)]) }
                .finding(rule)
        )
        #expect(finding.isPrimary)
        #expect(finding.title.contains("has registered"))
        #expect(finding.places.last == "1 response.body redirect_uris")
        #expect(finding.fix.contains("Look at the provider"))
    }

    /// Changed, deleted, at another provider, or made later.
    @Test(arguments: ["PUT", "DELETE", "elsewhere", "later"])
    func saysItOfWhatWasRegisteredThenAlone(what: String) throws {
        let login = try Recording("registration/registration-redirect-differs")
        let request = try #require(login.exchanges.first { $0.request.url.path == "/authorize" })
        let sent = try #require(request.request.url.queryItems.first("redirect_uri"))
        let refused = login.saying("<h1>Invalid redirect URI</h1>")
            .editingAnswer(of: "/register") { $0["redirect_uris"] = .array([.string(sent)]) }
        let recording =
            switch what {
            case "PUT": refused.configuring(what) { $0["redirect_uris"] = ["https://shop.example/other"] }
            case "DELETE": refused.configuring(what)
            case "elsewhere":
                refused.editingLast("/register") {
                    $0.request.url = RecordedURL("https://id.other.example/register")
                }
            default: refused.editingLast("/register") { $0.startedAt = request.startedAt + .seconds(20) }
            }
        #expect(try #require(recording.finding(rule)).title.contains("has registered") == false)
    }

    /// What no registration helps.
    @Test(arguments: [
        (
            "urn:ietf:wg:oauth:2.0:oob", "AADSTS500119: Redirect URIs with urn: schemes are prohibited.",
            "device grant"
        ),
        (
            "urn:ietf:wg:oauth:2.0:oob",
            "The out-of-band (OOB) flow has been blocked in order to keep users secure.", "device grant"
        ),
        (
            "http://127.0.0.1:6007/callback",
            "The loopback flow has been blocked in order to keep users secure.", "desktop app"
        ),
        (
            "shop://callback", "AADSTS500111: The reply uri specified in the request has an invalid scheme.",
            "Send https for a web app"
        ),
    ])
    func knowsKindsThatAreNotTaken(uri: String, words: String, fix: String) throws {
        let recording = try Recording(broken).asking("redirect_uri", uri).saying(words)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.title == "The provider takes no redirect URI of this kind")
        #expect(finding.fix.contains(fix))
        #expect(recording.finding("authorization-error") == nil)
    }

    @Test func readsTheKindInGooglesPackedError() throws {
        let packed = encoded("The loopback flow has been blocked in order to keep users secure.")
        let recording = try Recording(broken).redirecting(
            to: "https://accounts.google.com/signin/oauth/error?authError=\(packed)"
        )
        #expect(recording.finding(rule)?.evidence[1].value == "flow has been blocked")
    }

    /// A setting that lists all of an app's addresses, sent as it stands.
    @Test(arguments: [
        ("http://localhost:3000/,https://www.shop.example/callback", true),
        ("https://www.shop.example/callback,v2", false),
        ("https://www.shop.example/callback?next=a,https://www.shop.example/b", false),
    ])
    func namesAListOfAddresses(uri: String, isList: Bool) throws {
        let finding = try #require(Recording(broken).asking("redirect_uri", uri).finding(rule))
        #expect(finding.fix.contains("several addresses") == isList)
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
}
