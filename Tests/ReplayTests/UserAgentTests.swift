import Captures
import Replay
import Synchronization
import Testing

struct UserAgentTests {
    /// Answers by method and path, and keeps what was asked.
    private final class Site: Sendable {
        let asked = Mutex<[RecordedRequest]>([])
        let answers: [String: RecordedResponse]

        init(_ answers: [String: RecordedResponse]) { self.answers = answers }

        func respond(_ request: RecordedRequest) -> RecordedResponse {
            asked.withLock { $0.append(request) }
            return answers["\(request.method) \(request.url.path)"] ?? RecordedResponse(status: 404)
        }
    }

    private func agent(_ site: Site) -> UserAgent {
        UserAgent(
            name: "Mozilla/5.0 test",
            clock: { Timestamp(seconds: 1_780_000_000) },
            send: { site.respond($0) }
        )
    }

    private static func redirect(_ status: Int, _ location: String, cookie: String? = nil) -> RecordedResponse
    {
        RecordedResponse(
            status: status,
            headers: HeaderFields([("Location", location)] + (cookie.map { [("Set-Cookie", $0)] } ?? []))
        )
    }

    private static func page(_ html: String) -> RecordedResponse {
        RecordedResponse(status: 200, body: Body(text: html, mediaType: "text/html"))
    }

    @Test func followsRedirectsAndCarriesCookies() async throws {
        let site = Site([
            "GET /a": Self.redirect(302, "b?x=1", cookie: "s=1; Path=/"), "GET /b": Self.page("there"),
        ])
        let page = try await agent(site).open(RecordedURL("https://idp.example/a"))
        #expect(page.url.text == "https://idp.example/b?x=1")
        let asked = site.asked.withLock { $0 }
        #expect(asked.map { $0.headers.first("cookie") } == [nil, "s=1"])
        #expect(asked.allSatisfy { $0.headers.first("user-agent") == "Mozilla/5.0 test" })
    }

    @Test func stopsAtAnAppsOwnScheme() async throws {
        let site = Site(["GET /a": Self.redirect(302, "com.example.app:/cb?code=1")])
        let page = try await agent(site).open(RecordedURL("https://idp.example/a"))
        #expect(page.url.text == "com.example.app:/cb?code=1" && page.response.status == 302)
    }

    @Test func endlessRedirectsEnd() async {
        let site = Site(["GET /a": Self.redirect(302, "/a")])
        await #expect(throws: UserAgent.Failure.self) {
            try await agent(site).open(RecordedURL("https://idp.example/a"))
        }
    }

    @Test func formGoesBackWithItsHiddenFieldsAndOneButton() async throws {
        let form = """
            <form method=post action="/login?next=1"><input type=hidden name=csrf value="a&amp;b"><input name=username>
            <input type=password name=password><button name=action value=sign-in>In</button><button name=action value=cancel>No</button></form>
            """
        let site = Site([
            "GET /": Self.page(form), "POST /login": Self.redirect(303, "/home"),
            "GET /home": Self.page("in"),
        ])
        let agent = agent(site)
        let signIn = try await agent.open(RecordedURL("https://idp.example/"))
        let home = try await agent.submit(
            signIn,
            filling: ["username": "alice", "password": "x y", "action": "sign-in"]
        )
        #expect(home.url.path == "/home")
        let sent = try #require(site.asked.withLock { $0 }.first { $0.method == "POST" })
        #expect(sent.url.text == "https://idp.example/login?next=1")
        #expect(sent.body?.text == "csrf=a%26b&username=alice&password=x+y&action=sign-in")
    }

    @Test(arguments: [(307, "POST"), (308, "POST"), (302, "GET"), (303, "GET")]) func methodAfterARedirect(
        status: Int,
        method: String
    ) async throws {
        let form = "<form method=post action=/a><input name=x value=1></form>"
        let site = Site([
            "GET /": Self.page(form), "POST /a": Self.redirect(status, "/b"),
            "\(method) /b": Self.page("there"),
        ])
        let agent = agent(site)
        let page = try await agent.submit(
            try await agent.open(RecordedURL("https://idp.example/")),
            filling: [:]
        )
        #expect(page.response.status == 200)
        #expect(site.asked.withLock { $0 }.last?.body?.text == (method == "POST" ? "x=1" : nil))
    }

    @Test func pageWithoutAFormSaysSo() async throws {
        let site = Site(["GET /": Self.page("nothing")])
        let agent = agent(site)
        let page = try await agent.open(RecordedURL("https://idp.example/"))
        await #expect(throws: UserAgent.Failure.self) { try await agent.submit(page, filling: [:]) }
    }
}
