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
}
