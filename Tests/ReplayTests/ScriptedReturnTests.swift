import Captures
import Replay
import TestSupport
import Testing

/// A page whose script sends the browser back to the app: a replay runs no script, and finds the address in it.
struct ScriptedReturnTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let state = "s-Kq2vLx7TzB4nWm8R"

    private static func page(_ address: String) -> Body {
        .html("<script>window.location.href = \"\(address)\"</script>")
    }

    private static let capture: Capture = {
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")]
        let back = app + "?code=c-Kq2vLx7TzB4nWm8R&state=" + state
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", state), ("redirect_uri", app),
        ])
        capture.get(provider + "/authorize?" + query, headers: browser, body: page(back))
        capture.get(back, headers: browser, body: .html("<h1>Welcome</h1>"))
        capture.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }()

    /// An address without a code may be where "cancel" leads, or what a script puts one behind.
    @Test(arguments: [
        ("?code=c-7Hq2vLx7TzB4nWm8R&state=", true), (#"?code=c-7Hq2vLx7TzB4nWm8R\u0026state="#, true),
        ("?error=access_denied&state=", false), (#"?code=" + code + "&state="#, false),
    ])
    func addressInAScriptIsTheResponse(query: String, isResponse: Bool) async throws {
        let replay = try await AskedReplay(of: Self.capture) { request, first in
            guard request.url.path == "/authorize" else {
                return RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            }
            let state = first.url.queryItems.first("state") ?? ""
            return RecordedResponse(status: 200, body: Self.page(Self.app + query + state))
        }
        let codes = replay.asked.compactMap { FormBody.items(of: $0.body)?.first("code") }
        #expect(codes == (isResponse ? ["c-7Hq2vLx7TzB4nWm8R"] : []))
    }
}
