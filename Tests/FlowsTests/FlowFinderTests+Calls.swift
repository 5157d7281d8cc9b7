import Captures
import Flows
import Foundation
import JOSE
import OAuth
import TestSupport
import Testing

/// Calls without a browser: pushes, token requests, refreshes, devices, user info.
extension FlowFinderTests {
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
    func pollInVain(_ poll: [(String, String)], _ capture: inout CaptureBuilder) {
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

    /// The recording began behind the login: what is tried once more is one, and another token is somebody else's.
    @Test func userInfoByItselfIsOneByItsToken() {
        var capture = CaptureBuilder()
        for (status, token) in [(503, "access-0001"), (200, "access-0001"), (200, "access-0002")] {
            capture.get(
                "https://idp.example/userinfo",
                status,
                headers: ShopLogin.backend + [("Authorization", "Bearer \(token)")],
                body: .json(#"{"sub":"alice"}"#)
            )
        }
        #expect(capture.flows.map(\.exchanges) == [[0, 1], [2]])
        #expect(capture.flows.map(\.ending) == [.success, .success])
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
