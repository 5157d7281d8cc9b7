import Captures
import Flows
import OAuth
import TestSupport
import Testing

/// Authorization responses that the app's own redirects take on before somebody reads them.
struct PassedOnResponseTests {
    private static let query = "code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2c"

    /// A login whose response passes through these URLs, of which the last one answers so.
    private func flow(_ redirectURI: String, _ hops: [String], _ status: Int) throws -> Flow {
        var capture = CaptureBuilder()
        let request = FormBody.encode([
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("state", "Zk3vQ9xT1b7LmP2c"),
        ])
        capture.redirect("https://idp.example/authorize?\(request)", to: "\(redirectURI)?\(Self.query)")
        for (from, to) in zip(hops, hops.dropFirst()) {
            capture.redirect("\(from)?\(Self.query)", to: "\(to)?\(Self.query)")
        }
        if let last = hops.last { capture.get("\(last)?\(Self.query)", status) }
        let flows = FlowFinder.flows(in: capture.capture)
        #expect(flows.count == 1)
        return try #require(flows.first)
    }

    @Test(arguments: [
        ["https://app.example/cb", "https://app.example/cb/"],
        ["https://app.example/cb", "https://www.app.example/cb"],
        ["https://app.example/cb", "https://app.example/en/cb", "https://app.example/en/cb/"],
    ]) func lastHopIsTheCallback(hops: [String]) throws {
        let good = try flow("https://app.example/cb", hops, 200)
        let response = try #require(good.authorizationResponses.first)
        #expect(good.authorizationResponses.count == 1)
        #expect(response.callback == hops.count && response.sentOnBy == Array(1..<hops.count))
        #expect(response.parameters.items.allSatisfy { $0.place.exchange == hops.count })
        #expect(good.exchanges == Array(0...hops.count))
        #expect(good.ending == .success)
        #expect(try flow("https://app.example/cb", hops, 400).ending != .success)
    }

    /// A state that is dropped or re-coded before the redirect URI: the app sends on what it got, and refuses that.
    @Test(arguments: ["code=Xc0ffee98765", "code=Xc0ffee98765&state=Zk3vQ9xT1b7LmP2"])
    func whatArrivedIsFollowed(arrived: String) throws {
        var capture = CaptureBuilder()
        let request =
            "response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=Zk3vQ9xT1b7LmP2c"
        capture.redirect(
            "https://idp.example/authorize?\(request)",
            to: "https://app.example/cb?\(Self.query)"
        )
        capture.redirect("https://app.example/cb?\(arrived)", to: "https://app.example/login?\(arrived)")
        capture.get("https://app.example/login?\(arrived)", 401)
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let response = try #require(flow.authorizationResponses.first)
        #expect(flow.authorizationResponses.count == 1)
        #expect(response.callback == 2 && response.sentOnBy == [1])
        #expect(flow.ending != .success)
    }

    @Test func callbackInHTTPIsFoundWhereTheBrowserMadeItHTTPS() throws {
        let flow = try flow("http://app.example/cb", ["https://app.example/cb"], 400)
        #expect(flow.authorizationResponses.map(\.callback) == [1])
        #expect(flow.authorizationResponses.map(\.deliveredBy) == [0])
    }

    /// What a broker answers its app is another response.
    @Test func otherCodeIsNotPassedOn() throws {
        var capture = CaptureBuilder()
        let request =
            "response_type=code&client_id=web&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=Zk3vQ9xT1b7LmP2c"
        capture.redirect(
            "https://idp.example/authorize?\(request)",
            to: "https://app.example/cb?\(Self.query)"
        )
        capture.redirect(
            "https://app.example/cb?\(Self.query)",
            to: "https://other.example/cb?code=another12345&state=s"
        )
        capture.get("https://other.example/cb?code=another12345&state=s", 400)
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        #expect(flow.authorizationResponses.map(\.callback) == [1])
        #expect(flow.ending == .success)
    }

    @Test func circleOfHopsEnds() throws {
        let circle = (0..<12).map { "https://app.example/cb\($0 % 2 == 0 ? "" : "/")" }
        let response = try #require(flow("https://app.example/cb", circle, 302).authorizationResponses.first)
        #expect(response.sentOnBy.count == 5)
    }
}
