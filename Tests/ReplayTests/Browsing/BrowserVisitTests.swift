import Captures
import Flows
import Replay
import Synchronization
import Testing

/// Logins whose browser part is done by somebody else: what the driver hands over, and what it makes of what comes
/// back.
struct BrowserVisitTests {
    /// A browser that is none: walks through the provider's pages by what it was handed.
    private static func walk(_ visit: BrowserVisit, in world: ReplayWorld) -> BrowserVisit.Outcome {
        var exchanges: [Exchange] = []
        var cookies = visit.cookies.map { "\($0.name)=\($0.value)" }
        var request = RecordedRequest(method: "GET", url: visit.url)
        let fields = visit.entries.entries.flatMap(\.fields).reduce(into: [String: String]()) {
            $0[$1.name] = $1.value
        }
        for _ in 0..<10 {
            if !cookies.isEmpty { request.headers.append("Cookie", cookies.joined(separator: "; ")) }
            let exchange = world.exchange(request)
            exchanges.append(exchange)
            cookies += (exchange.response?.setCookies ?? []).map { "\($0.name)=\($0.value)" }
            if let location = exchange.response?.location {
                let url = exchange.request.url.resolving(location)
                if visit.target?.matches(url) ?? false {
                    return .init(
                        .answered(url.queryAndFragmentItems),
                        exchanges
                    )
                }
                request = RecordedRequest(method: "GET", url: url)
                continue
            }
            guard visit.expectsResponse,
                let form = HTMLForm.all(in: exchange.response?.body?.text ?? "").first
            else { break }
            let items = form.fields.filter { $0.type != "submit" }.map {
                ($0.name, fields[$0.name] ?? $0.value)
            }
            request = RecordedRequest(
                method: "POST",
                url: exchange.request.url.resolving(form.action),
                headers: HeaderFields([("Content-Type", FormBody.mediaType)]),
                body: Body(
                    text: FormBody.encode(items + [("action", fields["action"] ?? "")]),
                    mediaType: FormBody.mediaType
                )
            )
        }
        return .init(visit.expectsResponse ? .stuck(url: "", title: "", fields: []) : .settled, exchanges)
    }

    private func run(
        _ capture: Capture,
        in world: ReplayWorld,
        credentials: ReplayCredentials = ReplayCredentials(),
        overrides: [String: String] = [:],
        browse: @escaping FlowDriver.Browse
    ) async throws -> FlowRun {
        let flows = FlowFinder.flows(in: capture)
        let flow = try #require(flows.first)
        var environment = world.environment
        environment.browse = browse
        let options = PlanOptions(overrides: overrides)
        let plan = PlanBuilder(flow, siblings: flows, options: options).plan()
        let run = FlowDriver.Options(credentials: credentials, plan: options)
        return await FlowDriver(plan, environment, options: run).run()
    }

    @Test func loginIsDoneInTheBrowserAndTheRestOutsideOfIt() async throws {
        let capture = try ReplayWorld().record()
        let world = ReplayWorld(startingAt: 1_790_000_000)
        let visits = Mutex<[BrowserVisit]>([])
        let run = try await run(capture, in: world) { visit in
            visits.withLock { $0.append(visit) }
            return Self.walk(visit, in: world)
        }
        #expect(run.isComplete, "\(run.results) \(String(describing: run.stop))")
        let flow = try #require(FlowFinder.flows(in: Capture(run.exchanges)).first)
        #expect(flow.ending == .success)
        let statuses = { (exchanges: [Exchange]) in exchanges.map { $0.response?.status ?? 0 } }
        #expect(statuses(run.exchanges) == statuses(capture.indices.map { capture[$0] }))
        let seen = visits.withLock { $0 }
        try #require(seen.count == 2, "the login, and the logout")
        #expect(seen[0].target == RedirectTarget(ReplayWorld.redirectURI) && seen[0].expectsResponse)
        #expect(seen[0].cookies.isEmpty && seen[0].isForPerson)
        #expect(
            seen[0].entries
                == PersonsEntries([
                    .init([
                        .init("username", "alice"), .init("password", "wonderland", isSecret: true),
                        .init("action", "sign-in"),
                    ])
                ])
        )
        #expect(seen[1].url.path.hasSuffix("/logout") && !seen[1].expectsResponse && !seen[1].isForPerson)
        #expect(seen[1].target == RedirectTarget("https://shop.example/"))
        #expect(seen[1].cookies.isEmpty, "the browser has them from the login")
        #expect(seen[0].allows(RecordedURL("https://idp.example/x")))
        #expect(!seen[0].allows(RecordedURL("https://shop.example/cb")))
    }

    /// Nobody listens, or there is no such host: told as where no browser is.
    @Test(arguments: [
        ("net::ERR_TUNNEL_CONNECTION_FAILED", true), ("ENOTFOUND: no address found for idp.example", true),
        ("the browser closed the page", false),
    ])
    func providerThatABrowserDoesNotReachIsToldAsThat(reason: String, isUnreachable: Bool) async throws {
        let recorded = try ReplayWorld().record()
        // Metadata would be asked for without the browser.
        let capture = Capture(recorded.indices.dropFirst().map { recorded[$0] })
        let run = try await run(capture, in: ReplayWorld()) { _ in .init(.failed(reason: reason)) }
        #expect(run.unreachable == (isUnreachable ? reason : nil))
    }

    @Test func givenSecretsCountMoreThanTheRecording() async throws {
        let capture = try ReplayWorld().record()
        let entries = Mutex(PersonsEntries())
        _ = try await run(
            capture,
            in: ReplayWorld(),
            credentials: ReplayCredentials(values: [
                "password": "given", "otp": "123456", "client_secret": "x",
            ]),
            overrides: ["username": "bob"]
        ) { visit in
            if visit.expectsResponse { entries.withLock { $0 = visit.entries } }
            return .init(.closed)
        }
        let fields = entries.withLock { $0 }.entries.flatMap(\.fields)
        #expect(
            fields == [
                .init("username", "bob"), .init("password", "given", isSecret: true),
                .init("action", "sign-in"),
                .init("otp", "123456", isSecret: true),
            ]
        )
    }

    @Test func visitThatDoesNotEndWithAResponseEndsTheRun() async throws {
        let capture = try ReplayWorld().record()
        let table: [(BrowserVisit.Ending, FlowRun.Stop)] = [
            (
                .stuck(url: "u", title: "t", fields: ["otp"]),
                .stuckPage(url: "u", title: "t", fields: ["otp"])
            ),
            (.leadsElsewhere(url: "u"), .leadsElsewhere(url: "u")),
            (.closed, .windowClosed),
            (.failed(reason: "r"), .browserFailed(reason: "r")),
        ]
        for (ending, stop) in table {
            let run = try await run(capture, in: ReplayWorld()) { _ in .init(ending) }
            #expect(run.stop == stop && !run.isComplete)
            #expect(run.exchanges.count == 1, "the metadata, and nothing after the visit")
        }
    }

    @Test func sessionThatWasMadeBeforeGoesIntoTheBrowser() async throws {
        let first = try ReplayWorld().record()
        // The same login, in a browser that had a cookie from before the recording.
        var exchanges = first.indices.map { first[$0] }
        for index in exchanges.indices where exchanges[index].request.url.path.hasSuffix("/authorize") {
            exchanges[index].request.headers.append("Cookie", "device=0123456789abcdef")
        }
        let cookies = Mutex<[String]>([])
        _ = try await run(Capture(exchanges), in: ReplayWorld()) { visit in
            cookies.withLock { $0 += visit.cookies.map { "\($0.domain) \($0.name)=\($0.value)" } }
            return .init(.closed)
        }
        #expect(cookies.withLock { $0 } == ["idp.example device=0123456789abcdef"])
    }

    @Test func loginThatIsPostedIsToldToBeWithoutTheBrowser() throws {
        let recorded = try ReplayWorld().record()
        var exchanges = recorded.indices.map { recorded[$0] }
        func plan() throws -> ReplayPlan {
            let flows = FlowFinder.flows(in: Capture(exchanges))
            return PlanBuilder(try #require(flows.first), siblings: flows).plan()
        }
        #expect(try plan().loginsWithoutBrowser == [])
        let index = try #require(
            exchanges.firstIndex { $0.request.url.queryItems.contains("code_challenge") }
        )
        exchanges[index].request.body = Body(
            text: exchanges[index].request.url.query ?? "",
            mediaType: FormBody.mediaType
        )
        exchanges[index].request.url = RecordedURL(exchanges[index].request.url.withoutQuery)
        exchanges[index].request.method = "POST"
        #expect(try plan().loginsWithoutBrowser == [index])
    }
}
