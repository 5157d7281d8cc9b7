import Captures
import Flows
import TestSupport
import Testing

/// What a browser asked of a provider before its user went there (`Sec-Purpose: prefetch`).
struct AskedAheadTests {
    /// A browser that asked ahead and was refused asks anew when its user goes there.
    @Test(
        arguments: [("prefetch", [Outcome.success]), (nil, [.failure, .success])] as [(String?, [Outcome])]
    )
    func whatWasRefusedAheadIsNoLogin(purpose: String?, outcomes: [Outcome]) {
        var capture = CaptureBuilder()
        let asked = ShopLogin("none").authorize(&capture)
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        var exchanges = capture.exchanges
        if let purpose { exchanges[asked].request.headers.append("Sec-Purpose", purpose) }
        exchanges[asked].response = RecordedResponse(status: 503)
        #expect(FlowFinder.flows(in: Capture(exchanges)).map(\.ending) == outcomes)
    }

    /// The same where the provider told the app its error, of which the browser asked ahead as well, or had yet to ask.
    @Test(
        arguments: [
            ("prefetch;prerender", true, [Outcome.success]), ("prefetch", false, [.success]),
            (nil, true, [.failure, .success]),
        ] as [(String?, Bool, [Outcome])]
    )
    func errorThatWasAskedAheadIsNoLogin(purpose: String?, isLanded: Bool, outcomes: [Outcome]) {
        var capture = CaptureBuilder()
        let ahead = ShopLogin("none")
        let error = "https://shop.example/cb?error=invalid_request&state=\(ahead.state)"
        let headers = ShopLogin.browser + (purpose.map { [("Sec-Purpose", $0)] } ?? [])
        capture.redirect(ahead.authorizationURL, to: error, headers: headers)
        if isLanded { capture.get(error, 400, headers: headers) }
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        #expect(FlowFinder.flows(in: capture.capture).map(\.ending) == outcomes)
    }
}
