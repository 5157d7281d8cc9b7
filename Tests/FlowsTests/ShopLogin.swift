import Captures
import Flows
import JOSE
import TestSupport

/// A login written down step by step; each step says where it stands in the capture.
struct ShopLogin {
    var client = "shop"
    var issuer = "https://idp.example"
    var redirectURI = "https://shop.example/cb"
    var state: String
    var code: String
    var verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    init(_ name: String = "one") {
        state = "state-of-\(name)-0001"
        code = "code-of-\(name)-0001"
    }

    var request: [(String, String)] {
        [
            ("response_type", "code"), ("client_id", client), ("redirect_uri", redirectURI),
            ("scope", "openid"), ("state", state),
            ("nonce", "nonce-" + state), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ]
    }

    var authorizationURL: String { "\(issuer)/authorize?\(FormBody.encode(request))" }
    var callbackURL: String { "\(redirectURI)?\(FormBody.encode([("code", code), ("state", state)]))" }

    static let browser = [("User-Agent", "Mozilla/5.0")]
    static let backend = [("User-Agent", "shop-backend/1.0")]

    @discardableResult
    func authorize(_ capture: inout CaptureBuilder) -> Int {
        capture.get(
            authorizationURL,
            headers: Self.browser,
            body: .html("<form method=post action=/login><input name=user></form>")
        )
    }

    @discardableResult
    func answer(_ capture: inout CaptureBuilder) -> Int {
        capture.post(
            issuer + "/login",
            [("user", "alice")],
            302,
            headers: Self.browser,
            answer: [("Location", callbackURL)]
        )
    }

    @discardableResult
    func callback(_ capture: inout CaptureBuilder) -> Int {
        capture.redirect(callbackURL, to: "/home", headers: Self.browser)
    }

    @discardableResult
    func token(_ capture: inout CaptureBuilder, status: Int = 200, body: String? = nil) -> Int {
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
                ("client_id", client), ("code_verifier", verifier),
            ],
            status,
            headers: Self.backend,
            body: .json(
                body
                    ?? #"{"access_token":"access-of-\#(state)","token_type":"Bearer","refresh_token":"refresh-of-\#(state)"}"#
            )
        )
    }

    @discardableResult
    func userInfo(_ capture: inout CaptureBuilder) -> Int {
        capture.get(
            issuer + "/userinfo",
            headers: Self.backend + [("Authorization", "Bearer access-of-\(state)")],
            body: .json(#"{"sub":"alice"}"#)
        )
    }

    @discardableResult
    func refresh(_ capture: inout CaptureBuilder) -> Int {
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "refresh_token"), ("refresh_token", "refresh-of-\(state)"),
                ("client_id", client),
            ],
            headers: Self.backend,
            body: .json(#"{"access_token":"access-2-of-\#(state)","token_type":"Bearer"}"#)
        )
    }

    @discardableResult
    func discovery(_ capture: inout CaptureBuilder) -> Int {
        let names = [
            "authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo",
            "jwks_uri": "jwks",
        ]
        let members = names.sorted { $0.key < $1.key }.map { #""\#($0.key)":"\#(issuer)/\#($0.value)""# }
        return capture.get(
            issuer + "/.well-known/openid-configuration",
            headers: Self.backend,
            body: .json(#"{"issuer":"\#(issuer)",\#(members.joined(separator: ","))}"#)
        )
    }

    /// Until the app has its code.
    @discardableResult
    func frontChannel(_ capture: inout CaptureBuilder) -> [Int] {
        [discovery(&capture), authorize(&capture), answer(&capture), callback(&capture)]
    }

    /// All of it, in order.
    @discardableResult
    func whole(_ capture: inout CaptureBuilder) -> [Int] {
        frontChannel(&capture) + [token(&capture), userInfo(&capture)]
    }
}

extension ShopLogin {
    /// What became of the flows of a capture, by their answers alone.
    static func endings(_ build: (inout CaptureBuilder, ShopLogin) -> Void) -> [Outcome] {
        var capture = CaptureBuilder()
        build(&capture, ShopLogin())
        return capture.flows.map(\.ending)
    }
}

extension CaptureBuilder {
    var flows: [Flow] { FlowFinder.flows(in: capture) }
}
