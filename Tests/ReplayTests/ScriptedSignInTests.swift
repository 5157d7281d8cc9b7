import Captures
import Flows
import Replay
import TestSupport
import Testing

/// A page whose script signs in: what it sends with its own requests is of the new page, and the address that it is told ends the
/// login.
struct ScriptedSignInTests {
    private static let provider = "https://id.example"
    private static let app = "https://shop.example/cb"
    private static let agent = [("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/130")]

    /// A page with a token against forgery in it, or the header of one.
    struct Page: Sendable, CustomTestStringConvertible {
        var text: String
        var header: String?

        var testDescription: String { header ?? text }

        func answer(_ token: String) -> RecordedResponse {
            RecordedResponse(
                status: 200,
                headers: HeaderFields(header.map { [($0, token)] } ?? []),
                body: .html(text.replacing("TOKEN", with: token))
            )
        }
    }

    private static func capture(_ page: Page, target: String) -> Capture {
        var builder = CaptureBuilder()
        let query = [
            ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", app),
            ("state", "st-4Xr8LmPq2Kt"),
        ]
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: RecordedRequest(
                    method: "GET",
                    url: RecordedURL(provider + "/authorize?" + FormBody.encode(query)),
                    headers: HeaderFields(agent)
                ),
                response: page.answer("mUyrzbeVRltEycrz7BY5TmNpwmkf4HPp")
            )
        )
        var sent = RecordedRequest(method: "POST", url: RecordedURL(provider + "/sign-in"))
        sent.headers = HeaderFields(
            agent + [
                ("Content-Type", "application/json"), ("X-CSRF-Token", "mUyrzbeVRltEycrz7BY5TmNpwmkf4HPp"),
            ]
        )
        sent.body = .json(#"{"username":"alice","password":"wonderland"}"#)
        builder.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: sent,
                response: told(target, code: "c-Kq2vLx7TzB4nWm8R", state: "st-4Xr8LmPq2Kt")
            )
        )
        builder.get(app + "?code=c-Kq2vLx7TzB4nWm8R&state=st-4Xr8LmPq2Kt", headers: agent)
        builder.post(
            provider + "/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return builder.capture
    }

    private static func told(_ target: String, code: String, state: String) -> RecordedResponse {
        RecordedResponse(
            status: 200,
            headers: HeaderFields([("Content-Type", "application/json")]),
            body: .json(#"{"redirect_to":"\#(target)?code=\#(code)&state=\#(state)"}"#)
        )
    }

    /// `live`: the page of the new run, where that is another.
    private static func replay(_ page: Page, live: Page? = nil, target: String = app) async throws
        -> AskedReplay
    {
        try await AskedReplay(of: capture(page, target: target)) { request, first in
            switch request.url.path {
            case "/authorize": return (live ?? page).answer("Qz7vLx7TzB4nWm8RdYc9Kq2Xr4LmPq8K")
            case "/sign-in":
                let state = first.url.queryItems.first("state") ?? ""
                return told(target, code: "c-9Zq7vLx3TzB8nWm2R", state: state)
            default:
                return RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            }
        }
    }

    static let pages = [
        Page(text: #"<meta name="csrf-token" content="TOKEN"><div id="app"></div>"#),
        Page(text: #"<div data-csrf = 'TOKEN' class="app"></div>"#),
        Page(text: #"<script>window.state = {"locale": "en", "csrf": "TOKEN"}</script>"#),
        Page(text: "<script>const csrf = 'TOKEN';</script>"),
        Page(
            text:
                #"<div id="app" data-page="{&quot;props&quot;:{&quot;csrf&quot;:&quot;TOKEN&quot;}}"></div>"#
        ),
        Page(text: #"<div id="app" data-page="{&#34;props&#34;:{&#34;csrf&#34;:&#34;TOKEN&#34;}}"></div>"#),
        Page(text: #"<div id="app" data-tab='{"csrf":"TOKEN"}'></div>"#),
        Page(text: #"<div id="app"></div>"#, header: "X-CSRF-Token"),
    ]

    @Test(arguments: pages) func tokenOfThePageGoesWithItsScript(page: Page) async throws {
        let replay = try await Self.replay(page)
        let sent = try #require(replay.asked.first { $0.url.path == "/sign-in" })
        #expect(sent.headers.first("x-csrf-token") == "Qz7vLx7TzB4nWm8RdYc9Kq2Xr4LmPq8K")
        #expect(sent.body?.text == #"{"username":"alice","password":"wonderland"}"#)
    }

    /// By chance a drawn one has a shape that words have as well: where it stands tells, among others of its name and not.
    @Test(arguments: [
        #"<meta name="csrf-token" content="TOKEN"><div id="app"></div>"#,
        #"<script>all = [{"value": "front-page-of-a-shop"}, {"value": "TOKEN"}, {"value": "Hq2vLx7TzB4nWm8RdYc9Kq2x"}]</script>"#,
    ])
    func tokenThatDoesNotLookDrawnIsTaken(page: String) async throws {
        let live = page.replacing("TOKEN", with: "kjqwbzxvmplrtyhgfdscnaeuioqz81pw")
        let replay = try await Self.replay(Page(text: page), live: Page(text: live))
        let sent = try #require(replay.asked.first { $0.url.path == "/sign-in" })
        #expect(sent.headers.first("x-csrf-token") == "kjqwbzxvmplrtyhgfdscnaeuioqz81pw")
    }

    /// What the new page has as well is no token of one page, in whatever order it has it.
    @Test func valueThatTheNewPageHasAsWellIsSentAsItIs() async throws {
        let page = Page(
            text: #"<script>tenants = [{"id": "TOKEN"}, {"id": "Hq2vLx7TzB4nWm8RdYc9Kq2Xr4LmPq81"}]</script>"#
        )
        let live = Page(
            text: #"<script>tenants = [{"id": "TOKEN"}, {"id": "mUyrzbeVRltEycrz7BY5TmNpwmkf4HPp"}]</script>"#
        )
        let replay = try await Self.replay(page, live: live)
        let sent = try #require(replay.asked.first { $0.url.path == "/sign-in" })
        #expect(sent.headers.first("x-csrf-token") == "mUyrzbeVRltEycrz7BY5TmNpwmkf4HPp")
    }

    /// Nobody asks the app's host, and the code is redeemed.
    @Test func addressThatTheScriptIsToldIsTheResponse() async throws {
        let replay = try await Self.replay(Self.pages[0])
        #expect(replay.run.isComplete, "\(replay.run.results)")
        #expect(!replay.asked.contains { $0.url.host == "shop.example" })
        let redeemed = FormBody.items(of: try #require(replay.asked.last).body)
        #expect(redeemed?.first("code") == "c-9Zq7vLx3TzB8nWm2R")
    }

    /// A replay in which `/sign-in` is answered otherwise, `/consent` with a page that asks for it, and `/agreed` with the way back.
    private static func replay(answering signIn: RecordedResponse) async throws -> AskedReplay {
        let fields = #"<input name="username"><input type="password" name="password">"#
        let form = #"<form method="post" action="/login">\#(fields)</form>"#
        let page = Page(text: #"<meta name="csrf-token" content="TOKEN">"# + form)
        return try await AskedReplay(of: capture(page, target: app)) { request, first in
            switch request.url.path {
            case "/authorize": return page.answer("Qz7vLx7TzB4nWm8RdYc9Kq2Xr4LmPq8K")
            case "/sign-in": return signIn
            case "/consent":
                let button = #"<button name="go" value="allow">Allow</button>"#
                let form = #"<form method="post" action="/agreed">\#(button)</form>"#
                return RecordedResponse(status: 200, body: .html(form))
            case "/agreed": return AskedReplay.back(to: app, code: "c-9Zq7vLx3TzB8nWm2R", answering: first)
            default:
                let answer = #"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#
                return RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: .json(answer)
                )
            }
        }
    }

    private static func json(_ status: Int, _ text: String) -> RecordedResponse {
        RecordedResponse(
            status: status,
            headers: HeaderFields([("Content-Type", "application/json")]),
            body: .json(text)
        )
    }

    /// The form of the page is its script's own: a password that was not taken is not sent once more by it.
    @Test(arguments: [401, 200]) func refusedScriptIsNotFollowedByItsForm(status: Int) async throws {
        let replay = try await Self.replay(answering: Self.json(status, #"{"message":"Wrong password"}"#))
        #expect(replay.asked.map(\.url.path) == ["/authorize", "/sign-in"])
        #expect(replay.run.stop == .scriptStopped(url: Self.provider + "/sign-in", status: status))
        #expect(replay.run.isHeldUpByAPage == (status == 200))
    }

    /// Where the script is sent to another page today, that one is opened, and agreed to.
    @Test(arguments: ["https://id.example/consent", "/consent"])
    func addressThatTheScriptIsToldIsOpened(address: String) async throws {
        let replay = try await Self.replay(answering: Self.json(200, #"{"redirect_to":"\#(address)"}"#))
        #expect(replay.asked.map(\.url.path) == ["/authorize", "/sign-in", "/consent", "/agreed", "/token"])
        #expect(replay.asked[2].method == "GET")
        #expect(FormBody.items(of: replay.asked[4].body)?.first("code") == "c-9Zq7vLx3TzB8nWm2R")
    }

    /// An error is as much of a response as a code, where the code was.
    @Test func errorThatTheScriptIsToldEndsTheLogin() async throws {
        let told = #"{"redirect_to":"\#(Self.app)?error=access_denied&state=st-4Xr8LmPq2Kt"}"#
        let replay = try await Self.replay(answering: Self.json(200, told))
        #expect(replay.asked.map(\.url.path) == ["/authorize", "/sign-in"])
        #expect(replay.run.stop == nil)
    }

    /// Where another address is told, the login is not over.
    @Test func addressOfAnotherIsNoResponse() async throws {
        let replay = try await Self.replay(Self.pages[0], target: "https://stranger.example/cb")
        #expect(!replay.run.isComplete)
        #expect(!replay.asked.contains { $0.url.path == "/token" })
    }
}
