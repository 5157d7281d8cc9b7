import Captures
import Flows
import Replay
import TestSupport
import Testing

/// A capture of a provider's hosts alone, whose page's script was told the app's address: the callback is not in it.
struct LostResponseTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let state = "s-Kq2vLx7TzB4nWm8R"

    private static func told(_ code: String, _ state: String) -> Body {
        .json(#"{"redirect":"\#(app)?code=\#(code)&state=\#(state)"}"#)
    }

    private static func capture(tokens status: Int) -> Capture {
        var capture = CaptureBuilder()
        // RFC 7636, appendix B.
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", state), ("redirect_uri", app),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ])
        capture.get(
            provider + "/authorize?" + query,
            headers: [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")],
            body: .html("<title>Sign in</title><div id=app></div>")
        )
        capture.post(
            provider + "/api/login",
            json: #"{"user":"alice","password":"wonderland"}"#,
            headers: [("Accept", "application/json")],
            body: told("c-Kq2vLx7TzB4nWm8R", state)
        )
        capture.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app), ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            ],
            status,
            body: .json(
                status == 200
                    ? #"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#
                    : #"{"error":"invalid_grant"}"#
            )
        )
        return capture.capture
    }

    /// Also where it was refused then: it is the one that the script was told.
    @Test(arguments: [200, 400]) func codeOfThisRunIsRedeemed(status: Int) async throws {
        let capture = Self.capture(tokens: status)
        #expect(FlowFinder.flows(in: capture).first?.authorizationResponses.isEmpty == true)
        let replay = try await AskedReplay(of: capture) { request, first in
            switch request.url.path {
            case "/authorize":
                return RecordedResponse(status: 200, body: .html("<title>Sign in</title><div id=app></div>"))
            case "/api/login":
                let state = first.url.queryItems.first("state") ?? ""
                return RecordedResponse(status: 200, body: Self.told("c-7Hq2vLx7TzB4nWm8R", state))
            default: return RecordedResponse(status: 200, body: .json(#"{"token_type":"Bearer"}"#))
            }
        }
        let sent = replay.asked.filter { $0.url.path == "/token" }
        #expect(sent.map { FormBody.items(of: $0.body)?.first("code") } == ["c-7Hq2vLx7TzB4nWm8R"])
    }
}
