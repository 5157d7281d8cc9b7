import Captures
import Flows
import JSON
import Replay
import TestSupport
import Testing

/// A sign-in of several steps that a page's script takes: what the page and the answers to it hand on is of the new run, however it is
/// spelled, however long it is, and however deep it stands.
struct ScriptedStepsTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    /// What a provider hands out in one login.
    private struct Told: Sendable {
        /// With colons, and with slashes that the page escapes.
        var canary: String
        /// Of hundreds of characters.
        var context: String
        /// With a hyphen that the page escapes.
        var handle: String
        var ticket: String
        var token: String
        var code: String

        var page: String {
            let canary = canary.replacing("/", with: #"\/"#)
            let handle = handle.replacing("-", with: #"\x2D"#)
            return """
                <html><script>$Config={"canary":"\(canary)","sCtx":"\(context)","some text":"\(handle)"};
                </script><div id="app"></div></html>
                """
        }

        /// As hypermedia has it: a form in a list, in a model, in a list.
        var form: String {
            let fields = #"[{"name":"_token","details":{"value":"\#(token)"}}]"#
            let model = #"{"href":"\/password?_s=\#(ticket)","method":"POST","fields":\#(fields)}"#
            return #"{"type":"step","actions":[{"template":"form","model":\#(model)}]}"#
        }
    }

    private static let recorded = Told(
        canary: "7su71O2L22wduGFQ4BY2/X2Gkb1N=0:1:CANARY:1gxze11be4SetT3KVziKwMISLxcx2MTX=",
        context: "rQQIARAA" + String(repeating: "qP7V8gT7vu8WR7UomEiTSV", count: 40),
        handle: "02.id.4JIuDpcdlLUmude-GMx9wuKBlXE8xPQPQJTV13MH",
        ticket: "GGtvBdFnsUeSNjPqaJjb",
        token: "jWxyM5zR5gYlEttgy3wtzbukCJllMpwNRMujVXjNy4Y",
        code: "c-Kq2vLx7TzB4nWm8R"
    )
    private static let live = Told(
        canary: "Pd2FsYsniEfapEUKdrQHv7Zz/0Gy5bUBH=0:1:CANARY:Attn2iXRGQdRM7HO8Nbd5pltjs8STNKy=",
        context: "rQQIARAA" + String(repeating: "vcHtQrDEAZrXbeZ1EmKBWj", count: 40),
        handle: "02.id.X2Gkb1N5zR5gYl-EttgywduGFQ4BY2M3IuDp8wuK",
        ticket: "H6RAsQldRO6SVpT48qV4",
        token: "YNJcAvgx0BTS990vyrEJD6ysHUrEEawOoNa7UosYtEbe",
        code: "c-9Zq7vLx3TzB8nWm2R"
    )

    private static func answer(to path: String, _ told: Told, state: String) -> RecordedResponse {
        let body: Body =
            switch path {
            case "/authorize": .html(told.page)
            case "/identify": .json(told.form)
            case "/password": .json(#"{"redirect_to":"\#(app)?code=\#(told.code)&state=\#(state)"}"#)
            default: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
            }
        let type = body.mediaType.map { [("Content-Type", $0)] } ?? []
        return RecordedResponse(status: 200, headers: HeaderFields(type), body: body)
    }

    private static func capture() -> Capture {
        var builder = CaptureBuilder()
        let state = "st-4Xr8LmPq2Kt"
        func add(_ method: String, _ target: String, _ headers: [(String, String)] = [], _ body: Body? = nil)
        {
            let url = RecordedURL(provider + target)
            let type = body?.mediaType.map { [("Content-Type", $0)] } ?? []
            let request = RecordedRequest(
                method: method,
                url: url,
                headers: HeaderFields(agent + headers + type),
                body: body
            )
            let response = answer(to: url.path, recorded, state: state)
            builder.add(
                Exchange(startedAt: Timestamp(seconds: 0), request: request, response: response)
            )
        }
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app), ("state", state),
        ]
        add("GET", "/authorize?" + FormBody.encode(query))
        let sent: JSONObject = [
            "username": "alice", "ctx": .string(recorded.context), "handle": .string(recorded.handle),
        ]
        add("POST", "/identify", [("canary", recorded.canary)], .json(JSONWriter.text(of: .object(sent))))
        let form = FormBody.encode([("password", "wonderland"), ("_token", recorded.token)])
        add(
            "POST",
            "/password?_s=" + recorded.ticket,
            [],
            Body(text: form, mediaType: FormBody.mediaType)
        )
        builder.get(app + "?code=\(recorded.code)&state=\(state)", headers: agent)
        builder.redeem(recorded.code, at: provider + "/token", for: app)
        return builder.capture
    }

    @Test func eachStepSendsWhatTheOneBeforeWasTold() async throws {
        let replay = try await AskedReplay(of: Self.capture()) { request, first in
            let state = first.url.queryItems.first("state") ?? ""
            return Self.answer(to: request.url.path, Self.live, state: state)
        }
        #expect(replay.run.isComplete, "\(replay.run.results)")
        let identify = try #require(replay.asked.first { $0.url.path == "/identify" })
        #expect(identify.headers.first("canary") == Self.live.canary)
        let sent = try JSONParser.parse(try #require(identify.body?.bytes))
        #expect(sent["ctx"]?.string == Self.live.context)
        #expect(sent["handle"]?.string == Self.live.handle)
        let password = try #require(replay.asked.first { $0.url.path == "/password" })
        #expect(password.url.queryItems.first("_s") == Self.live.ticket)
        #expect(FormBody.items(of: password.body)?.first("_token") == Self.live.token)
        #expect(FormBody.items(of: try #require(replay.asked.last).body)?.first("code") == Self.live.code)
    }
}
