import Captures
import Flows
import TestSupport
import Testing

/// Which login is inside of which, where the order in which they began does not tell.
struct NestedFlowsTests {
    private let app = ShopLogin("app")
    private var bank: ShopLogin {
        var bank = ShopLogin("broker")
        bank.client = "broker"
        bank.issuer = "https://bank.example"
        bank.redirectURI = "https://idp.example/broker/cb"
        return bank
    }

    /// A login at a broker that had read its provider's metadata before.
    private func flows(of app: ShopLogin, through bank: ShopLogin) -> [Flow] {
        var capture = CaptureBuilder()
        bank.discovery(&capture)
        capture.redirect(app.authorizationURL, to: bank.authorizationURL, headers: ShopLogin.browser)
        bank.authorize(&capture)
        bank.answer(&capture)
        capture.redirect(bank.callbackURL, to: app.callbackURL, headers: ShopLogin.browser)
        bank.token(&capture)
        app.callback(&capture)
        app.token(&capture)
        return capture.flows
    }

    /// SATOSA reads the metadata of the provider behind it when it starts.
    @Test func brokerThatHasReadTheMetadataBeforeIsAroundItsLogin() {
        let flows = flows(of: app, through: bank)
        #expect(flows.map(\.clientID) == ["broker", "shop"])
        #expect(flows.map(\.outer) == ["flow-2", nil])
        #expect(flows.map { $0.inner.map(\.id) } == [[], ["flow-1"]])
    }

    /// App, broker and provider share a host, as behind one reverse proxy: either login is called back where the other one is asked.
    @Test func noneIsInsideOfTheOneThatItIsAround() {
        var (app, bank) = (app, bank)
        app.redirectURI = "https://idp.example/app/cb"
        bank.issuer = "https://idp.example/bank"
        let flows = flows(of: app, through: bank)
        #expect(flows.map(\.clientID) == ["broker", "shop"])
        #expect(flows.map(\.outer) == ["flow-2", nil])
    }

    /// The broker's own login came later, and was asked for by nobody.
    @Test func loginThatWasAskedForLaterIsAroundNone() {
        var capture = CaptureBuilder()
        bank.discovery(&capture)
        bank.authorize(&capture)
        bank.answer(&capture)
        bank.callback(&capture)
        bank.token(&capture)
        app.whole(&capture)
        #expect(capture.flows.map(\.outer) == [nil, nil])
    }
}
