import Captures
import Flows
import TestSupport
import Testing

/// Logins that a server took the provider's answer of, and handed on.
struct UnreachedLandingTests {
    /// A server takes the answer for a program of the user's, which may hang up once it has its code.
    @Test(arguments: [
        ("net::ERR_CONNECTION_REFUSED", Outcome.failure), ("net::ERR_EMPTY_RESPONSE", .success),
    ])
    func loginThatIsHandedOnFailsWhereNobodyIs(failure: String, ending: Outcome) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let landing = "http://127.0.0.1:4711/done?code=code-of-the-server-0001"
        login.authorize(&capture)
        login.answer(&capture)
        capture.redirect(login.callbackURL, to: landing, headers: ShopLogin.browser)
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(method: "GET", url: RecordedURL(landing)),
                failure: failure
            )
        )
        #expect(capture.flows.map(\.ending) == [ending])
    }
}
