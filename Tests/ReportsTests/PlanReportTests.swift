import Captures
import Flows
import Replay
import Reports
import TestSupport
import Testing

/// What is said of a replay before it is driven.
struct PlanReportTests {
    private static let token = "https://id.example/index.php?route=oauth/token"

    /// An endpoint's URL may have a query, by which alone the run knows where it is (RFC 6749, section 3.2).
    @Test(arguments: ["https://staging.example/token", "https://staging.example/?route=oauth/token"])
    func addressOfAnEndpointIsTheOneThatIsDriven(driven: String) throws {
        var capture = CaptureBuilder()
        capture.post(
            Self.token,
            [("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "a-secret")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let map = EndpointMap([EndpointMap.Entry(old: Self.token, new: driven)])
        let text = PlanText.text(of: plan, map: map, given: [], style: .plain)
        #expect(text.contains("POST \(driven)\n"))
        #expect(PlanJSON.text(of: [(plan, map)], given: []).contains("\"\(driven)\""))
    }

    /// The address of a client's registration may have the client in its query (RFC 7592, section 2), and a token beside it.
    @Test(arguments: [nil, "https://staging.example"]) func addressOfARegistrationIsWhole(driven: String?)
        throws
    {
        let path = "/register?client_id=shop-7Hq2vLx7TzB4nWm8"
        func call(_ method: String) -> Exchange {
            var request = RecordedRequest(
                method: method,
                url: RecordedURL("https://id.example\(path)&token=reg-7Hq2vLx7TzB4nWm8")
            )
            request.headers.append("Authorization", "Bearer reg-7Hq2vLx7TzB4nWm8")
            return Exchange(
                startedAt: Timestamp(seconds: 0),
                request: request,
                response: RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: .json(
                        #"{"client_id":"shop-7Hq2vLx7TzB4nWm8","redirect_uris":["https://shop.example/cb"]}"#
                    )
                )
            )
        }
        var capture = CaptureBuilder()
        capture.add(call("GET"))
        capture.add(call("DELETE"))
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let map = EndpointMap(
            driven.map { [EndpointMap.Entry(old: "https://id.example", new: $0)] } ?? []
        )
        let text = PlanText.text(of: plan, map: map, given: [], style: .plain)
        let address = (driven ?? "https://id.example") + path + "&token=reg-…(20)"
        #expect(text.contains("DELETE \(address)  changes something beyond the login\n"), "\(text)")
        #expect(PlanJSON.text(of: [(plan, map)], given: []).contains("\"\(address)\""))
    }

    /// What a page's script makes anew cannot be made here: it is told apart from what is the same every time.
    @Test func whatLooksDrawnAnewIsToldApart() throws {
        let flow = try ScriptedLogin.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let text = PlanText.text(of: plan, map: EndpointMap(), given: [], style: .plain)
        let words = "         as recorded, and stale where the page's script makes it anew: print\n"
        #expect(text.contains(words), "\(text)")
        #expect(text.contains("         as recorded: username, step\n"), "\(text)")
    }

    /// What reads a file has each list on one line.
    @Test func planIsAsWideAsTheTerminal() throws {
        let flow = try ScriptedLogin.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        func lines(_ columns: Int?) -> [Substring] {
            PlanText.text(of: plan, map: EndpointMap(), given: [], style: .plain, columns: columns)
                .split(separator: "\n")
        }
        #expect(lines(nil).contains { $0.count > 64 })
        #expect(lines(64).allSatisfy { $0.count <= 64 }, "\(lines(64))")
        func words(_ columns: Int?) -> [Substring] { lines(columns).flatMap { $0.split(separator: " ") } }
        #expect(words(64) == words(nil))
    }

    /// A page may call its field what it likes; an option that names it is copied into a shell.
    @Test func optionForASecretIsAWordOfAShell() throws {
        let callback = "https://shop.example/cb"
        let request =
            "https://id.example/authorize?response_type=code&client_id=shop&state=st-4Xr8LmPq2Kt&redirect_uri="
            + callback
        let name = "password;$(id)"
        var capture = CaptureBuilder()
        capture.redirect(request, to: "https://id.example/login")
        capture.get(
            "https://id.example/login",
            body: .html(
                "<form method=post action=/login><input name=username><input type=password name=\"\(name)\"></form>"
            )
        )
        capture.post(
            "https://id.example/login",
            [("username", "alice"), (name, "[redacted]")],
            302,
            answer: [("Location", "\(callback)?code=code-1-0123456789&state=st-4Xr8LmPq2Kt")]
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let text = PlanText.text(of: plan, map: EndpointMap(), given: [], style: .plain)
        #expect(text.contains("needed: --secret 'password;$(id)'=env:VARIABLE"), "\(text)")
        #expect(text.contains("needed: --secret 'password;$(id)'=…"), "\(text)")
        #expect(!text.contains("--secret password"), "\(text)")
    }

    /// Chromium's and WebKit's HAR files by Playwright have no forms; an empty POST is whole.
    @Test(arguments: [([("Content-Length", "75")], true), ([("Content-Length", "0")], false), ([], true)])
    func requestWithoutItsBodyIsTold(headers: [(String, String)], isTold: Bool) throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://id.example/.well-known/openid-configuration",
            body: .json(
                #"{"issuer":"https://id.example","token_endpoint":"https://id.example/swap"}"#
            )
        )
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL("https://id.example/swap"),
            headers: HeaderFields(headers)
        )
        capture.add(
            Exchange(
                startedAt: Timestamp(seconds: 0),
                request: request,
                response: RecordedResponse(
                    status: 200,
                    headers: HeaderFields([("Content-Type", "application/json")]),
                    body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            )
        )
        let flows = FlowFinder.flows(in: capture.capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let map = EndpointMap()
        let text = PlanText.text(of: plan, map: map, given: [], style: .plain)
        #expect(text.contains("POST https://id.example/swap"))
        #expect(text.contains("the body is not in the capture") == isTold, "\(text)")
        #expect(PlanJSON.text(of: [(plan, map)], given: []).contains("\"body_missing\"") == isTold)
    }
}
