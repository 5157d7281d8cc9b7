import Captures
import TestSupport
import Testing

@testable import Flows

/// A redirect and the request that follows it, each in the spelling of its own writer.
struct RedirectSpellingTests {
    @Test(arguments: [
        ("https://idp.example/a?scope=openid profile", "https://idp.example/a?scope=openid%20profile", true),
        ("https://idp.example/a?uri=https%3a%2f%2fb", "https://idp.example/a?uri=https%3A%2F%2Fb", true),
        ("https://idp.example/a?uri=https://b", "https://idp.example/a?uri=https%3A%2F%2Fb", true),
        ("https://IDP.example:443/a?b", "https://idp.example/a?b", true),
        ("https://idp.example/x/../a?b", "https://idp.example/a?b", true),
        ("/x/./a?b#c", "https://idp.example/x/a?b", true),
        ("https://idp.example/a?b=c%26d", "https://idp.example/a?b=c&d", false),
        ("https://idp.example/a?b=1%2b1", "https://idp.example/a?b=1+1", false),
        ("https://idp.example/a?b=%zz", "https://idp.example/a?b=%zz", true),
    ])
    func requestIsKnownForTheOneThatWasSentThere(location: String, url: String, isOne: Bool) {
        var capture = CaptureBuilder()
        capture.redirect("https://idp.example/start", to: location)
        capture.get(url)
        let sources = RedirectChain.sources(in: Capture(capture.exchanges), order: [0, 1])
        #expect((sources[1] == 0) == isOne)
    }

    /// As packets between a proxy that ends https and the app have it.
    @Test(arguments: ["https", "http"])
    func callbackBehindAProxyIsTheOneThatTheBrowserMade(scheme: String) throws {
        let login = ShopLogin()
        var capture = CaptureBuilder()
        login.authorize(&capture)
        login.answer(&capture)
        let callback = login.callback(&capture)
        let home = capture.get("https://shop.example/home")
        var exchanges = capture.exchanges
        for index in [callback, home] {
            let url = exchanges[index].request.url.text
            exchanges[index].request.url = RecordedURL(url.replacing("https://", with: "http://"))
            exchanges[index].request.headers.append("X-Forwarded-Proto", scheme)
        }
        let read = Capture(exchanges)
        let isOne = scheme == "https"
        #expect((RedirectChain.sources(in: read, order: Array(read.indices))[callback] == 1) == isOne)
        #expect(RedirectChain.sources(in: read, order: Array(read.indices))[home] == callback)
        let flow = try #require(FlowFinder.flows(in: read).first)
        #expect(flow.exchanges.contains(callback) == isOne)
    }
}
