import Captures
import Flows
import TestSupport
import Testing

/// Metadata of a provider that were asked for in vain, beside a login at the same host.
struct RefusedMetadataTests {
    private static let described =
        #"{"issuer":"https://idp.example/realms/a","authorization_endpoint":"https://idp.example/authorize"}"#

    private static func flows(asking realm: String, first: Bool) -> [Flow] {
        let login = ShopLogin()
        var capture = CaptureBuilder()
        func ask(_ realm: String, _ status: Int, _ body: String) {
            let url = "https://idp.example/\(realm)/.well-known/openid-configuration"
            capture.get(url, status, headers: ShopLogin.backend, body: .json(body))
        }
        if first { ask(realm, 404, "{}") }
        ask("realms/a", 200, described)
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        if !first { ask(realm, 404, "{}") }
        return FlowFinder.flows(in: capture.capture)
    }

    /// Where the endpoints have the realm in their path, too, it is another one's at any time.
    @Test(arguments: [("/realms/b", 2), ("/realms/shop", 1), ("/realms/shop/protocol", 1)])
    func thoseOfAnotherRealmOfKeycloakAreNoneOfALogin(path: String, count: Int) {
        var login = ShopLogin()
        login.issuer = "https://idp.example/realms/shop/protocol/openid-connect"
        var capture = CaptureBuilder()
        capture.get(
            "https://idp.example\(path)/.well-known/openid-configuration",
            404,
            headers: ShopLogin.backend,
            body: .json(#"{"error":"Realm does not exist"}"#)
        )
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.count == count)
        #expect(flows.first?.exchanges == (count == 2 ? [0] : [0, 1, 2, 3]))
    }

    /// What the app could not find may be why it refused the callback.
    @Test(arguments: [(200, 2), (500, 1)])
    func thoseOfAnotherRealmStayWithALoginThatBroke(status: Int, count: Int) {
        var login = ShopLogin()
        login.issuer = "https://idp.example/realms/shop/protocol/openid-connect"
        var capture = CaptureBuilder()
        login.authorize(&capture)
        login.answer(&capture)
        capture.get(
            "https://idp.example/realms/b/.well-known/openid-configuration",
            404,
            headers: ShopLogin.backend,
            body: .json("{}")
        )
        capture.get(login.callbackURL, status, headers: ShopLogin.browser, body: .html("<p>Shop</p>"))
        #expect(FlowFinder.flows(in: capture.capture).count == count)
    }

    /// Before the login it may be a try of the same client, which found its way then.
    @Test(arguments: [
        ("realms/b", false, 2), ("realms/b", true, 1), ("realms/a", false, 1), ("realms", false, 1),
    ])
    func thoseOfAnotherRealmBehindALoginAreNoneOfIt(realm: String, first: Bool, count: Int) {
        let flows = Self.flows(asking: realm, first: first)
        #expect(flows.count == count)
        if count == 2 { #expect(flows[1].grant == "discovery" && flows[1].exchanges == [4]) }
    }
}
