import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Sign-ins whose body is not in the capture, as in HAR files that Playwright made of Chromium.
struct LostSignInTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    private static func page(_ token: String) -> Body {
        .html(
            """
            <form method="post" action="/sign-in"><input type="hidden" name="csrf" value="\(token)">
            <input name="room"><input name="user"><input type="password" name="pw">
            <button name="go" value="cancel">Cancel</button><button name="go" value="1">Sign in</button></form>
            """
        )
    }

    private static func capture(action: String = "/sign-in") -> Capture {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        let target = app + "?code=code-1-0123456789&state=st-4Xr8LmPq2Kt"
        builder.get(
            provider + "/authorize?" + FormBody.encode(query),
            headers: agent,
            body: page("t-7Hq2vLx7TzB4nWm8")
        )
        var sent = RecordedRequest(
            method: "POST",
            url: RecordedURL(provider + action),
            headers: HeaderFields(agent + [("Content-Type", FormBody.mediaType)])
        )
        sent.body = Body(content: .missing, mediaType: FormBody.mediaType)
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: RecordedResponse(status: 302, headers: HeaderFields([("Location", target)]))
            )
        )
        builder.get(target, headers: agent)
        return builder.capture
    }

    /// The page's fields are those of the live page; name and password are asked for, another field stays empty, and nobody cancels.
    @Test func formIsPutTogether() async throws {
        let capture = Self.capture()
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        #expect(plan.secrets.map(\.name).sorted() == ["pw", "username"])
        #expect(plan.secrets.allSatisfy { !$0.isRecorded } && !plan.steps.contains { $0.lacksBody })
        let credentials = ReplayCredentials(values: ["username": "alice", "pw": "wonderland"])
        let replay = try await AskedReplay(of: capture, options: .init(credentials: credentials)) {
            request,
            first in
            request.url.path == "/authorize"
                ? RecordedResponse(status: 200, body: Self.page("t-9Xr4LmPq8KtZc3Wn"))
                : AskedReplay.back(to: Self.app, code: "code-2-9876543210", answering: first)
        }
        let form = FormBody.items(of: try #require(replay.asked.last).body)?.items.map {
            [$0.name, $0.value]
        }
        #expect(
            form == [
                ["csrf", "t-9Xr4LmPq8KtZc3Wn"], ["room", ""], ["user", "alice"], ["pw", "wonderland"],
                ["go", "1"],
            ]
        )
        #expect(replay.run.isComplete, "\(replay.run.results)")
    }

    /// What no form of a page goes to stays as it is.
    @Test func requestThatIsNoSignInIsLeftAlone() throws {
        let flows = FlowFinder.flows(in: Self.capture(action: "/elsewhere"))
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        #expect(plan.secrets.isEmpty && plan.steps.contains { $0.lacksBody })
    }
}
