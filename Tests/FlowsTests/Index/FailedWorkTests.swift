import Captures
import Flows
import TestSupport
import Testing

/// What a server makes of others behind a refusal of its own.
struct FailedWorkTests {
    private static let app = "http://localhost:3000"

    /// The app's server got its tokens and let nobody in: whoever it serves afterwards goes on all the same.
    ///
    /// On a developer's machine the provider is at the same host.
    @Test(arguments: [
        ("GET", "http://localhost:8080/account", "text/html", Outcome.failure),
        ("GET", "http://localhost:3000/orders", "text/html", .success),
        ("OPTIONS", "http://localhost:3000/orders", "text/html", .failure),
        ("GET", "http://localhost:3000/app.css", "text/css", .failure),
        ("GET", "http://localhost:3000/login", "text/html", .failure),
    ])
    func serverThatServesOthersRefusedNobody(method: String, url: String, type: String, expected: Outcome) {
        var capture = CaptureBuilder()
        var login = ShopLogin()
        login.issuer = "http://localhost:8080"
        login.redirectURI = Self.app + "/cb"
        login.authorize(&capture)
        login.answer(&capture)
        capture.get(login.callbackURL, headers: ShopLogin.browser, body: .html("<div id=app></div>"))
        let refused = capture.post(
            Self.app + "/session",
            [("code", login.code)],
            401,
            headers: ShopLogin.browser,
            body: .json(#"{"error":"no seat"}"#)
        )
        login.token(&capture)
        capture.wait(5)
        let later = capture.get(url, headers: ShopLogin.browser, body: Body(text: "x", mediaType: type))
        var exchanges = capture.exchanges
        exchanges[refused].duration = .milliseconds(2500)
        exchanges[later].request.method = method
        #expect(FlowFinder.flows(in: Capture(exchanges)).map(\.ending) == [expected])
    }
}
