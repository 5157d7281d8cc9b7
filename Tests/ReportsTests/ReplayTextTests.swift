import Captures
import Diagnosis
import Flows
import Reports
import TestSupport
import Testing

@testable import Replay

/// What is said of a replay on a terminal.
struct ReplayTextTests {
    /// A replay whose sign-in page is refused.
    private static func refused() async throws -> ReplayReport {
        let flow = try ScriptedLogin.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let environment = FlowDriver.Environment(
            send: { request in
                let response =
                    switch request.url.path {
                    case "/authorize": RecordedResponse(status: 200, body: ScriptedLogin.page)
                    case "/sign-in":
                        RecordedResponse(status: 403, body: .json(#"{"error":"forbidden"}"#))
                    default: RecordedResponse(status: 500, body: .json(#"{"error":"server_error"}"#))
                    }
                return Exchange(startedAt: Timestamp(seconds: 0), request: request, response: response)
            },
            clock: { Timestamp(seconds: 0) },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
        let run = await FlowDriver(plan, environment).run()
        return ReplayReport(
            capture: "login.har",
            run: run,
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: []
        )
    }

    /// Of a page that was refused what may be of a login that is over, and how to send another.
    @Test func staleValuesAreNamedWhereAPageIsRefused() async throws {
        let text = ReplayText(try await Self.refused(), showsAll: false, style: .plain).text
        let head = "  sent as recorded, and perhaps stale (--set NAME=VALUE sends another parameter):\n"
        #expect(text.contains(head), "\(text)")
        let line = text.split(separator: "\n").first { $0.hasSuffix(": print") }
        #expect(line?.hasPrefix("    [1]  ") == true, "\(text)")
    }

    @Test func whatWasFoundAndHowMuchWorkItWasStandInOneLineWhereThereIsRoom() async throws {
        let report = try await Self.refused()
        func verdict(_ columns: Int) -> ArraySlice<Substring> {
            ReplayText(report, showsAll: false, style: .plain, columns: columns).text
                .split(separator: "\n", omittingEmptySubsequences: false).dropFirst().prefix { !$0.isEmpty }
        }
        #expect(verdict(200).count == 1 && verdict(60).count > 1, "\(verdict(200))")
        #expect(verdict(60).allSatisfy { $0.count <= 60 }, "\(verdict(60))")
        let words = [200, 60].map { verdict($0).flatMap { $0.split(separator: " ") } }
        #expect(words[0] == words[1] && words[0].contains("requests"))
    }

    /// Elsewhere they are as wide as they are.
    @Test func listsBelowTheStepsAreBrokenBetweenWordsOnATerminal() async throws {
        let report = try await Self.refused()
        let lists = [nil, 60].map { columns in
            ReplayText(report, showsAll: false, style: .plain, columns: columns).text
                .split(separator: "\n").drop {
                    !$0.hasPrefix("  not sent") && !$0.hasPrefix("  sent as recorded")
                }
        }
        #expect(lists[1].count > 2 && lists[1].allSatisfy { $0.count <= 60 }, "\(lists[1])")
        #expect(lists[0].contains { $0.count > 60 }, "\(lists[0])")
        #expect(
            lists[0].joined(separator: " ").split(separator: " ")
                == lists[1].joined(separator: " ").split(separator: " ")
        )
    }

    /// Where the first difference is a step that was not sent, the first line says why.
    @Test func firstLineSaysWhyAStepWasNotSent() async throws {
        let flow = try ScriptedLogin.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let environment = FlowDriver.Environment(
            send: { request in
                let body =
                    request.url.path == "/authorize"
                    ? ScriptedLogin.page : .json(#"{"message":"Enter the code"}"#)
                return Exchange(
                    startedAt: Timestamp(seconds: 0),
                    request: request,
                    response: RecordedResponse(status: 200, body: body)
                )
            },
            clock: { Timestamp(seconds: 0) },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
        let report = ReplayReport(
            capture: "login.har",
            run: await FlowDriver(plan, environment).run(),
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: []
        )
        let reason =
            "the page's script was answered 200 by https://id.example/sign-in, with no address to go on to"
        #expect(report.headline.hasPrefix("first difference: token_request: "), "\(report.headline)")
        #expect(report.headline.hasSuffix(": " + reason), "\(report.headline)")
    }

    /// A warning of the new run is told though the runs are the same, unless the recording has it, too.
    @Test(arguments: [true, false]) func newWarningIsTold(isNew: Bool) async throws {
        let flow = try ReplayedGrant.flow()
        let now = flow.started + .seconds(2_000)
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let report = ReplayReport(
            capture: "login.har",
            run: await FlowDriver(plan, ReplayedGrant.environment(at: now)).run(),
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: [WarningSince(start: isNew ? now : flow.started)]
        )
        #expect(report.isSame, "\(report.headline)")
        let text = ReplayText(report, showsAll: false, style: .plain).text
        #expect(text.contains("the new run: warning warning-since: A warning") == isNew, "\(text)")
    }

    /// What a recording leaves open with the app's own exchanges, a run without them can't say.
    @Test(arguments: [true, false]) func whatIsLeftOpenWithTheAppIsNoNews(isAppDriven: Bool) async throws {
        let flow = try ReplayedGrant.flow(before: "https://app.example/")
        let now = flow.started + .seconds(2_000)
        var plan = PlanBuilder(flow, siblings: [flow]).plan()
        if !isAppDriven {
            plan.leftOut = [ReplayPlan.LeftOut(exchange: 1, reason: .app(origin: "https://app.example"))]
        }
        let report = ReplayReport(
            capture: "login.har",
            run: await FlowDriver(plan, ReplayedGrant.environment(at: now)).run(),
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: [WarningSince(start: now, before: .abstains("a request is not recorded"))]
        )
        #expect(report.isSame, "\(report.headline)")
        let text = ReplayText(report, showsAll: false, style: .plain).text
        #expect(text.contains("the new run: warning warning-since: A warning") == isAppDriven, "\(text)")
    }

    /// Warns of every flow that begins at a time or later.
    private struct WarningSince: Rule {
        static let info = RuleInfo(
            id: "warning-since",
            title: "A warning",
            severity: .warning,
            explanation: "A warning.",
            fix: "None.",
            badExample: "",
            goodExample: "",
            specifications: []
        )

        private let start: Timestamp
        /// What is said of the others.
        private let before: Verdict

        init() { self.init(start: Timestamp(seconds: 0)) }

        init(start: Timestamp, before: Verdict = .holds) { (self.start, self.before) = (start, before) }

        func verdict(on flow: Flow) -> Verdict {
            guard flow.started >= start, let exchange = flow.exchanges.first else { return before }
            let place = Place(exchange: exchange, part: .requestURL, name: "")
            return .violated(Violation([Evidence(place: place, value: "now")]))
        }
    }

    /// The login is at the provider, also where the app is asked first.
    @Test(arguments: [[], ["shop.example"]]) func headNamesTheProvider(hosts: [String]) async throws {
        let flows = FlowFinder.flows(in: CaptureBuilder.loginBegun(at: "https://shop.example"))
        let options = PlanOptions(allowedHosts: hosts)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows, options: options).plan()
        let environment = FlowDriver.Environment(
            send: { Exchange(startedAt: Timestamp(seconds: 0), request: $0, failure: "ECONNREFUSED") },
            clock: { Timestamp(seconds: 0) },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
        let run = await FlowDriver(plan, environment, options: FlowDriver.Options(plan: options)).run()
        let report = ReplayReport(
            capture: "login.har",
            run: run,
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: []
        )
        let head = ReplayText(report, showsAll: false, style: .plain).text.split(separator: "\n").first
        #expect(head?.hasSuffix(" · at https://idp.example") == true)
        #expect(run.exchanges.first?.request.url.host == (hosts.first ?? "idp.example"))
    }
}
