import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import TestSupport
import Testing

struct StoppedLoopTests {
    private let rule = "redirect-loop"
    private let broken = "user-agent/redirect-loop"

    /// The browser's last word on a circle: no address that could not be reached.
    @Test(arguments: ["net::ERR_TOO_MANY_REDIRECTS", "NS_ERROR_REDIRECT_LOOP"])
    func theBrowsersWordForItIsNoUnreachableCallback(reason: String) throws {
        var recording = try Recording(broken)
        let index = try #require(recording.exchanges.lastIndex { $0.request.url.path == "/callback" })
        recording.exchanges.removeSubrange((index + 1)...)
        recording.exchanges[index].response = nil
        recording.exchanges[index].failure = reason
        #expect(recording.finding("callback-unreachable") == nil)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// Where the rounds themselves are not in the recording.
    @Test func takesTheBrowsersWordAndLeavesTheProvidersToItsRefusal() throws {
        let login = try Recording("healthy/web-code-flow")
        let browser = login.editing { exchange in
            guard exchange.request.url.path == "/callback" else { return }
            exchange.failure = "net::ERR_TOO_MANY_REDIRECTS"
        }
        #expect(browser.finding(rule)?.evidence.first?.value == "net::ERR_TOO_MANY_REDIRECTS")
        let words =
            "AADSTS50196: The server terminated an operation because it encountered a client request loop."
        let token = login.answering(
            "/token",
            400,
            ["error": "invalid_grant", "error_description": .string(words)]
        )
        #expect(token.finding(rule) == nil)
        let refused = try #require(token.finding("token-invalid-grant"))
        #expect(refused.isPrimary)
        #expect(refused.explanation.contains("the login runs in a circle"))
        let page = try Recording("authorization-request/redirect-uri-not-registered").editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response = RecordedResponse(
                status: 400,
                body: Body(text: "<h1>Sign in</h1><p>\(words)</p>", mediaType: "text/html")
            )
        }
        #expect(page.finding(rule) == nil)
        #expect(
            page.finding("authorization-error")?.explanation.contains("the login runs in a circle") == true
        )
        #expect(login.finding(rule) == nil)
    }

    /// Rounds that were seen, and that the provider put an end to, are told with its word.
    @Test func aCircleThatTheProviderStoppedCoversItsRefusal() throws {
        let words =
            "AADSTS50196: The server terminated an operation because it encountered a client request loop."
        let loop = try Recording(broken)
        var page = loop
        let last = try #require(page.exchanges.lastIndex { $0.request.url.path == "/authorize" })
        page.exchanges.removeSubrange((last + 1)...)
        page.exchanges[last].failure = nil
        page.exchanges[last].response = RecordedResponse(
            status: 400,
            body: .html("<h1>Sign in</h1><p>\(words)</p>")
        )
        #expect(page.finding(rule)?.isPrimary == true)
        #expect(page.finding(rule)?.evidence.last?.value.contains("AADSTS50196") == true)
        #expect(page.finding("authorization-error") == nil)
        var token = loop.asking("code_challenge", nil).asking("code_challenge_method", nil)
        let place = try #require(token.exchanges.lastIndex { $0.request.url.path == "/callback" })
        var exchange = try #require(
            try Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        let code = try #require(token.exchanges[place].request.url.queryItems.first("code"))
        exchange.request.body = Body(
            text: FormBody.encode([
                ("grant_type", "authorization_code"), ("code", code),
                ("redirect_uri", "https://www.shop.example/callback"), ("client_id", "shop-web"),
                ("client_secret", "not-a-secret-of-anyone"),
            ]),
            mediaType: "application/x-www-form-urlencoded"
        )
        exchange.startedAt = token.exchanges[place].startedAt + .milliseconds(5)
        exchange.response = RecordedResponse(
            status: 400,
            body: .json(#"{"error":"invalid_grant","error_description":"\#(words)"}"#)
        )
        token.exchanges.insert(exchange, at: place + 1)
        #expect(token.finding(rule)?.isPrimary == true)
        #expect(token.finding("token-invalid-grant")?.effectOf == rule)
    }

    /// The code was exchanged, and the pages behind it went round.
    @Test(arguments: ["net::ERR_TOO_MANY_REDIRECTS", "NS_ERROR_REDIRECT_LOOP", "too many HTTP redirects"])
    func circleBehindTheCallbackIsAFailure(reason: String) throws {
        var recording = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/" }
        let place = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/callback" })
        recording.exchanges[place].response?.redirect(to: "https://www.shop.example/home")
        var page = recording.exchanges[place]
        page.request.url = RecordedURL("https://www.shop.example/home")
        page.startedAt = page.endedAt + .milliseconds(10)
        page.response = nil
        page.failure = reason
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity == .error)
        #expect(recording.finding(rule)?.isPrimary == true)
        #expect(recording.outcomes == [.failure])
        page.startedAt = page.startedAt + .seconds(2)
        page.failure = nil
        page.response = RecordedResponse(status: 200)
        recording.exchanges.append(page)
        #expect(recording.finding(rule)?.severity ?? .note == .note)
    }
}
