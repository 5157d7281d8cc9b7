import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Addresses whose path is of one login: to which a page's script sends a form, and on to which its JSON leads.
struct ScriptedTargetsTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    /// What is of one login: in the address of the form, in that of the last page, and the code.
    private struct Login: Sendable {
        var form: String
        var end: String
        var code: String
    }

    private static let recorded = Login(
        form: "LbkxDTlkLvcoKHiLtouXOQ",
        end: "5JpzGuBfdcybGiJ8rqxAW5rU",
        code: "c-Kq2vLx7TzB4nWm8R"
    )
    private static let live = Login(
        form: "Zq7vLx3TzB8nWm2RQx9KcV",
        end: "DalN02Unl6w2dh7rBvARgoFZ",
        code: "c-9Zq7vLx3TzB8nWm2R"
    )

    /// `action`: what the form itself says.
    private static func page(_ login: Login, action: String) -> Body {
        .html(
            """
            <html><form id="f" method="post" action="\(action)"><input name="username">
            <input name="password" type="password"></form>
            <script>document.getElementById("f").action = "/in/\(login.form)/go";</script></html>
            """
        )
    }

    private static func leading(_ login: Login) -> Body {
        .html(#"<html><script>var next = "\/continue\/\#(login.end)"; load(next);</script></html>"#)
    }

    private static func capture() -> Capture {
        var builder = CaptureBuilder()
        let state = "st-4Xr8LmPq2Kt"
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app), ("state", state),
        ]
        let asked = provider + "/authorize?" + FormBody.encode(query)
        builder.get(asked, headers: agent, body: page(recorded, action: "#"))
        builder.post(
            provider + "/in/\(recorded.form)/go",
            [("username", "alice"), ("password", "wonderland")],
            headers: agent,
            body: leading(recorded)
        )
        builder.redirect(
            provider + "/continue/\(recorded.end)",
            to: app + "?code=\(recorded.code)&state=\(state)",
            headers: agent
        )
        builder.redeem(recorded.code, at: provider + "/token", for: app)
        return builder.capture
    }

    /// Paths that were asked for, where the new page's form says that action.
    private static func asked(action: String) async throws -> [String] {
        let replay = try await AskedReplay(of: capture()) { request, first in
            switch request.url.path {
            case "/authorize": return RecordedResponse(status: 200, body: page(live, action: action))
            case "/in/\(live.form)/go", "/sign-in":
                return RecordedResponse(status: 200, body: leading(live))
            case "/continue/\(live.end)": return AskedReplay.back(to: app, code: live.code, answering: first)
            case "/token":
                return RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            default: return RecordedResponse(status: 404)
            }
        }
        return replay.asked.map(\.url.path)
    }

    @Test func formGoesWhereTheScriptOfThisRunSendsIt() async throws {
        let asked = try await Self.asked(action: "#")
        #expect(
            asked == ["/authorize", "/in/\(Self.live.form)/go", "/continue/\(Self.live.end)", "/token"]
        )
    }

    /// A page that says itself where its form goes today is believed.
    @Test func formThatSaysAnotherPlaceTodayGoesThere() async throws {
        let asked = try await Self.asked(action: "/sign-in")
        #expect(asked == ["/authorize", "/sign-in", "/continue/\(Self.live.end)", "/token"])
    }
}
