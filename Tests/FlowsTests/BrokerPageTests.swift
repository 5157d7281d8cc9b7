import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Pages by which a broker answers the login that it asked for elsewhere.
struct BrokerPageTests {
    /// A login at a broker, and the one behind it.
    private struct Login {
        var outer: ShopLogin
        var inner: ShopLogin

        init(_ name: String) {
            outer = ShopLogin("outer-" + name)
            inner = ShopLogin("inner-" + name)
            inner.client = "broker"
            inner.issuer = "https://bank.example"
            inner.redirectURI = "https://idp.example/broker/cb"
        }

        /// Up to the sign-in page of the provider behind; `isRedirected`: whether the broker leads there itself, else its page does.
        func begin(_ capture: inout CaptureBuilder, isRedirected: Bool) {
            if isRedirected {
                capture.redirect(
                    outer.authorizationURL,
                    to: inner.authorizationURL,
                    headers: ShopLogin.browser
                )
            } else {
                outer.authorize(&capture)
            }
            inner.authorize(&capture)
        }

        /// The provider's answer and what the broker says to it; returns the exchange of the latter.
        func end(_ capture: inout CaptureBuilder) -> Int { Self.end(inner, &capture) }

        static func end(_ login: ShopLogin, _ capture: inout CaptureBuilder) -> Int {
            login.answer(&capture)
            return capture.get(
                login.callbackURL,
                headers: ShopLogin.browser,
                body: .html("<title>Sign in to your account</title><p>Stay signed in?</p>")
            )
        }
    }

    /// The states of the logins that an exchange belongs to.
    private func states(of exchange: Int, in capture: CaptureBuilder) -> [String?] {
        capture.flows.filter { $0.exchanges.contains(exchange) }.map { $0.authorizationRequests.first?.state }
    }

    /// Two tabs of one browser.
    @Test(arguments: [true, false]) func pageIsOfTheLoginThatTheOneBehindWasBegunFor(isRedirected: Bool) {
        let tabs = ["one", "two"].map { Login($0) }
        var capture = CaptureBuilder()
        for tab in tabs { tab.begin(&capture, isRedirected: isRedirected) }
        let pages = tabs.map { $0.end(&capture) }
        for (tab, page) in zip(tabs, pages) {
            #expect(states(of: page, in: capture) == [tab.outer.state, tab.inner.state])
        }
    }

    /// The client of a second provider that was asked for a login of its own before, and answered that.
    @Test func pageIsOfNoLoginThatIsOver() {
        let login = Login("one")
        var capture = CaptureBuilder()
        capture.redirect(
            login.outer.authorizationURL,
            to: login.outer.callbackURL,
            headers: ShopLogin.browser
        )
        login.outer.callback(&capture)
        login.outer.token(&capture)
        login.inner.authorize(&capture)
        let page = login.end(&capture)
        #expect(states(of: page, in: capture) == [login.inner.state])
    }

    /// An app that is developed beside a provider, whose login was left open in another tab.
    @Test(arguments: [("https://idp.example:8443", false), ("https://idp.example", true)])
    func pageAtAnotherPortIsNotTheProviders(issuer: String, isJoined: Bool) {
        var login = Login("one")
        login.outer.issuer = issuer
        var capture = CaptureBuilder()
        login.begin(&capture, isRedirected: false)
        let page = login.end(&capture)
        #expect(states(of: page, in: capture) == (isJoined ? [login.outer.state] : []) + [login.inner.state])
    }

    /// A broker that asks for a second factor by a login at another provider, when it has heard of the first one.
    @Test func pageBehindASecondLoginIsOfTheOneAroundBoth() {
        let login = Login("one")
        var second = ShopLogin("factor")
        second.client = "broker"
        second.issuer = "https://factor.example"
        second.redirectURI = login.inner.redirectURI
        var capture = CaptureBuilder()
        login.begin(&capture, isRedirected: true)
        login.inner.answer(&capture)
        capture.redirect(login.inner.callbackURL, to: second.authorizationURL, headers: ShopLogin.browser)
        second.authorize(&capture)
        let page = Login.end(second, &capture)
        #expect(states(of: page, in: capture).first == login.outer.state)
    }
}
