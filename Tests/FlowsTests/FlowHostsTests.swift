import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Whose a host is that a flow's messages went to.
struct FlowHostsTests {
    private static let keys = Body.json(#"{"keys":[{"kty":"RSA","kid":"1","n":"AQ","e":"AQAB"}]}"#)
    private static let app = "https://shop.example/jwks.json"

    private static func login(sentTo redirectURI: String = "https://shop.example/cb") -> ShopLogin {
        var login = ShopLogin()
        login.redirectURI = redirectURI
        return login
    }

    @Test(arguments: [
        (app, "https://shop.example/cb", [app]), ("https://idp.example/jwks", "https://shop.example/cb", []),
        // A server that is both has keys of both kinds; an app on a device serves none.
        ("https://idp.example/app/jwks", "https://idp.example/cb", []),
        (app, "shop.app://shop.example/cb", []),
    ])
    func keySetWhereTheAppIsSentBackToIsTheApps(keys: String, redirectURI: String, expected: [String]) throws
    {
        var capture = CaptureBuilder()
        let login = Self.login(sentTo: redirectURI)
        login.authorize(&capture)
        login.callback(&capture)
        capture.get(keys, body: Self.keys)
        login.token(&capture)
        let flow = try #require(capture.flows.first)
        #expect(flow.appKeySets.map(\.url.text) == expected)
    }

    /// Its provider's metadata names it.
    @Test func keySetOfTheProviderOnTheHostOfAnAppIsNotTheApps() throws {
        var capture = CaptureBuilder()
        let login = Self.login()
        capture.get(
            "https://idp.example/.well-known/openid-configuration",
            body: .json(
                #"{"issuer":"https://idp.example","authorization_endpoint":"https://idp.example/authorize","jwks_uri":"\#(Self.app)"}"#
            )
        )
        login.authorize(&capture)
        capture.get(Self.app, body: Self.keys)
        login.callback(&capture)
        login.token(&capture)
        let flow = try #require(capture.flows.first)
        #expect(flow.appKeySets.isEmpty)
    }

    /// Of a login whose token request alone was recorded.
    @Test func tokenRequestSaysWhereTheAppIs() throws {
        var capture = CaptureBuilder()
        Self.login().token(&capture)
        capture.get(Self.app, body: Self.keys)
        #expect(capture.flows.count == 1)
        let flow = try #require(capture.flows.first)
        #expect(flow.appKeySets.map(\.url.text) == [Self.app])
        #expect(flow.providerHosts == ["idp.example"])
        let step = try #require(flow.steps.first { $0.kind == .jwks })
        #expect(step.from.role == .provider && step.to.role == .backend)
    }

    /// The browser's half was not recorded: what the provider was asked stands at the app's redirect to it.
    @Test func redirectToTheProviderIsNoEndpointOfIts() throws {
        var capture = CaptureBuilder()
        let login = Self.login()
        capture.redirect("https://shop.example/login", to: login.authorizationURL, headers: ShopLogin.browser)
        login.callback(&capture)
        login.token(&capture)
        capture.get(Self.app, body: Self.keys)
        let flow = try #require(capture.flows.first)
        #expect(flow.authorizationRequests.map(\.isUnseen) == [true])
        #expect(flow.providerHosts == ["idp.example"])
        #expect(flow.appKeySets.map(\.url.text) == [Self.app])
    }
}
