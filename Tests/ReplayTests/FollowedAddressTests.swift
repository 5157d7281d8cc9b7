import Captures
import Flows
import Replay
import TestSupport
import Testing

/// Where a replay goes by a `Location` and a form's `action`, as browsers read them.
struct FollowedAddressTests {
    private static let app = "https://shop.example/cb"
    private static let login = "https://id.example/login?hint=a"

    private static func page(_ action: String, _ head: String = "") -> Body {
        .html(
            head
                + "<form method=post action=\"\(action)\"><input name=username><input type=password name=password></form>"
        )
    }

    private static func capture(app: String = app, returning back: String? = nil) -> Capture {
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1")]
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", app),
        ])
        capture.redirect("https://id.example/authorize?" + query, to: login, headers: browser)
        capture.get(login, headers: browser, body: page("/login?hint=a"))
        capture.post(
            login,
            [("username", "alice"), ("password", "wonderland")],
            302,
            headers: browser,
            answer: [("Location", (back ?? app) + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R")]
        )
        capture.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }

    @Test(arguments: [
        ("/login?hint=a b", "/login?hint=a b", "/login?hint=a%20b"),
        ("/login?hint=\"<a>\"", "", "/login?hint=%22%3Ca%3E%22"),
        ("/log\tin?hint=a", " /login\n?hint=a\n  ", "/login?hint=a"),
        ("/login?hint=a%20b", "/login?hint=a%20b", "/login?hint=a%20b"),
    ])
    func isReadAsABrowserReadsIt(location: String, action: String, asked target: String) async throws {
        let sent = try await sent(location, Self.page(action))
        for request in sent { #expect(request.url.text == "https://id.example" + target) }
    }

    @Test(arguments: [
        ("login?hint=a", "/ui/login?hint=a"), ("?hint=b", "/ui/?hint=b"), ("/login?hint=a", "/login?hint=a"),
        ("", "/login?hint=a"),
    ])
    func isResolvedAgainstTheBaseOfThePage(action: String, asked target: String) async throws {
        let page = Self.page(action, "<base target=x><base href=\"/ui/\"><base href=/other/>")
        let sent = try await sent("/login?hint=a", page)
        #expect(sent.map(\.url.text) == ["/login?hint=a", target].map { "https://id.example" + $0 })
    }

    /// HTML, section 4.10.18.6: a button may send its form to another place, and which was pressed the recording shows.
    @Test(arguments: [
        ("<button formaction=/login?hint=a>Go</button>", "/login?hint=a"),
        (
            "<button formaction=/login?hint=b>Other</button><button formaction=/login?hint=a>Go</button>",
            "/login?hint=a"
        ),
        ("<input type=submit name=op formaction=\"/login?hint=c&amp;t=1\">", "/login?hint=c&t=1"),
        ("<button formaction=/elsewhere>Go</button>", "/cancel"), ("<button>Go</button>", "/cancel"),
    ])
    func formGoesWhereItsButtonSendsIt(buttons: String, asked target: String) async throws {
        let page = Body.html(
            "<form method=post action=/cancel><input name=username><input type=password name=password>\(buttons)</form>"
        )
        let sent = try await sent("/login?hint=a", page)
        #expect(sent.last?.url.text == "https://id.example" + target)
    }

    /// A path may have what is drawn for each login; which button it is the rest of it tells.
    @Test(arguments: [
        ("/login/Hq2vLx7TzB4nWm8RdYc9Kq2/in", "/login/Zk8wMx3SzA5mVn7QeXb2Lp9/in"),
        ("/login/Hq2vLx7TzB4nWm8RdYc9Kq2/up", "/cancel"),
        ("/login/front-desk/in", "/cancel"),
    ])
    func buttonOfAnotherLoginIsTheSameButton(recorded: String, asked target: String) async throws {
        @Sendable func page(_ action: String) -> Body {
            .html(
                """
                <form method=post action=/cancel><input name=username><input type=password name=password>\
                <button formaction=\(action)>Go</button></form>
                """
            )
        }
        let capture = Self.capture()
        let exchanges = capture.indices.map { index in
            var exchange = capture[index]
            guard exchange.request.url.path == "/login" else { return exchange }
            if exchange.request.method == "POST" {
                exchange.request.url = RecordedURL("https://id.example" + recorded)
            } else {
                exchange.response?.body = page(recorded)
            }
            return exchange
        }
        let replay = try await AskedReplay(of: Capture(exchanges)) { request, _ in
            request.url.path == "/authorize"
                ? RecordedResponse(status: 302, headers: HeaderFields([("Location", Self.login)]))
                : RecordedResponse(status: 200, body: page("/login/Zk8wMx3SzA5mVn7QeXb2Lp9/in"))
        }
        #expect(replay.asked.first { $0.method == "POST" }?.url.path == target)
    }

    /// In a redirect, in the form of a page and in a refresh.
    @Test(
        arguments: [
            ("https://app.example", "https://app.example/"),
            ("https://app.example:443/cb", "https://app.example/cb"),
            ("https://APP.example/cb", "https://app.example/cb"),
        ],
        ["redirect", "form", "refresh"]
    )
    func appIsReachedInAnySpelling(_ app: (named: String, reached: String), by way: String) async throws {
        let capture = Self.capture(app: app.named, returning: app.reached)
        let replay = try await AskedReplay(of: capture) { request, first in
            let back = AskedReplay.back(to: app.reached, code: "c-7Hq2vLx7", answering: first)
            switch (request.url.path, request.method) {
            case ("/authorize", _):
                return RecordedResponse(status: 302, headers: HeaderFields([("Location", Self.login)]))
            case ("/token", _):
                return RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8"}"#))
            case (_, "GET"): return RecordedResponse(status: 200, body: Self.page("/login?hint=a"))
            default: return way == "redirect" ? back : Self.page(leadingBackAs: back, byForm: way == "form")
            }
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let redeemed = replay.asked.last.flatMap { FormBody.items(of: $0.body) }
        #expect(redeemed?.first("code") == "c-7Hq2vLx7")
        #expect(redeemed?.first("redirect_uri") == app.named)
    }

    /// A page that leads where a redirect does.
    private static func page(leadingBackAs redirect: RecordedResponse, byForm: Bool) -> RecordedResponse {
        let url = RecordedURL(redirect.location ?? "")
        let fields = url.queryItems.items.map { "<input type=hidden name=\($0.name) value=\"\($0.value)\">" }
        let text =
            byForm
            ? "<form method=post action=\"\(url.withoutQuery)\">\(fields.joined())</form><script>f.submit()</script>"
            : "<meta http-equiv=refresh content=\"0; url=\(url.text)\">"
        return RecordedResponse(status: 200, body: .html(text))
    }

    /// The recorded form is known for the page's, although its fields say nothing and only its address does.
    @Test func formIsThePagesByItsBase() throws {
        var capture = CaptureBuilder()
        let browser = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Test/1"), ("Accept", "text/html")]
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", Self.app),
        ])
        capture.redirect("https://id.example/authorize?" + query, to: Self.login, headers: browser)
        capture.get(
            Self.login,
            headers: browser,
            body: .html("<base href=\"/ui/\"><form method=post action=\"go\"><input name=username></form>")
        )
        capture.post(
            "https://id.example/ui/go",
            [("username", "alice"), ("a", "1"), ("b", "2")],
            302,
            headers: browser,
            answer: [("Location", Self.app + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R")]
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let submitted = plan.steps.compactMap { step -> Int? in
            if case .submit(let page) = step.action { page } else { nil }
        }
        #expect(submitted == [1])
    }

    /// What the browser asked for between the request and the response.
    private func sent(_ location: String, _ page: Body) async throws -> [RecordedRequest] {
        let replay = try await AskedReplay(of: Self.capture()) { request, first in
            switch (request.url.path, request.method) {
            case ("/authorize", _):
                return RecordedResponse(status: 302, headers: HeaderFields([("Location", location)]))
            case ("/token", _):
                return RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8"}"#))
            case (_, "GET"): return RecordedResponse(status: 200, body: page)
            default: return AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7", answering: first)
            }
        }
        #expect(replay.run.isComplete, "\(replay.run.results) \(String(describing: replay.run.stop))")
        let sent = replay.asked.dropFirst().dropLast()
        #expect(sent.map(\.method) == ["GET", "POST"])
        return Array(sent)
    }
}
