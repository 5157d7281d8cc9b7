import Captures
import Replay
import TestSupport
import Testing

/// A sign-in page whose fields have other names than they had: what was typed is entered by what they are.
struct RenamedSignInTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let state = "s-Kq2vLx7TzB4nWm8R"

    private static func page(_ name: String, _ password: String, _ token: String) -> Body {
        .html(
            """
            <form method="post" action="/sign-in"><input type="hidden" name="csrf" value="\(token)">
            <input type="email" name="\(name)"><input type="password" name="\(password)"><button>Go</button></form>
            """
        )
    }

    private static let capture: Capture = {
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")]
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", state), ("redirect_uri", app),
        ])
        capture.get(
            provider + "/authorize?" + query,
            headers: browser,
            body: page("email", "password", "t-Kq2vLx7TzB4nWm8RdYc9")
        )
        capture.post(
            provider + "/sign-in",
            [("csrf", "t-Kq2vLx7TzB4nWm8RdYc9"), ("email", "alice"), ("password", "wonderland")],
            302,
            headers: browser,
            answer: [("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=" + state)]
        )
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

    @Test(arguments: [("email", "password"), ("mail_address", "secret_word"), ("email", "passphrase")])
    func whatWasTypedGoesIntoTheFieldsOfThePage(name: String, password: String) async throws {
        let replay = try await AskedReplay(of: Self.capture) { request, first in
            switch request.url.path {
            case "/authorize":
                RecordedResponse(status: 200, body: Self.page(name, password, "t-7Hq2vLx7TzB4nWm8RdYc9"))
            case "/token":
                RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            default: AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7TzB4nWm8R", answering: first)
            }
        }
        let sent = replay.asked.filter { $0.url.path == "/sign-in" }.map { FormBody.items(of: $0.body) }
        #expect(sent.count == 1)
        let items = try #require(sent.first ?? nil)
        #expect(items.first(name) == "alice" && items.first(password) == "wonderland")
        #expect(items.first("csrf") == "t-7Hq2vLx7TzB4nWm8RdYc9")
        #expect(
            replay.asked.last.flatMap { FormBody.items(of: $0.body)?.first("code") } == "c-7Hq2vLx7TzB4nWm8R"
        )
    }
}
