import Captures
import OAuth
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
        let sources = CaptureIndex(Capture(capture.exchanges)).redirectedFrom
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
        let sources = CaptureIndex(read).redirectedFrom
        #expect((sources[callback] == 1) == isOne)
        #expect(sources[home] == callback)
        let flow = try #require(FlowFinder.flows(in: read).first)
        #expect(flow.exchanges.contains(callback) == isOne)
    }

    /// What the redirect URI has in its own query is none of the answer's (RFC 6749, section 3.1.2).
    @Test(arguments: [
        ("?code=page&state=own", "?code=page&state=own&code=SplxlOBeZQQ&state=st-4711", "st-4711"),
        ("?state=st-4711", "?state=st-4711&code=SplxlOBeZQQ", "st-4711"),
        ("?state=own", "?code=SplxlOBeZQQ&state=st-4711", "st-4711"),
        ("?tenant=7", "?tenant=7&code=SplxlOBeZQQ&state=st-4711", "st-4711"),
        ("?r=a%20b&state=a%20b", "?r=a+b&state=a+b&code=SplxlOBeZQQ&state=st-4711", "st-4711"),
    ])
    func answerIsReadWithoutTheRedirectURIsOwnQuery(own: String, answered: String, state: String) throws {
        let address = "https://shop.example/cb"
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", address + own),
            ("state", "st-4711"),
        ])
        var capture = CaptureBuilder()
        // The app's own page, which a visitor finds without a login.
        capture.get(address + own)
        capture.redirect("https://idp.example/authorize?" + query, to: address + answered)
        capture.get(address + answered)
        let responses = CaptureIndex(capture.capture).responses.filter { $0.deliveredBy != nil }
        let response = try #require(responses.first)
        #expect(responses.count == 1)
        #expect(response.code == "SplxlOBeZQQ")
        #expect(response.state == state)
        #expect(response.callback == 2)
    }

    /// A page that signs in again names the address that it has, in which the first answer stands.
    @Test func answerThatALaterRequestNamesAsItsAddressIsOne() throws {
        let login = ShopLogin()
        var capture = CaptureBuilder()
        login.authorize(&capture)
        login.answer(&capture)
        capture.get(login.callbackURL, headers: ShopLogin.browser, body: .html("Shop"))
        var again = ShopLogin("two")
        again.redirectURI = login.callbackURL
        again.authorize(&capture)
        let index = CaptureIndex(capture.capture)
        let response = try #require(index.responses.first)
        #expect(index.responses.count == 1)
        #expect(response.code == login.code)
        #expect(response.state == login.state)
        #expect(response.callback == 2)
    }

    @Test func pageWhoseQueryLooksLikeAnAnswerIsNone() {
        let query = FormBody.encode([
            ("response_type", "code"), ("client_id", "shop"), ("state", "st-4711"),
            ("redirect_uri", "https://shop.example/cb?code=page"),
        ])
        var capture = CaptureBuilder()
        capture.get("https://shop.example/cb?code=page")
        capture.get("https://idp.example/authorize?" + query, body: .html("Sign in"))
        #expect(CaptureIndex(capture.capture).responses.isEmpty)
    }
}
