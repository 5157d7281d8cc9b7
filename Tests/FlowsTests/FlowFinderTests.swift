import Captures
import Flows
import Foundation
import JOSE
import OAuth
import TestSupport
import Testing

/// What is one flow, point by point.
struct FlowFinderTests {
    @Test func wholeLoginIsOneFlowWithEveryStep() throws {
        var capture = CaptureBuilder()
        let exchanges = ShopLogin().whole(&capture)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        #expect(Set(flow.exchanges) == Set(exchanges))
        #expect(
            flow.steps.map(\.kind) == [
                .discovery, .authorizationRequest, .userInteraction, .authorizationResponse, .tokenRequest,
                .userInfoRequest,
            ]
        )
        #expect(flow.ending == .success)
        #expect(
            flow.issuer == "https://idp.example" && flow.clientID == "shop"
                && flow.grant == "authorization_code"
        )
        #expect(flow.steps.map(\.from.role) == [.backend, .browser, .browser, .browser, .backend, .backend])
    }

    /// Charles and Fiddler record how a tunnel was opened; the user met nothing there.
    @Test(arguments: [(200, false), (502, true)])
    func openedTunnelIsNoStep(_ status: Int, _ isStep: Bool) throws {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        let tunnel = capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "CONNECT",
                    url: RecordedURL("https://idp.example:443"),
                    headers: HeaderFields(ShopLogin.browser)
                ),
                response: RecordedResponse(status: status)
            )
        )
        login.answer(&capture)
        login.callback(&capture)
        let flow = try #require(capture.flows.first)
        #expect(flow.exchanges.contains(tunnel))
        #expect(flow.steps.contains { $0.exchange == tunnel } == isStep)
    }

    @Test func interleavedLoginsAreToldApartByTheirValues() {
        var capture = CaptureBuilder()
        let one = ShopLogin("one")
        let two = ShopLogin("two")
        var mine: [Int] = []
        var other: [Int] = []
        mine.append(one.authorize(&capture))
        other.append(two.authorize(&capture))
        // The second answers first; its form post stands alone, for nothing in it names the login.
        other.append(two.callback(&capture))
        mine.append(one.callback(&capture))
        mine.append(one.token(&capture))
        other.append(two.token(&capture))
        other.append(two.userInfo(&capture))
        mine.append(one.userInfo(&capture))
        let flows = capture.flows
        #expect(flows.count == 2)
        #expect(flows.map { Set($0.exchanges) } == [Set(mine), Set(other)])
        let outlines = FlowFinder.outlines(in: capture.capture)
        #expect(outlines.map(\.id) == flows.map(\.id) && outlines.map(\.exchanges) == flows.map(\.exchanges))
        #expect(flows.map(\.ending) == [.success, .success])
    }

    @Test func reloadedRequestBelongsToTheFirst() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        #expect(capture.flows.count == 1)
    }

    @Test func secondLoginOfTheSameClientIsAFlowOfItsOwn() {
        var capture = CaptureBuilder()
        ShopLogin("one").whole(&capture)
        ShopLogin("two").whole(&capture)
        #expect(capture.flows.count == 2)
        #expect(Set(capture.flows.map(\.id)).count == 2)
    }

    @Test func loopFromTheCallbackBelongsToTheFirst() {
        var capture = CaptureBuilder()
        let one = ShopLogin("one")
        let two = ShopLogin("two")
        one.authorize(&capture)
        one.answer(&capture)
        capture.redirect(one.callbackURL, to: two.authorizationURL, headers: ShopLogin.browser)
        capture.redirect(two.authorizationURL, to: two.callbackURL, headers: ShopLogin.browser)
        capture.redirect(two.callbackURL, to: ShopLogin("three").authorizationURL, headers: ShopLogin.browser)
        #expect(capture.flows.count == 1)
    }

    @Test func silentProbeBelongsToTheLoginThatFollows() {
        var capture = CaptureBuilder()
        var probe = ShopLogin("probe")
        probe.code = ""
        capture.redirect(
            probe.authorizationURL + "&prompt=none",
            to: probe.redirectURI + "?error=login_required&state=" + probe.state,
            headers: ShopLogin.browser
        )
        ShopLogin("one").whole(&capture)
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.ending == .success)
    }

    @Test func silentProbeAloneIsAFlow() {
        var capture = CaptureBuilder()
        let probe = ShopLogin("probe")
        capture.redirect(
            probe.authorizationURL + "&prompt=none",
            to: probe.redirectURI + "?error=login_required&state=" + probe.state,
            headers: ShopLogin.browser
        )
        capture.wait(120)
        ShopLogin("one").whole(&capture)
        #expect(capture.flows.count == 2)
    }

    @Test func pushedRequestBelongsToTheFlowThatUsesIt() throws {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let uri = "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c"
        capture.post(
            "https://idp.example/par",
            login.request,
            201,
            body: .json(#"{"request_uri":"\#(uri)","expires_in":60}"#)
        )
        capture.redirect(
            "https://idp.example/authorize?"
                + FormBody.encode([("client_id", "shop"), ("request_uri", uri)]),
            to: login.callbackURL,
            headers: ShopLogin.browser
        )
        login.callback(&capture)
        login.token(&capture)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        #expect(
            flow.steps.map(\.kind) == [
                .pushedAuthorizationRequest, .authorizationRequest, .authorizationResponse, .tokenRequest,
            ]
        )
        // The pushed parameters are those of the request.
        #expect(flow.authorizationRequests.first?.state == login.state)
        #expect(flow.ending == .success)
    }

    /// Which a client may leave out that has registered one alone (RFC 6749, section 3.1.2.3); some leave out the state, too.
    @Test(arguments: [["redirect_uri"], ["redirect_uri", "state"]])
    func answerToARequestWithoutARedirectURIIsOne(without names: [String]) throws {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let request = login.request.filter { !names.contains($0.0) }
        let answer = [("code", login.code), ("state", login.state)].filter { !names.contains($0.0) }
        let callback = "\(login.redirectURI)?\(FormBody.encode(answer))"
        capture.redirect(
            "\(login.issuer)/authorize?\(FormBody.encode(request))",
            to: callback,
            headers: ShopLogin.browser
        )
        capture.get(callback, 500, headers: ShopLogin.browser, body: .html("<h1>Error</h1>"))
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        #expect(flow.authorizationResponses.first?.callback == 1)
        #expect(flow.ending == .failure)
    }

    @Test func refusedPushedRequestIsAFlowOfItsOwn() {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/par",
            ShopLogin().request,
            400,
            body: .json(#"{"error":"invalid_request"}"#)
        )
        #expect(capture.flows.count == 1)
    }

    /// Which the provider fetches to verify the assertion that it then refuses.
    @Test(arguments: [("https://shop.example/jwks.json", 1), ("https://other.example/jwks.json", 2)])
    func keysOfTheAppBelongToItsRefusedPush(keys: String, expected: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        capture.get(keys, body: .json(#"{"keys":[{"kty":"RSA","kid":"1","n":"AQ","e":"AQAB"}]}"#))
        capture.post(login.issuer + "/par", login.request, 401, body: .json(#"{"error":"invalid_client"}"#))
        #expect(capture.flows.count == expected)
    }

    /// A push that was refused and sent again belongs to the login that the second one began.
    @Test(arguments: [("state-of-one-0001", 1), ("state-of-another", 2)])
    func refusedTryOfAPushBelongsToTheOneThatWasTaken(state: String, flows: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let form = login.request.map { ($0.0, $0.0 == "state" ? state : $0.1) }
        capture.post(
            login.issuer + "/par",
            form,
            400,
            body: .json(#"{"error":"use_dpop_nonce"}"#)
        )
        capture.post(
            login.issuer + "/par",
            login.request,
            201,
            body: .json(#"{"request_uri":"urn:ietf:params:oauth:request_uri:abc","expires_in":60}"#)
        )
        capture.get(
            login.issuer + "/authorize?client_id=shop&request_uri=urn:ietf:params:oauth:request_uri:abc"
        )
        #expect(capture.flows.count == flows)
    }

    /// TikTok calls it `client_key`, which at another server is a name of the app's own.
    @Test(
        arguments: [
            ("https://www.tiktok.com/v2/auth/authorize/", "aw1"), ("https://idp.example/authorize", nil),
        ]
            as [(String, String?)]
    )
    func clientIsKnownByTikToksNameForIt(endpoint: String, client: String?) {
        var capture = CaptureBuilder()
        let uri = "https%3A%2F%2Fshop.example%2Fcallback"
        capture.get(
            "\(endpoint)?client_key=aw1&response_type=code&redirect_uri=\(uri)&state=af0ifjsldkj",
            headers: ShopLogin.browser,
            body: .html("<form>")
        )
        #expect(capture.flows.map(\.clientID) == [client])
    }

    /// One with neither `client_id` nor `redirect_uri`, and a code that the capture does not know (WeChat's, with its `appid`).
    @Test(arguments: [
        ("https://idp.example/token", 1), ("https://login.idp.example/token", 1),
        ("https://api.other.example/token", 2),
    ])
    func tokenRequestThatNamesNobodyBelongsToItsProvider(endpoint: String, flows: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        capture.post(
            endpoint,
            [
                ("grant_type", "authorization_code"), ("code", "another-code-0001"), ("appid", "wx1"),
                ("secret", "not-a-secret"),
            ],
            200,
            headers: ShopLogin.backend,
            body: .json(#"{"errcode":40163,"errmsg":"code been used"}"#)
        )
        #expect(capture.flows.count == flows)
    }

    @Test func refreshJoinsTheLoginWhoseTokenItCarries() {
        var capture = CaptureBuilder()
        let one = ShopLogin("one")
        let two = ShopLogin("two")
        one.whole(&capture)
        two.whole(&capture)
        let refresh = one.refresh(&capture)
        let flows = capture.flows
        #expect(flows.count == 2)
        #expect(flows[0].exchanges.contains(refresh) && !flows[1].exchanges.contains(refresh))
        #expect(flows[0].steps.last?.kind == .refreshRequest)
    }

    @Test(arguments: [
        [("grant_type", "refresh_token"), ("refresh_token", "unknown-0001"), ("client_id", "shop")],
        [("grant_type", "client_credentials"), ("scope", "api")],
        [("grant_type", "password"), ("username", "alice"), ("password", "x")],
        [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", "t-0001"),
            ("subject_token_type", "x"),
        ],
    ])
    func grantThatJoinsNothingIsAFlow(form: [(String, String)]) {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/token",
            form,
            body: .json(#"{"access_token":"a-0001","token_type":"Bearer"}"#)
        )
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.ending == .success)
        #expect(capture.flows.first?.grant == form[0].1)
    }

    /// Three polls for a consent that is not given yet.
    private func pollInVain(_ poll: [(String, String)], _ capture: inout CaptureBuilder) {
        for _ in 0..<3 {
            capture.post(
                "https://idp.example/token",
                poll,
                400,
                body: .json(#"{"error":"authorization_pending"}"#)
            )
        }
    }

    @Test func deviceAuthorizationAndItsPollsAreOneFlow() {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/device_authorization",
            [("client_id", "tv")],
            body: .json(
                #"{"device_code":"device-0001","user_code":"ABCD-EFGH","verification_uri":"https://idp.example/device","interval":5}"#
            )
        )
        let poll = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "device-0001"),
            ("client_id", "tv"),
        ]
        pollInVain(poll, &capture)
        #expect(capture.flows.map(\.ending) == [.incomplete])
        capture.post(
            "https://idp.example/token",
            poll,
            body: .json(#"{"access_token":"a-0001","token_type":"Bearer"}"#)
        )
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.ending == .success)
    }

    @Test("The polls for one consent on another device, and what asked for it (OpenID Connect CIBA).")
    func pollsOfADecoupledLoginAreOneFlow() {
        var capture = CaptureBuilder()
        capture.post(
            "https://idp.example/bc-authorize",
            [("client_id", "shop"), ("login_hint", "alice"), ("scope", "openid")],
            body: .json(#"{"auth_req_id":"request-0001","expires_in":120}"#)
        )
        let poll = [
            ("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", "request-0001"),
            ("client_id", "shop"),
        ]
        pollInVain(poll, &capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2, 3]])
        #expect(capture.flows.map(\.ending) == [.incomplete])
        capture.post(
            "https://idp.example/token",
            poll,
            body: .json(#"{"access_token":"a-0001","token_type":"Bearer"}"#)
        )
        #expect(capture.flows.map(\.ending) == [.success])
    }

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

    /// Asked for at http, or at another name of the provider's, and followed to where it is.
    @Test(arguments: [1, 20]) func discoveryThatARedirectLedToIsOfTheLogin(_ count: Int) {
        var capture = CaptureBuilder()
        let asked = "http://localhost:8080/.well-known/openid-configuration"
        let ways = (0..<count).map { _ in
            let redirect = capture.redirect(
                asked,
                to: "https://idp.example/.well-known/openid-configuration",
                headers: ShopLogin.backend
            )
            return [redirect, ShopLogin().discovery(&capture)]
        }
        #expect(capture.flows.map(\.exchanges) == [ways.flatMap(\.self)])
        #expect(capture.flows.map(\.ending) == [.incomplete])
        let login = ShopLogin()
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        #expect(capture.flows.map(\.ending) == [.success])
        #expect(capture.flows.allSatisfy { Set($0.exchanges).isSuperset(of: ways.last ?? []) })
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

    /// A login that the provider hands on to another, up to that one's answer.
    private static func signIn(by app: ShopLogin, behindABrokerIn capture: inout CaptureBuilder) -> ShopLogin
    {
        var broker = ShopLogin("broker")
        broker.client = "broker"
        broker.issuer = "https://bank.example"
        broker.redirectURI = "https://idp.example/broker/cb"
        capture.redirect(app.authorizationURL, to: broker.authorizationURL, headers: ShopLogin.browser)
        broker.authorize(&capture)
        broker.answer(&capture)
        return broker
    }

    @Test func brokeredLoginIsTwoFlows() {
        let app = ShopLogin("app")
        var capture = CaptureBuilder()
        let broker = Self.signIn(by: app, behindABrokerIn: &capture)
        capture.redirect(broker.callbackURL, to: app.callbackURL, headers: ShopLogin.browser)
        broker.token(&capture)
        app.callback(&capture)
        app.token(&capture)
        let flows = capture.flows
        #expect(flows.count == 2)
        #expect(Set(flows.compactMap(\.clientID)) == ["shop", "broker"])
        #expect(flows.map(\.ending) == [.success, .success])
        #expect(flows.map(\.outer) == [nil, "flow-1"])
        #expect(flows.map { $0.inner.map(\.id) } == [["flow-2"], []])
    }

    /// The redirect to the provider behind is the last that is seen of the login around it.
    @Test func brokeredLoginThatEndsInsideIsTwoFlows() {
        var capture = CaptureBuilder()
        let broker = Self.signIn(by: ShopLogin("app"), behindABrokerIn: &capture)
        capture.get(broker.callbackURL, 502, headers: ShopLogin.browser, body: .html("<h1>Error</h1>"))
        #expect(capture.flows.map(\.outer) == [nil, "flow-1"])
        #expect(capture.flows.map(\.ending) == [.incomplete, .failure])
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

    /// The probe is answered by a page that posts, and the login goes to another page of the same app.
    @Test(arguments: [("web_message", 1), ("query", 2)])
    func aPostedRefusalOfASilentProbeJoinsTheLoginThatFollows(mode: String, expected: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin("one")
        let probe =
            login.request.filter { !["state", "nonce", "redirect_uri"].contains($0.0) } + [
                ("state", "state-of-the-probe"), ("prompt", "none"), ("response_mode", mode),
                ("redirect_uri", "https://shop.example/silent.html"),
            ]
        capture.get(
            "\(login.issuer)/authorize?\(FormBody.encode(probe))",
            headers: ShopLogin.browser,
            body: .html(#"<script>post({"error":"login_required"})</script>"#)
        )
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        #expect(capture.flows.count == expected)
        #expect(capture.flows.last?.ending == .success)
    }

    /// Exported without credentials, or without the answer that issued the token.
    @Test func userInfoWithoutItsTokenBelongsToTheLastLogin() {
        var capture = CaptureBuilder()
        let login = ShopLogin("one")
        login.discovery(&capture)
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        capture.get(
            "https://idp.example/userinfo",
            headers: ShopLogin.backend,
            body: .json(#"{"sub":"alice"}"#)
        )
        #expect(capture.flows.count == 1)
    }

    @Test(arguments: [nil, "https://idp.example/connect/deviceauthorization"]) func pollsOfADeviceAreOneFlow(
        start: String?
    ) {
        var capture = CaptureBuilder()
        if let start {
            capture.post(
                start,
                [("client_id", "tv"), ("scope", "openid")],
                body: .json(
                    #"{"device_code":"device-0001","user_code":"ABCD","verification_uri":"https://idp.example/d","expires_in":300}"#
                )
            )
        }
        let poll = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "device-0001"),
            ("client_id", "tv"),
        ]
        pollInVain(poll, &capture)
        capture.post(
            "https://idp.example/token",
            poll,
            body: .json(#"{"access_token":"a","token_type":"Bearer"}"#)
        )
        #expect(capture.flows.map(\.ending) == [.success])
    }

    @Test func otherSitesAreNoFlows() {
        var capture = CaptureBuilder()
        capture.get("https://news.example/?state=1&code=2", body: .html("<p>news"))
        capture.get("https://cdn.example/app.js")
        capture.post("https://shop.example/api/cart", [("item", "1")])
        #expect(capture.flows.isEmpty)
    }

    @Test func emptyCaptureHasNone() { #expect(CaptureBuilder().flows.isEmpty) }

    @Test func orderOfTheFileDoesNotMatter() {
        var capture = CaptureBuilder()
        ShopLogin("one").whole(&capture)
        ShopLogin("two").whole(&capture)
        let kinds = capture.flows.map { $0.steps.map(\.kind) }
        let reversed = FlowFinder.flows(in: Capture(capture.exchanges.reversed()))
        #expect(reversed.map { $0.steps.map(\.kind) } == kinds)
        var random = SeededGenerator(seed: 3)
        let shuffled = FlowFinder.flows(in: Capture(capture.exchanges.shuffled(using: &random)))
        #expect(shuffled.map { $0.steps.map(\.kind) } == kinds)
    }

    @Test func logoutJoinsByItsHint() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
        let idToken =
            "\(header).\(Base64URL.encode(Array(#"{"iss":"https://idp.example","aud":"shop"}"#.utf8))).c2lnbmF0dXJl"
        login.authorize(&capture)
        login.callback(&capture)
        login.token(
            &capture,
            body: #"{"access_token":"a-0001","token_type":"Bearer","id_token":"\#(idToken)"}"#
        )
        let logout = capture.redirect(
            "https://idp.example/logout?"
                + FormBody.encode([
                    ("id_token_hint", idToken), ("post_logout_redirect_uri", "https://shop.example/"),
                ]),
            to: "https://shop.example/",
            headers: ShopLogin.browser
        )
        #expect(capture.flows.count == 1)
        #expect(capture.flows.first?.steps.last?.kind == .endSessionRequest)
        #expect(capture.flows.first?.exchanges.contains(logout) == true)
    }

    /// The provider asks first, and tells that it is done on a page of its own.
    @Test(arguments: ["/logout/confirm?tab=1", "#", ""]) func logoutGoesOnWithTheFormOfItsPage(action: String)
    {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.callback(&capture)
        login.token(&capture)
        let url = "https://idp.example/logout?client_id=shop"
        let asked = capture.get(
            url,
            headers: ShopLogin.browser,
            body: .html("<form method=post action='\(action)'><input type=hidden name=token value=1></form>")
        )
        let target = action.utf8.first == 0x2f ? "https://idp.example" + action : url
        let other = capture.post("https://idp.example/news", [("token", "1")], headers: ShopLogin.browser)
        let confirmed = capture.post(
            target,
            [("token", "1")],
            302,
            headers: ShopLogin.browser,
            answer: [("Location", "/bye")]
        )
        let done = capture.get("https://idp.example/bye", headers: ShopLogin.browser, body: .html("<p>Bye"))
        #expect(capture.flows.count == 1)
        let steps = capture.flows.first?.steps.suffix(3) ?? []
        #expect(steps.map(\.exchange) == [asked, confirmed, done])
        #expect(steps.map(\.kind) == [.endSessionRequest, .userInteraction, .userInteraction])
        #expect(capture.flows.first?.exchanges.contains(other) == false)
    }

    /// The page behind a logout may be the sign-in page, whose form belongs to the next login.
    @Test func formWithAPasswordIsNoneOfALogout() {
        var capture = CaptureBuilder()
        let (first, second) = (ShopLogin(), ShopLogin("two"))
        first.authorize(&capture)
        first.callback(&capture)
        first.token(&capture)
        let page = Body.html(
            "<form method=post action=/login><input name=user><input type=password name=pass></form>"
        )
        capture.get("https://idp.example/logout?client_id=shop", headers: ShopLogin.browser, body: page)
        second.authorize(&capture)
        let posted = second.answer(&capture)
        second.callback(&capture)
        second.token(&capture)
        #expect(capture.flows.map { $0.exchanges.contains(posted) } == [false, true])
    }

    /// The provider carries the request on with values of its own, and the client has none that would tell them apart.
    @Test func requestWithoutValuesThatTheProviderCarriesOnIsOneFlow() {
        var capture = CaptureBuilder()
        let request =
            "https://idp.example/auth?response_type=code&client_id=shop&redirect_uri=https%3A%2F%2Fshop.example%2Fcb"
        let start = "https://shop.example/login"
        for code in ["code-0001-first", "code-0002-second"] {
            capture.redirect(start, to: request)
            capture.redirect(request, to: "https://idp.example/sign-in?challenge=\(code.suffix(4))")
            capture.get(
                "https://idp.example/sign-in?challenge=\(code.suffix(4))",
                body: .html("<form method=post><input name=user></form>")
            )
            capture.post(
                "https://idp.example/sign-in",
                [("user", "alice"), ("challenge", String(code.suffix(4)))],
                302,
                answer: [("Location", request + "&login_verifier=of-\(code)")]
            )
            let callback = "https://shop.example/cb?code=\(code)"
            capture.redirect(request + "&login_verifier=of-\(code)", to: callback)
            capture.redirect(callback, to: "/home")
            capture.wait(100)
        }
        #expect(capture.flows.map(\.ending) == [.success, .success])
        #expect(capture.flows.map { $0.authorizationRequests.count } == [2, 2])
    }

    /// Browsers write an address in their own way: a slash for an empty path, no port that is the scheme's own.
    @Test(arguments: [
        ("http://localhost:8400", "http://localhost:8400/"),
        ("https://Shop.example:443/cb", "https://shop.example/cb"),
    ])
    func callbackIsKnownAsTheBrowserWritesIt(redirectURI: String, url: String) throws {
        var capture = CaptureBuilder()
        var login = ShopLogin()
        login.redirectURI = redirectURI
        login.authorize(&capture)
        login.answer(&capture)
        login.redirectURI = url
        let callback = login.callback(&capture)
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1 && flow.ending == .success)
        let response = try #require(flow.logins.first?.response)
        #expect(response.callback == callback && response.deliveredBy == 1)
        #expect(flow.logins.count == 1)
    }

    /// A client that names its provider's host in capitals is led there all the same.
    @Test func redirectIsFollowedAsTheBrowserWritesIt() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        capture.redirect(
            "http://127.0.0.1:53682/auth",
            to: login.authorizationURL.replacingOccurrences(of: "idp.example", with: "IDP.example:443"),
            headers: ShopLogin.browser
        )
        login.authorize(&capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 1]])
    }

    /// The listener of a client on the command line is gone when the browser asks for its icon.
    @Test func iconThatNobodyServesIsOfNoLogin() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        login.token(&capture)
        for path in ["/favicon.ico", "/home"] {
            capture.add(
                Exchange(
                    startedAt: Timestamp(nanoseconds: 0),
                    request: RecordedRequest(method: "GET", url: RecordedURL("https://shop.example" + path)),
                    failure: "ECONNREFUSED: connection refused by shop.example:443"
                )
            )
        }
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2, 3, 5]])
    }

    /// Google's window for a page hands its code on by script, and has a mark and a word of its own for the redirect URI.
    @Test(arguments: [("storagerelay://https/www.shop.example?id=auth1", 1), ("com.shop.app:/signed-in", 2)])
    func tokenRequestGoesWithTheWindowThatGotItsCode(uri: String, count: Int) throws {
        let client = "1234-abc.apps.googleusercontent.com"
        let asked = FormBody.encode([
            ("response_type", "code"), ("client_id", client), ("redirect_uri", uri), ("scope", "openid"),
        ])
        var capture = CaptureBuilder()
        capture.get(
            "https://accounts.google.com/o/oauth2/v2/auth?\(asked)",
            headers: ShopLogin.browser,
            body: .html("<form method=post><input type=password></form>")
        )
        capture.post(
            "https://oauth2.googleapis.com/token",
            [
                ("grant_type", "authorization_code"), ("code", "4/0AeanS0aAbCdEfGhIjKl"),
                ("client_id", client), ("client_secret", "not-a-secret"), ("redirect_uri", "postmessage"),
            ],
            headers: ShopLogin.backend,
            body: .json(#"{"access_token":"not-a-token-of-anyone","token_type":"Bearer"}"#)
        )
        let flows = capture.flows
        #expect(flows.count == count)
        let request = try #require(flows.first?.authorizationRequests.first)
        #expect(request.isRelayed == (count == 1))
        #expect(request.redirectURI == (count == 1 ? nil : uri))
    }
}
