import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

/// Answers that go to an app on Android by an `intent:` URI, which names the app's scheme behind its fragment.
struct IntentRedirectTests {
    private static let tail = "#Intent;scheme=example.shop.app;package=example.shop;end"
    private static let fallback =
        "#Intent;package=example.shop;scheme=example.shop.app;S.browser_fallback_url=https%3A%2F%2Fshop.example%2F;end"

    /// `isPage`: in a link of a page instead of the redirect.
    private func opened(_ path: String, by tail: String, isPage: Bool = false) throws -> Recording {
        try Recording(path).editing { exchange in
            guard let location = exchange.response?.location, location.hasPrefix("example.shop.app:") else {
                return
            }
            let intent = "intent" + location.dropFirst("example.shop.app".count) + tail
            guard isPage else {
                exchange.response?.redirect(to: intent)
                return
            }
            exchange.response?.status = 200
            exchange.response?.headers.remove("Location")
            exchange.response?.redirectURL = ""
            let href = intent.split(separator: "&").joined(separator: "&amp;")
            exchange.response?.body = Body(
                text: #"<!doctype html><a href="\#(href)">Open the app</a>"#,
                mediaType: "text/html"
            )
        }
    }

    @Test(arguments: [tail, fallback], [false, true]) func loginIsWhole(tail: String, isPage: Bool) throws {
        let recording = try opened("healthy/native-app", by: tail, isPage: isPage)
        #expect(recording.outcomes == [.success])
        #expect(recording.findings.isEmpty)
        let response = try #require(recording.flows[0].authorizationResponses.first)
        #expect(response.deliveredBy == 2)
        #expect(response.target.text == "example.shop.app:/oauth2redirect")
        #expect(response.state == recording.flows[0].authorizationRequests.first?.state)
    }

    @Test(arguments: [tail, fallback]) func codeThatTheAppNeverTookIsNotSentElsewhere(tail: String) throws {
        let recording = try opened("the-capture/code-never-redeemed", by: tail)
        #expect(recording.finding("code-never-redeemed") != nil)
        #expect(recording.finding("redirect-target-differs") == nil)
        #expect(recording.outcomes == [.incomplete])
    }

    /// Another app's scheme, or none.
    @Test(arguments: ["#Intent;scheme=example.other;end", "#Intent;package=example.shop;end", "#top", ""])
    func otherSchemeIsAnotherAddress(tail: String) throws {
        let recording = try opened("the-capture/code-never-redeemed", by: tail)
        #expect(recording.finding("redirect-target-differs") != nil)
        #expect(recording.finding("code-never-redeemed") == nil)
    }
}
