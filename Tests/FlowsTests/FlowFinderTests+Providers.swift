import Captures
import Flows
import Foundation
import JOSE
import OAuth
import TestSupport
import Testing

/// What belongs to a provider: its metadata, its keys, and the connections to it that failed.
extension FlowFinderTests {
    @Test func discoveryBelongsToEveryFlowOfItsIssuerAndAloneIsOne() {
        var capture = CaptureBuilder()
        let discovery = ShopLogin().discovery(&capture)
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.steps.map(\.kind) == [.discovery])
        for name in ["one", "two"] {
            let login = ShopLogin(name)
            login.authorize(&capture)
            login.callback(&capture)
            login.token(&capture)
        }
        #expect(capture.flows.count == 2)
        #expect(capture.flows.allSatisfy { $0.exchanges.contains(discovery) })
    }

    @Test func discoveryOfAnotherIssuerIsNotOurs() {
        var capture = CaptureBuilder()
        var foreign = ShopLogin()
        foreign.issuer = "https://other.example"
        let discovery = foreign.discovery(&capture)
        ShopLogin().whole(&capture)
        #expect(capture.flows.count == 2)
        #expect(capture.flows.filter { $0.exchanges.contains(discovery) }.count == 1)
    }

    @Test func documentsThatLeadFromOneToTheNextAreOneFlow() {
        var capture = CaptureBuilder()
        let missing = capture.get("https://tools.example/.well-known/oauth-protected-resource/mcp", 404)
        let resource = capture.get(
            "https://tools.example/.well-known/oauth-protected-resource",
            body: .json(
                #"{"resource":"https://tools.example","authorization_servers":["https://idp.example"]}"#
            )
        )
        let server = ShopLogin().discovery(&capture)
        #expect(capture.flows.map(\.exchanges) == [[missing, resource, server]])
        #expect(capture.flows.map(\.ending) == [.incomplete])
    }

    @Test func metadataOfAResourceBelongsToTheLoginAtItsServer() {
        var capture = CaptureBuilder()
        let missing = capture.get("https://tools.example/.well-known/oauth-protected-resource/mcp", 404)
        let resource = capture.get(
            "https://tools.example/.well-known/oauth-protected-resource",
            body: .json(
                #"{"resource":"https://tools.example","authorization_servers":["https://idp.example"]}"#
            )
        )
        ShopLogin().whole(&capture)
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.exchanges.prefix(2) == [missing, resource])
    }

    @Test func metadataOfAnotherResourceIsNotOurs() {
        var capture = CaptureBuilder()
        let resource = capture.get(
            "https://tools.example/.well-known/oauth-protected-resource",
            body: .json(
                #"{"resource":"https://tools.example","authorization_servers":["https://other.example"]}"#
            )
        )
        ShopLogin().whole(&capture)
        #expect(capture.flows.count == 2)
        #expect(capture.flows.first?.exchanges == [resource])
    }

    @Test func metadataAloneIsNoGoalAndAPageInItsPlaceAFailure() {
        var capture = CaptureBuilder()
        ShopLogin().discovery(&capture)
        #expect(capture.flows.map(\.ending) == [.incomplete])
        var page = CaptureBuilder()
        page.get("https://idp.example/.well-known/openid-configuration", body: .html("<p>Hello"))
        #expect(page.flows.map(\.ending) == [.failure])
    }

    @Test func failedConnectionsToAKnownProviderAreAFlow() {
        var capture = CaptureBuilder()
        let request = RecordedRequest(method: "CONNECT", url: RecordedURL("https://accounts.google.com:443/"))
        for _ in 0..<3 {
            capture.add(
                Exchange(startedAt: Timestamp(seconds: 0), request: request, failure: "connection refused")
            )
        }
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.provider == .google)
    }

    /// The browser asked for itself first; then an app sent it there.
    @Test(arguments: [("CFNetwork/1410 Darwin/22.6.0", 2), ("Mozilla/5.0 (X11) Chrome/140", 1)])
    func connectionOfAnAppIsNoneOfABrowsers(agent: String, expected: Int) {
        var capture = CaptureBuilder()
        let refused = Exchange(
            startedAt: Timestamp(seconds: 0),
            request: RecordedRequest(
                method: "CONNECT",
                url: RecordedURL("https://accounts.google.com/"),
                headers: HeaderFields([("User-Agent", agent)])
            ),
            failure: "ENOTFOUND: no address found for accounts.google.com"
        )
        capture.add(refused)
        _ = ShopLogin().whole(&capture)
        #expect(capture.flows.count == expected)
        guard expected == 1 else { return }
        _ = capture.redirect("https://app.example/more", to: "https://accounts.google.com/o/oauth2/v2/auth")
        capture.add(refused)
        #expect(capture.flows.count == 2)
    }

    /// Chromium asks Google whether anybody is signed in to the browser itself, and Edge asks Microsoft.
    @Test(arguments: [
        ("chromium", nil, 1), ("chromium", "https://accounts.google.com/o/oauth2/v2/auth?client_id=1", 2),
        ("python", nil, 2),
    ])
    func browsersOwnConnectionThatFailedIsNoFlow(sender: String, location: String?, expected: Int) {
        var capture = CaptureBuilder()
        for number in ShopLogin().whole(&capture) where number == 1 {
            var page = capture.exchanges[number]
            page.client = ClientFacts(process: "chromium")
            page.response?.headers = HeaderFields(location.map { [("Location", $0)] } ?? [])
            capture.add(page)
        }
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://accounts.google.com/")),
                failure: "ENOTFOUND: no address found for accounts.google.com",
                client: ClientFacts(process: sender)
            )
        )
        #expect(capture.flows.count == expected)
    }

    /// The app's server cannot reach the provider, and answers its user with an error.
    @Test(arguments: [(500, "apache2", 1), (200, "apache2", 0), (500, "chromium", 0)])
    func connectionThatFailedBehindAnErrorIsAFlow(status: Int, sender: String, expected: Int) {
        let asked = Timestamp(seconds: 1_780_000_000)
        let page = Exchange(
            startedAt: asked,
            duration: .milliseconds(40),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://shop.example/account")),
            response: RecordedResponse(status: status),
            client: ClientFacts(process: "chromium")
        )
        let connection = Exchange(
            startedAt: asked + .milliseconds(10),
            duration: .milliseconds(5),
            request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://10.0.0.7:8443/")),
            failure: "ECONNREFUSED: connection refused by 10.0.0.7:8443",
            client: ClientFacts(process: sender)
        )
        let flows = FlowFinder.flows(in: Capture([connection, page]))
        #expect(flows.map(\.grant) == Array(repeating: "connection", count: expected))
    }

    /// A connection that failed has no user agent: its program is still one.
    @Test func programOfAFailedConnectionKeepsItsName() throws {
        var capture = CaptureBuilder()
        ShopLogin("one").authorize(&capture)
        ShopLogin("one").answer(&capture)
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://idp.example:443/")),
                failure: "ECONNREFUSED"
            )
        )
        let exchanges = capture.exchanges.map { exchange in
            var exchange = exchange
            exchange.client = ClientFacts(process: "curl")
            return exchange
        }
        let flow = try #require(FlowFinder.flows(in: Capture(exchanges)).first)
        #expect(Set(flow.steps.map(\.from.name)).contains("curl"))
    }

    /// Another user's process: what the client calls itself stands in, and the lane says so.
    @Test(arguments: [
        (ClientFacts(address: "127.0.0.1:4000"), "shop-backend (user agent)"),
        (ClientFacts(process: "python3", address: "127.0.0.1:4000"), "python3"),
        (ClientFacts(), "shop-backend"),
    ])
    func laneSaysWhereItsNameIsFrom(_ row: (client: ClientFacts, name: String)) throws {
        var capture = CaptureBuilder()
        ShopLogin("one").authorize(&capture)
        ShopLogin("one").answer(&capture)
        ShopLogin("one").token(&capture)
        let exchanges = capture.exchanges.map { exchange in
            guard exchange.request.url.path.hasSuffix("/token") else { return exchange }
            var exchange = exchange
            exchange.client = row.client
            return exchange
        }
        let flow = try #require(FlowFinder.flows(in: Capture(exchanges)).first)
        let step = try #require(flow.steps.first { $0.kind == .tokenRequest })
        #expect(step.from.name == row.name)
    }

    /// Google's and Cognito's keys are at another host than their endpoints, and metadata may be cached.
    @Test(arguments: [
        ("https://www.googleapis.com/oauth2/v3/certs", "https://accounts.google.com", 1),
        ("https://keys.example/pool/jwks.json", "https://idp.example", 2),
        ("https://idp.example.net/pool/.well-known/jwks.json", "https://idp.example", 2),
    ])
    func keysOfAnotherHostBelongToTheirProvider(keys: String, issuer: String, expected: Int) {
        var capture = CaptureBuilder()
        var login = ShopLogin("one")
        login.issuer = issuer
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        capture.get(keys, body: .json(#"{"keys":[{"kty":"RSA","kid":"1","n":"AQ","e":"AQAB"}]}"#))
        #expect(capture.flows.count == expected)
    }

    /// Which its provider fetches to verify assertions: the provider is no other one for it.
    @Test(arguments: [("https://shop.example/jwks.json", 1), ("https://other.example/jwks.json", 2)])
    func keysOfTheAppBelongToItsLogin(keys: String, expected: Int) throws {
        var capture = CaptureBuilder()
        let login = ShopLogin("one")
        login.authorize(&capture)
        login.callback(&capture)
        capture.get(keys, body: .json(#"{"keys":[{"kty":"RSA","kid":"1","n":"AQ","e":"AQAB"}]}"#))
        login.token(&capture)
        #expect(capture.flows.count == expected)
        let flow = try #require(capture.flows.first)
        #expect(flow.providerHosts == ["idp.example"])
        let step = flow.steps.first { $0.kind == .jwks }
        #expect((step?.from.role == .provider && step?.to.role == .backend) == (expected == 1))
    }

    @Test(arguments: [
        ("https://keys.example/jwks", "k1", 1), ("https://keys.example/jwks", "k2", 2),
        // A host that only begins like the issuer's.
        ("https://idp.example.net/jwks", "k2", 2),
    ])
    func keysBelongToTheTokensThatNameThem(url: String, id: String, expected: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin("one")
        login.authorize(&capture)
        login.callback(&capture)
        let token = [#"{"alg":"RS256","kid":"k1"}"#, #"{"iss":"https://idp.example","sub":"alice"}"#].map {
            Base64URL.encode(Array($0.utf8))
        }.joined(separator: ".")
        login.token(
            &capture,
            body: #"{"access_token":"a","token_type":"Bearer","id_token":"\#(token).c2ln"}"#
        )
        capture.get(url, body: .json(#"{"keys":[{"kty":"RSA","kid":"\#(id)","n":"AQ","e":"AQAB"}]}"#))
        #expect(capture.flows.count == expected)
    }
}
