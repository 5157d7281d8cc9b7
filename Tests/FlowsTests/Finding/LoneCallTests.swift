import Captures
import Flows
import JOSE
import OAuth
import TestSupport
import Testing

/// Calls of APIs without the login that got their token.
struct LoneCallTests {
    private static let challenge = ("WWW-Authenticate", #"Bearer error="invalid_token""#)
    private static let signed = [#"{"alg":"RS256"}"#, #"{"iss":"https://idp.example"}"#, "signature"]
        .map { Base64URL.encode($0.utf8) }.joined(separator: ".")

    private static func call(
        _ capture: inout CaptureBuilder,
        _ path: String,
        _ token: String,
        _ status: Int,
        _ answer: [(String, String)] = []
    ) {
        capture.get(
            "https://api.example/\(path)",
            status,
            headers: [("Authorization", "Bearer \(token)")],
            answer: answer
        )
    }

    @Test func refusedTokenIsAFlow() throws {
        let flows = FlowFinder.flows { capture in
            Self.call(&capture, "profile", "opaque-1", 200)
            Self.call(&capture, "orders", "opaque-1", 401, [Self.challenge])
            Self.call(&capture, "profile", "another", 200)
        }
        let flow = try #require(flows.first)
        #expect(flows.count == 1 && flow.grant == "resource" && flow.ending == .failure)
        #expect(flow.exchanges == [0, 1] && flow.steps.map(\.kind) == [.resourceRequest, .resourceRequest])
    }

    @Test(arguments: [
        ("opaque-1", 401, [("WWW-Authenticate", #"Bearer realm="api""#)], false),
        ("opaque-1", 403, [("WWW-Authenticate", #"Bearer error="insufficient_scope""#)], true),
        ("opaque-1", 401, [("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#)], false),
        (signed, 401, [], true), (signed, 403, [], false), ("opaque-1", 200, [challenge], false),
    ]) func onlyWhereItIsTheToken(token: String, status: Int, answer: [(String, String)], isOne: Bool) {
        #expect(FlowFinder.flows { Self.call(&$0, "orders", token, status, answer) }.isEmpty == !isOne)
    }

    @Test func tokenThatWasRenewedIsNone() {
        let flows = FlowFinder.flows { capture in
            Self.call(&capture, "orders", "old", 401, [Self.challenge])
            Self.call(&capture, "orders", "new", 200)
        }
        #expect(flows.isEmpty)
    }

    /// A registry's client, say, which got its token at a place that is no token endpoint by its looks.
    @Test(arguments: [
        ("registry-client/1.0", "token", true), ("registry-client/1.0", "other", false),
        ("shop-backend/1.0", "token", false),
    ])
    func besideALoginThatOfAnotherClientIsOne(agent: String, name: String, isOne: Bool) {
        let login = ShopLogin()
        let flows = FlowFinder.flows { capture in
            login.authorize(&capture)
            login.answer(&capture)
            login.callback(&capture)
            capture.post(
                "https://idp.example/token",
                [("grant_type", "authorization_code"), ("code", login.code), ("client_id", "shop")],
                headers: ShopLogin.backend,
                body: .json(#"{"access_token":"t","token_type":"Bearer"}"#)
            )
            capture.get(
                "https://auth.registry.example/token?service=registry",
                headers: [("User-Agent", agent)],
                body: .json("{\"\(name)\":\"opaque-1\"}")
            )
            capture.get(
                "https://registry.example/v2/shop",
                401,
                headers: [("User-Agent", agent), ("Authorization", "Bearer opaque-1")],
                answer: [("WWW-Authenticate", #"Bearer error="insufficient_scope""#)]
            )
        }
        #expect(flows.map(\.grant) == ["authorization_code"] + (isOne ? ["resource"] : []))
        if isOne { #expect(flows[1].exchanges.contains(5) && flows[1].ending == .failure) }
    }

    @Test func besideALoginItIsNone() {
        let flows = FlowFinder.flows { capture in
            Self.call(&capture, "orders", "of-somebody", 401, [Self.challenge])
            capture.post(
                "https://idp.example/token",
                [("grant_type", "client_credentials"), ("client_id", "job")],
                body: .json(#"{"access_token":"t","token_type":"Bearer"}"#)
            )
        }
        #expect(flows.map(\.grant) == ["client_credentials"])
    }
}
