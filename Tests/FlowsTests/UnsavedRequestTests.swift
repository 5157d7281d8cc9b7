import Captures
import Flows
import JOSE
import JSON
import TestSupport
import Testing

/// Token requests that a recorder saved without their body: what was sent is not known, what came back is.
struct UnsavedRequestTests {
    private static func token(nonce: String?, audience: String = "shop") -> String {
        let nonce = nonce.map { #","nonce":"\#($0)""# } ?? ""
        let claims = #"{"iss":"https://idp.example","aud":"\#(audience)","sub":"alice"\#(nonce)}"#
        let parts = [#"{"alg":"RS256"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
        return "\(parts[0]).\(parts[1]).c2lnbmF0dXJl"
    }

    /// Two logins that await their tokens, the answer to a token request, and by the number of the login where it went.
    private static func flow(of answer: (_ first: ShopLogin, _ second: ShopLogin) -> String) -> Int? {
        var capture = CaptureBuilder()
        let logins = (ShopLogin("one"), ShopLogin("two"))
        logins.0.discovery(&capture)
        for login in [logins.0, logins.1] {
            login.authorize(&capture)
            login.answer(&capture)
            login.callback(&capture)
        }
        let token = logins.0.token(&capture, body: answer(logins.0, logins.1))
        var exchanges = capture.exchanges
        exchanges[token].request.body = nil
        let flows = FlowFinder.flows(in: Capture(exchanges)).filter { $0.clientID == "shop" }
        #expect(flows.count == 2)
        return flows.firstIndex { $0.exchanges.contains(token) }
    }

    @Test func nonceOfTheIDTokenNamesTheLogin() {
        #expect(Self.flow { first, _ in Self.answer(Self.token(nonce: "nonce-" + first.state)) } == 0)
        #expect(Self.flow { _, second in Self.answer(Self.token(nonce: "nonce-" + second.state)) } == 1)
    }

    @Test func withoutNonceTheClientDoes() {
        #expect(Self.flow { _, _ in Self.answer(Self.token(nonce: nil)) } == 1)
        #expect(Self.flow { _, _ in Self.answer(Self.token(nonce: nil, audience: "other")) } == nil)
    }

    /// It may as well be a machine's own.
    @Test func accessTokenAloneTellsNothing() {
        #expect(Self.flow { _, _ in #"{"access_token":"access-0001","token_type":"Bearer"}"# } == nil)
    }

    /// A browser's export that was cleaned has none of the form: the path and the error tell what it was.
    @Test(arguments: [
        (
            "/oauth/token", #"{"error":"invalid_request","error_description":"client_secret is missing."}"#,
            true
        ),
        ("/oauth/token", #"{"error":"invalid_request"}"#, false),
        ("/oauth/token", #"{"error":"out_of_stock"}"#, false),
        ("/orders", #"{"error":"invalid_request"}"#, false),
    ])
    func refusalAtTheTokenPathTellsWhatWasAsked(path: String, body: String, isOne: Bool) {
        #expect(Self.isTokenRequest(path, body) == isOne)
    }

    /// An app's own server has such a path as well, and pages send it JSON.
    @Test(arguments: ["application/json", nil])
    func refusalOfWhatIsNoFormTellsOfNoTokenRequest(type: String?) {
        let body = #"{"error":"invalid_request","error_description":"The cart is missing."}"#
        #expect(!Self.isTokenRequest("/api/token", body, sending: type))
    }

    private static func isTokenRequest(
        _ path: String,
        _ body: String,
        sending type: String? = FormBody.mediaType
    ) -> Bool {
        var capture = CaptureBuilder()
        capture.post("https://idp.example" + path, [("grant_type", "x")], 400, body: .json(body))
        var exchanges = capture.exchanges
        exchanges[0].request.body = Body(text: "", mediaType: type)
        exchanges[0].request.foreign["bodySize"] = 240
        exchanges[0].request.headers.fields.removeAll {
            ["content-length", "content-type"].contains($0.name.lowercased())
        }
        return FlowFinder.flows(in: Capture(exchanges)).first?.tokenRequests.isEmpty == false
    }

    /// A server that answers before it has read the request leaves no body: what the app is at work on says whose it is.
    @Test func callbackThatIsUnderWayNamesTheLogin() {
        func found(_ answered: Duration) -> [[Int]] {
            var capture = CaptureBuilder()
            let login = ShopLogin()
            login.discovery(&capture)
            login.authorize(&capture)
            login.answer(&capture)
            let callback = login.callback(&capture)
            let token = login.token(&capture, status: 500, body: "{}")
            var exchanges = capture.exchanges
            exchanges[callback].duration = answered
            exchanges[token].request.body = nil
            return FlowFinder.flows(in: Capture(exchanges)).filter { $0.exchanges.contains(token) }.map(
                \.exchanges
            )
        }
        #expect(found(.seconds(2)) == [[0, 1, 2, 3, 4]])
        #expect(found(.milliseconds(20)).allSatisfy { !$0.contains(3) })
    }

    /// A recording that ends in the middle of a request tells nothing of another login, unless one awaits its tokens or the connection
    /// itself failed.
    @Test(
        arguments: [
            (nil, true, 1), ("net::ERR_ABORTED", true, 1), (nil, false, 2),
            ("net::ERR_EMPTY_RESPONSE", true, 2),
        ] as [(String?, Bool, Int)]
    )
    func requestThatWasCutOffIsNoLogin(failure: String?, hasTokens: Bool, count: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.frontChannel(&capture)
        if hasTokens { login.token(&capture) }
        let cut = login.token(&capture, status: 0)
        var exchanges = capture.exchanges
        exchanges[cut].request.body = nil
        exchanges[cut].failure = failure
        #expect(FlowFinder.flows(in: Capture(exchanges)).count == count)
    }

    /// It may be the one that another login awaits its tokens by.
    @Test func requestThatWasCutOffBesideALoginThatAwaitsItsTokensIsKept() {
        var capture = CaptureBuilder()
        ShopLogin("one").frontChannel(&capture)
        ShopLogin("one").token(&capture)
        ShopLogin("two").authorize(&capture)
        ShopLogin("two").answer(&capture)
        ShopLogin("two").callback(&capture)
        let cut = ShopLogin("two").token(&capture, status: 0)
        var exchanges = capture.exchanges
        exchanges[cut].request.body = nil
        let flows = FlowFinder.flows(in: Capture(exchanges)).filter { $0.exchanges.contains(cut) }
        #expect(flows.count == 1)
    }

    // MARK: - What had the client send it

    /// The exchanges of each flow, all requests of a client's without their bodies.
    private static func flows(of exchanges: [Exchange]) -> [[Int]] {
        var exchanges = exchanges
        let paths = ["/token", "/device_authorization"]
        for place in exchanges.indices where paths.contains(exchanges[place].request.url.path) {
            exchanges[place].request.body = nil
            exchanges[place].request.foreign["bodySize"] = 240
        }
        return FlowFinder.flows(in: Capture(exchanges)).map { $0.exchanges.filter { $0 > 0 } }
    }

    /// The polls of a device, one of which the provider could not serve.
    @Test func pollsAreOneFlow() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.discovery(&capture)
        capture.post(
            login.issuer + "/device_authorization",
            [("client_id", "shop"), ("scope", "openid")],
            headers: ShopLogin.backend,
            body: .json(
                #"{"device_code":"device-0001","user_code":"ABCD-EFGH","verification_uri":"https://idp.example/device","expires_in":600}"#
            )
        )
        let pending = #"{"error":"authorization_pending"}"#
        for (status, body) in [(400, pending), (400, pending), (503, "{}"), (400, pending)] {
            login.token(&capture, status: status, body: body)
        }
        login.token(&capture)
        #expect(Self.flows(of: capture.exchanges) == [[1, 2, 3, 4, 5, 6]])
    }

    /// Of two devices nobody knows which one polls: the polls until one is let in are together.
    @Test func pollsOfOneOfTwoDevicesAreOneFlow() {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.discovery(&capture)
        for number in 1...2 {
            capture.post(
                login.issuer + "/device_authorization",
                [("client_id", "shop"), ("scope", "openid")],
                headers: ShopLogin.backend,
                body: .json(
                    #"{"device_code":"device-\#(number)","user_code":"ABCD-\#(number)","verification_uri":"https://idp.example/device","expires_in":600}"#
                )
            )
        }
        for number in 1...2 {
            for _ in 0..<2 { login.token(&capture, status: 400, body: #"{"error":"authorization_pending"}"#) }
            login.token(&capture, body: #"{"access_token":"access-\#(number)","token_type":"Bearer"}"#)
        }
        #expect(Set(Self.flows(of: capture.exchanges)) == [[1], [2], [3, 4, 5], [6, 7, 8]])
    }

    /// A refresh follows on a call whose token was refused, by the same program.
    @Test(arguments: [(401, "shop-backend/1.0", 1), (404, "shop-backend/1.0", 2), (401, "other/1.0", 2)])
    func refusedTokenIsRefreshed(status: Int, agent: String, count: Int) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.frontChannel(&capture)
        login.token(&capture, body: Self.answer(Self.token(nonce: "nonce-" + login.state)))
        let call = login.userInfo(&capture)
        let refresh = login.refresh(&capture)
        var exchanges = capture.exchanges
        exchanges[call].request.headers.fields.removeAll { $0.name == "Authorization" }
        exchanges[call].request.headers.append("Authorization", "Bearer access-0001")
        exchanges[call].response = RecordedResponse(status: status)
        exchanges[refresh].request.headers.fields.removeAll { $0.name == "User-Agent" }
        exchanges[refresh].request.headers.append("User-Agent", agent)
        #expect(Self.flows(of: exchanges).count == count)
    }

    /// The proof of the second has the nonce that the first was answered with; the ID token says whose both are.
    @Test(arguments: [("nonce-0001", true), ("nonce-0002", false)])
    func nonceOfAProofTiesTwoTries(nonce: String, isOne: Bool) {
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.frontChannel(&capture)
        let first = login.token(&capture, status: 400, body: #"{"error":"use_dpop_nonce"}"#)
        let second = login.token(&capture, body: Self.answer(Self.token(nonce: "nonce-" + login.state)))
        var exchanges = capture.exchanges
        exchanges[first].response?.headers.append("DPoP-Nonce", "nonce-0001")
        let parts = [#"{"alg":"ES256","typ":"dpop+jwt"}"#, #"{"htm":"POST","nonce":"\#(nonce)"}"#]
            .map { Base64URL.encode(Array($0.utf8)) }
        exchanges[second].request.headers.append("DPoP", "\(parts[0]).\(parts[1]).c2lnbmF0dXJl")
        #expect(Self.flows(of: exchanges).count == (isOne ? 1 : 2))
    }

    private static func answer(_ idToken: String) -> String {
        #"{"access_token":"access-0001","token_type":"Bearer","id_token":"\#(idToken)"}"#
    }
}
