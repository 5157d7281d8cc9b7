import Captures
import Flows
import JOSE
import JSON
import Replay
import TestSupport
import Testing

/// An ID token that a refresh brings once more as it was, since both were signed within one second: whether it does says nothing of the
/// provider, neither there nor where the token is sent.
struct ReissuedIDTokenTests {
    /// A login that is refreshed twice and ended.
    ///
    /// `times`: the seconds at which its three ID tokens are signed; `hint`: which of them the logout sends.
    private static func flow(signedAt times: [Int64], hinting hint: Int) throws -> Flow {
        let tokens = try times.map { time in
            let seconds = 1_780_000_000 + time
            return try JSONWebToken.sign(
                claims: [
                    "iss": "https://id.example", "sub": "alice", "aud": "shop",
                    "iat": .number(JSONNumber(seconds)), "exp": .number(JSONNumber(seconds + 300)),
                ],
                header: ["typ": "JWT"],
                algorithm: .hs256,
                with: .secret(Array("a-secret-of-the-shop-that-is-long".utf8))
            )
        }
        let (app, provider) = ("https://shop.example/cb", "https://id.example")
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("scope", "openid"), ("redirect_uri", app),
        ])
        capture.redirect(
            provider + "/authorize?" + query,
            to: app + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R"
        )
        var grant = [
            ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("redirect_uri", app),
        ]
        for (number, token) in tokens.enumerated() {
            let refresh = "rt-\(number)q2vLx7TzB4nWm8RdYc9"
            capture.post(
                provider + "/token",
                grant + [("client_id", "shop")],
                body: .json(
                    #"{"access_token":"at-\#(number)Hq2vLx7TzB4nWm8RdYc9","token_type":"Bearer","refresh_token":"\#(refresh)","id_token":"\#(token)"}"#
                )
            )
            grant = [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        }
        capture.redirect(
            provider + "/logout?"
                + FormBody.encode([
                    ("id_token_hint", tokens[hint]), ("post_logout_redirect_uri", "https://shop.example/"),
                ]),
            to: "https://shop.example/"
        )
        return try #require(FlowFinder.flows(in: capture.capture).first)
    }

    @Test(arguments: [[1, 2, 2], [1, 1, 2], [1, 2, 3], [1, 1, 1]] as [[Int64]])
    func tokenOfTheSameSecondIsNoDifference(times: [Int64]) throws {
        let quick = try Self.flow(signedAt: [1, 1, 1], hinting: 0)
        let other = try Self.flow(signedAt: times, hinting: 2)
        #expect(other.steps.contains { $0.kind == .endSessionRequest })
        for difference in [FlowDifference(quick, other), FlowDifference(other, quick)] {
            #expect(difference.isSame, "\(difference.headline)")
        }
    }

    /// Which of two that are not the same is sent is another matter.
    @Test func tokenOfAnotherAnswerIsADifference() throws {
        let first = try Self.flow(signedAt: [1, 2, 3], hinting: 0)
        let last = try Self.flow(signedAt: [1, 2, 3], hinting: 2)
        #expect(!FlowDifference(first, last).isSame)
    }
}
