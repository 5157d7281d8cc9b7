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

    /// Long before a login, in another browser, or of another app at the same address.
    @Test(
        arguments: [
            (120, "Mozilla/5.0", "shop"), (1, "Mozilla/5.0 (other)", "shop"), (1, "Mozilla/5.0", "blog"),
        ] as [(Int64, String, String)]
    )
    func silentProbeOfAnotherIsAFlow(seconds: Int64, agent: String, client: String) {
        var capture = CaptureBuilder()
        var probe = ShopLogin("probe")
        probe.client = client
        capture.redirect(
            probe.authorizationURL + "&prompt=none",
            to: probe.redirectURI + "?error=login_required&state=" + probe.state,
            headers: [("User-Agent", agent)]
        )
        capture.wait(seconds)
        ShopLogin("one").whole(&capture)
        #expect(capture.flows.count == 2)
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
}
