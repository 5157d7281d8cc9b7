import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import TestSupport
import Testing

struct ProxySchemeDowngradeTests {
    private let rule = "proxy-scheme-downgrade"
    private let broken = "user-agent/proxy-scheme-downgrade"

    private func returning(to uri: String) throws -> Recording {
        try Recording(broken).asking("redirect_uri", uri)
    }

    @Test func namesTheStartTheRedirectURIAndTheRefusal() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.url ", "1 request.query redirect_uri", "1 response.body "])
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAPlainStartAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// As packets have it between the proxy and the app.
    @Test(arguments: [("https", true), ("http", false), (nil, false)])
    func goesByTheSchemeThatTheProxyTells(scheme: String?, fires: Bool) throws {
        let finding = try Recording(broken).behindProxy(telling: scheme).finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect((finding != nil) == fires)
        #expect(!fires || finding?.evidence.first?.value.hasPrefix("https://www.shop.example/") == true)
        #expect(!fires || finding?.notes.first?.contains("X-Forwarded-Proto") == true)
    }

    @Test func isAWarningWhereTheProviderAcceptsIt() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(
                status: 200,
                body: Body(text: "<form method=post><input name=user></form>", mediaType: "text/html")
            )
        }
        #expect(recording.finding(rule)?.severity == .warning)
    }

    @Test(arguments: ["http://www.shop.example:443/callback", "http://www.shop.example:80/callback"])
    func takesTheDefaultPortOrTheSame(uri: String) throws {
        #expect(try returning(to: uri).finding(rule) != nil)
    }

    @Test(arguments: [
        "https://www.shop.example/callback", "http://www.shop.example:8080/callback",
        "http://shop.example/callback", "http://localhost/callback", "example.shop.app:/callback",
    ])
    func leavesAlone(uri: String) throws { #expect(try returning(to: uri).finding(rule) == nil) }

    /// There http may be meant so, whatever the provider says of the address.
    @Test(arguments: [
        ("localhost", "http://localhost/callback"), ("localhost:8443", "http://localhost:8443/callback"),
        ("127.0.0.1", "http://127.0.0.1/callback"), ("localhost", "http://localhost:3000/callback"),
    ])
    func leavesTheUsersOwnMachineAlone(host: String, uri: String) throws {
        let recording = try returning(to: uri).editing { exchange in
            guard exchange.request.url.path != "/authorize" else { return }
            exchange.request.url = RecordedURL("https://\(host)\(exchange.request.url.path)")
        }
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("redirect-uri-not-registered")?.isPrimary == true)
    }

    /// There http may be meant so, and a login that is refused for its scope says nothing of it.
    @Test(arguments: [("localhost", false), ("www.shop.example", true)])
    func aScopeThatIsRefusedOnTheUsersOwnMachineIsNoDowngrade(host: String, fires: Bool) throws {
        let recording = try returning(to: "http://\(host)/callback").editing { exchange in
            guard exchange.request.url.path == "/authorize" else {
                exchange.request.url = RecordedURL("https://\(host)\(exchange.request.url.path)")
                return
            }
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: "<h1>invalid_scope</h1><p>zz is no scope</p>", mediaType: "text/html")
            )
        }
        #expect((recording.finding(rule) != nil) == fires)
        #expect(recording.finding(rule)?.severity ?? .warning == .warning)
        #expect(recording.outcomes == [.failure])
    }

    /// What came to the redirect URI was not refused for it, unless it says so; nor does the app, which then shows an error, refuse it.
    @Test(
        arguments: [
            ("invalid_scope", "zz is no scope", false), ("unauthorized_client", "no such grant", false),
            ("invalid_scope", "zz is no scope, see https://id.harbour.example/scopes", false),
            ("access_denied", "The user said no, see http://id.harbour.example/no", false),
            ("login_required", "Nobody is signed in", false),
            ("invalid_request", "redirect_uri must use https", true),
        ],
        [true, false]
    )
    func anErrorThatCameToTheAddressIsNotForIt(
        answer: (error: String, text: String, isForIt: Bool),
        isRecorded: Bool
    ) throws {
        let back =
            "http://www.shop.example/callback?"
            + FormBody.encode([("error", answer.error), ("error_description", answer.text)])
        var recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: back)
        }
        if isRecorded {
            var callback = try #require(recording.exchanges.first)
            callback.startedAt = try #require(recording.exchanges.last).endedAt + .milliseconds(50)
            callback.request.url = RecordedURL(back)
            callback.response = RecordedResponse(status: 400)
            recording.exchanges.append(callback)
        }
        #expect(recording.finding(rule)?.severity == (answer.isForIt ? .error : .warning))
        #expect(recording.finding(rule)?.isPrimary == answer.isForIt)
        #expect(recording.outcomes == [.failure])
    }

    /// An answer that says what else is wrong was not given for the address, nor by a provider that failed.
    @Test(arguments: [
        (400, "<h1>Unknown client</h1><p>There is no client shop-web.</p>", false),
        (400, "<h1>invalid_request</h1><p>code_challenge is required</p>", false),
        (400, #"{"error":"access_denied","error_description":"Blocked by policy"}"#, false),
        (400, #"{"error":"invalid_request","error_description":"nonce is required"}"#, false),
        (500, "<h1>Internal Server Error</h1>", false),
        (400, #"{"error":"invalid_request"}"#, true), (400, "<h1>Bad Request</h1>", true),
        (400, "<h1>Bad Request</h1><p>callback not allowed</p>", true),
        (500, "<h1>Error</h1><p>Invalid parameter: redirect_uri</p>", true),
        (400, #"{"error":"invalid_request","error_description":"http is for localhost"}"#, true),
    ])
    func anAnswerThatSaysWhatElseIsWrongIsNotForIt(status: Int, body: String, isForIt: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            let type = body.hasPrefix("{") ? "application/json" : "text/html"
            exchange.response = RecordedResponse(status: status, body: Body(text: body, mediaType: type))
        }
        #expect(recording.finding(rule)?.severity == (isForIt ? .error : .warning))
        #expect(recording.finding(rule)?.isPrimary == isForIt)
        #expect(recording.findings.contains { $0.severity == .error })
    }

    /// IdentityServer's page has one name for an address and for a client that it does not know.
    @Test(arguments: [("/home/error?errorId=CfDJ8a", true), ("/home/error", false)])
    func aPageThatKeepsItsReasonMayBeForIt(target: String, isForIt: Bool) throws {
        var recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: target)
        }
        var page = try #require(recording.exchanges.last)
        page.startedAt = page.endedAt + .milliseconds(10)
        page.request.url = page.request.url.resolving(target)
        page.response = RecordedResponse(
            status: 200,
            body: .html("<h1>Error</h1><p>Sorry, there was an error : unauthorized_client</p>")
        )
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity == (isForIt ? .error : .warning))
    }

    @Test func goesByTheRefererWhereNoRedirectIsRecorded() throws {
        let recording = try Recording(Array(Recording(broken).exchanges.dropFirst())).editing { exchange in
            exchange.request.headers.append("Referer", "https://www.shop.example/")
        }
        #expect(recording.finding(rule)?.places.first == "0 request.header Referer")
        let plain = try Recording(Array(Recording(broken).exchanges.dropFirst()))
        #expect(plain.finding(rule) == nil)
    }

    // MARK: - The provider's own forms

    @Test func aFormOfTheProvidersThatIsLostOnItsWayToHTTPSIsTheCause() throws {
        let recording = try Recording.losingTheForm(sentTo: "http://id.harbour.example/sign-in")
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(finding.places == ["2 request.url ", "2 response.status ", "3 request.url "])
        #expect(finding.fix.contains("KC_HOSTNAME") && finding.fix.contains("Base URL Source"))
        #expect(recording.finding("login-abandoned") == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [307, 308]) func aFormThatIsSentOnWholeIsNotLost(status: Int) throws {
        let sent = "http://id.harbour.example/sign-in"
        #expect(try Recording.losingTheForm(sentTo: sent, status: status).finding(rule) == nil)
    }

    /// A page's own query says what a form came to, that of a redirect to https alone is the form's.
    @Test(arguments: [("?s=1", "?s=1", true), ("?s=1", "", true), ("", "?error=1", false)])
    func aRedirectWithANewQueryIsAnAnswerToTheForm(sent: String, query: String, isLost: Bool) throws {
        let address = "http://id.harbour.example/sign-in" + sent
        let recording = try Recording.losingTheForm(sentTo: address, query: query)
        #expect((recording.finding(rule) != nil) == isLost)
    }

    @Test func aFormThatCameToTheProviderAtTheNextTryIsNotLost() throws {
        var recording = try Recording.losingTheForm(sentTo: "http://id.harbour.example/sign-in")
        var taken = try #require(Recording("authorization-response/login-abandoned").exchanges.last)
        taken.startedAt = try #require(recording.exchanges.last).endedAt + .seconds(5)
        recording.exchanges.append(taken)
        #expect(recording.finding(rule) == nil && recording.finding("login-abandoned") != nil)
    }

    @Test func aFormThatWasTakenIsNotLost() throws {
        let recording = try Recording.losingTheForm(sentTo: "http://id.harbour.example/sign-in").editing {
            if $0.request.method == "POST" { $0.response?.headers.append("Set-Cookie", "session=1; Path=/") }
        }
        #expect(recording.finding(rule) == nil)
    }
}
