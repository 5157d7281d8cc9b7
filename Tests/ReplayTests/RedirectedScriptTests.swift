import Captures
import Replay
import TestSupport
import Testing

/// A page's script whose request is redirected: what it says of itself in header fields goes on with it, and is of the new run.
struct RedirectedScriptTests {
    private static let app = "https://shop.example/cb"
    private static let provider = "https://id.example"
    private static let recorded = "jWxyM5zR5gYlEttgy3wtzbukCJllMpwNRMujVXjNy4Y"
    private static let live = "YNJcAvgx0BTS990vyrEJD6ysHUrEEawOoNa7UosYtEb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    private static func page(_ token: String, hasForm: Bool = false) -> RecordedResponse {
        let form =
            "<form method=post action=/session><input name=username><input type=password name=password>"
        return RecordedResponse(
            status: 200,
            body: .html("<html><meta name=\"csrf-token\" content=\"\(token)\">\(hasForm ? form : "")</html>")
        )
    }

    private static func redirect(_ status: Int, _ location: String) -> RecordedResponse {
        RecordedResponse(status: status, headers: HeaderFields([("Location", location)]))
    }

    private static func script(_ declared: Bool) -> [(String, String)] {
        agent + [
            ("Accept", "*/*"), ("Origin", provider), ("X-Requested-With", "XMLHttpRequest"),
            ("X-CSRF-Token", recorded),
        ] + (declared ? [("Sec-Fetch-Mode", "cors")] : [])
    }

    private static func asking(_ state: String) -> String {
        provider + "/authorize?client_id=shop&response_type=code&state=\(state)&redirect_uri="
            + PercentEncoding.encode(app)
    }

    /// With the page that the script is of.
    private static func begun() -> CaptureBuilder {
        var builder = CaptureBuilder()
        builder.get(asking("s-Kq2vLx7TzB4nWm8R"), headers: agent, body: page(recorded).body)
        return builder
    }

    private static let tokens = RecordedResponse(
        status: 200,
        body: .json(#"{"access_token":"at-8","token_type":"Bearer"}"#)
    )
    private static let entered = #"{"username":"alice","password":"wonderland"}"#
    private static let back = [("Location", app + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R")]

    /// Of a request that keeps its method and body, and of one that does not (Fetch, section 4.4).
    @Test(arguments: [307, 302]) func headerFieldsGoOnWithARedirect(status: Int) async throws {
        let keepsMethod = status == 307
        var builder = Self.begun()
        let (first, second) = (Self.provider + "/session", Self.provider + "/session/next")
        let there = [("Location", "/session/next")]
        builder.post(first, json: Self.entered, status, headers: Self.script(true), answer: there)
        if keepsMethod {
            builder.post(second, json: Self.entered, 302, headers: Self.script(true), answer: Self.back)
        } else {
            let headers = Self.script(true).filter { $0.0 != "Origin" }
            builder.get(second, 302, headers: headers, answer: Self.back)
        }
        builder.redeem("c-Kq2vLx7TzB4nWm8R", at: Self.provider + "/token", for: Self.app)
        let replay = try await AskedReplay(of: builder.capture) { request, first in
            switch request.url.path {
            case "/authorize": Self.page(Self.live)
            case "/session": Self.redirect(status, "/session/next")
            case "/session/next": AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7", answering: first)
            default: Self.tokens
            }
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let sent = try #require(replay.asked.first { $0.url.path == "/session/next" })
        #expect(sent.method == (keepsMethod ? "POST" : "GET"))
        #expect(sent.headers.first("x-csrf-token") == Self.live)
        #expect(sent.headers.first("x-requested-with") == "XMLHttpRequest")
        #expect(sent.headers.first("origin") == (keepsMethod ? Self.provider : nil))
    }

    /// Credentials go no further than to their own origin, wherever a redirect leads today (Fetch, section 4.4).
    @Test(arguments: [provider, "https://api.example"])
    func credentialsStayWithTheirOrigin(next: String) async throws {
        let headers = Self.script(true) + [("Authorization", "Session page-0123456789")]
        var builder = Self.begun()
        let (first, second) = (Self.provider + "/session", Self.provider + "/session/next")
        let there = [("Location", "/session/next")]
        builder.post(first, json: Self.entered, 307, headers: headers, answer: there)
        builder.post(second, json: Self.entered, 302, headers: headers, answer: Self.back)
        builder.redeem("c-Kq2vLx7TzB4nWm8R", at: "https://api.example/token", for: Self.app)
        let replay = try await AskedReplay(of: builder.capture) { request, first in
            switch request.url.path {
            case "/authorize": Self.page(Self.live)
            case "/session": Self.redirect(307, next + "/session/next")
            case "/session/next": AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7", answering: first)
            default: Self.tokens
            }
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let sent = try #require(replay.asked.first { $0.url.path == "/session/next" })
        #expect(sent.url.text == next + "/session/next")
        #expect(
            sent.headers.first("authorization") == (next == Self.provider ? "Session page-0123456789" : nil)
        )
    }

    /// Where nothing tells that a script sent the form of the page, its fields do.
    @Test func headerFieldsOfAFormAreOfTheNewRun() async throws {
        var builder = CaptureBuilder()
        let page = Self.page(Self.recorded, hasForm: true).body
        builder.get(Self.asking("s-Kq2vLx7TzB4nWm8R"), headers: Self.agent, body: page)
        builder.post(
            Self.provider + "/session",
            [("username", "alice"), ("password", "wonderland")],
            302,
            headers: Self.script(false).filter { $0.0 != "X-Requested-With" },
            answer: Self.back
        )
        builder.redeem("c-Kq2vLx7TzB4nWm8R", at: Self.provider + "/token", for: Self.app)
        let replay = try await AskedReplay(of: builder.capture) { request, first in
            switch request.url.path {
            case "/authorize": Self.page(Self.live, hasForm: true)
            case "/session": AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7", answering: first)
            default: Self.tokens
            }
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let sent = try #require(replay.asked.first { $0.url.path == "/session" })
        #expect(sent.headers.first("x-csrf-token") == Self.live)
    }
}
