import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// A developer's machine, where the app and the provider differ by their ports alone.
struct PortsOfOneHostTests {
    private static let provider = "http://127.0.0.1:9402"
    private static let app = "http://127.0.0.1:9502"
    private static let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1")]

    /// The pages of a login that is asked for a password twice, and then a page of the app.
    ///
    /// `next`: where the provider sends the browser behind the second one, if anywhere.
    private static func pages(next: String? = nil) throws -> [String] {
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", app + "/cb"),
        ])
        let page = Body.html(
            #"<form method="post" action="/login"><input name="user"><input type="password" name="password"></form>"#
        )
        capture.get(provider + "/authorize?" + query, headers: browser, body: page)
        let typed = [("user", "alice"), ("password", "wrong")]
        capture.post(provider + "/login", typed, headers: browser, body: page)
        let answer = next.map { [("Location", $0)] } ?? []
        capture.post(
            provider + "/login",
            typed,
            next == nil ? 200 : 302,
            headers: browser,
            answer: answer,
            body: next == nil ? page : nil
        )
        capture.get(next ?? app + "/me", 401, headers: browser, body: .html("nobody"))
        let flow = try #require(capture.flows.first)
        return flow.steps.filter { $0.kind == .userInteraction }.map {
            flow.capture[$0.exchange].request.url.withoutQuery
        }
    }

    @Test func pageOfTheAppThatIsOpenedIsNoneOfTheLogin() throws {
        #expect(try Self.pages() == [Self.provider + "/login", Self.provider + "/login"])
    }

    /// A provider may have its pages at the app.
    @Test func pageThatTheProviderLeadsToIsOneOfTheLogin() throws {
        let pages = try Self.pages(next: Self.app + "/consent")
        #expect(pages == [Self.provider + "/login", Self.provider + "/login", Self.app + "/consent"])
    }

    /// Where the client makes up nothing for each, the app's redirect alone tells that another login begins: the first was left, or
    /// has its tokens.
    @Test(arguments: [nil, "always-the-same"] as [String?])
    func loginThatTheAppBeginsAnewIsAnother(state: String?) {
        let own = state.map { [("state", $0)] } ?? []
        let request = [("client_id", "shop"), ("response_type", "code"), ("redirect_uri", Self.app + "/cb")]
        let asked = Self.provider + "/authorize?" + FormBody.encode(request + own)
        var capture = CaptureBuilder()
        for code in ["code-of-one-0123", "code-of-two-0123"] {
            capture.redirect(Self.app + "/login", to: asked, headers: Self.browser)
            let page = Body.html("<form method=post action=/login><input name=user></form>")
            capture.get(asked, headers: Self.browser, body: page)
            if state == nil, code == "code-of-one-0123" { continue }
            let answer = Self.app + "/cb?" + FormBody.encode([("code", code)] + own)
            capture.redirect(Self.provider + "/login", to: answer, headers: Self.browser)
            capture.redirect(answer, to: "/home", headers: Self.browser)
            capture.post(
                Self.provider + "/token",
                [
                    ("grant_type", "authorization_code"), ("code", code), ("client_id", "shop"),
                    ("redirect_uri", Self.app + "/cb"),
                ],
                body: .json(#"{"access_token":"access-for-\#(code)","token_type":"Bearer"}"#)
            )
        }
        #expect(capture.flows.count == 2)
    }

    /// The browser's half was not recorded: what the provider was asked stands at the app's redirect to it.
    @Test func redirectToThePortOfTheProviderIsARequest() throws {
        var capture = CaptureBuilder()
        var login = ShopLogin()
        login.issuer = Self.provider
        login.redirectURI = Self.app + "/cb"
        capture.redirect(Self.app + "/login", to: login.authorizationURL, headers: ShopLogin.browser)
        login.callback(&capture)
        let flow = try #require(capture.flows.first)
        #expect(flow.authorizationRequests.map(\.isUnseen) == [true])
        #expect(flow.authorizationRequests.first?.endpoint.text == Self.provider + "/authorize")
    }

    /// A port that is the scheme's own, and a host in capitals, are no other server's.
    @Test(arguments: ["https://idp.example:443", "http://idp.example", "https://IDP.example"])
    func redirectWithinTheProviderIsNoRequest(origin: String) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        capture.redirect(origin + "/start", to: login.authorizationURL, headers: ShopLogin.browser)
        login.callback(&capture)
        #expect(capture.flows.flatMap(\.authorizationRequests).isEmpty)
    }

    /// Without an address to be sent back to the provider goes by what it knows of the app.
    @Test(arguments: [(app, Outcome.success), (provider, .failure)])
    func logoutIsDoneWhereTheAppsPageBehindItBreaks(origin: String, expected: Outcome) {
        var capture = CaptureBuilder()
        var login = ShopLogin()
        login.issuer = Self.provider
        login.redirectURI = Self.app + "/cb"
        login.whole(&capture)
        let page = origin + "/bye"
        capture.redirect(Self.provider + "/logout?client_id=shop", to: page, headers: ShopLogin.browser)
        capture.get(page, 500, headers: ShopLogin.browser, body: .html("no"))
        #expect(capture.flows.map(\.ending) == [expected])
    }

    /// An app that has a host of its own may have its pages at one port and the callback at another.
    @Test func logoutIsDoneAtAnotherPortOfTheApp() {
        var capture = CaptureBuilder()
        var login = ShopLogin()
        login.redirectURI = "https://shop.example:5000/cb"
        login.whole(&capture)
        let page = "https://shop.example:3000/bye"
        capture.redirect(login.issuer + "/logout?client_id=shop", to: page, headers: ShopLogin.browser)
        capture.get(page, 500, headers: ShopLogin.browser, body: .html("no"))
        #expect(capture.flows.map(\.ending) == [.success])
    }
}
