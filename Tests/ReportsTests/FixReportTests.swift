import Captures
import Diagnosis
import Flows
import Replay
import Reports
import Testing

/// What is said of the changes that were tried.
struct FixReportTests {
    private static func result(_ verdict: @escaping @Sendable (Flow) -> FlowBisection.Verdict) async throws
        -> (plan: ReplayPlan, search: FixSearch.Result)
    {
        let flow = try ReplayedGrant.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let search = FixSearch(
            plan,
            [],
            ReplayedGrant.environment(at: Timestamp(seconds: 1_790_000_000)),
            options: FlowDriver.Options(),
            judge: verdict
        )
        return (plan, await search.run())
    }

    private static func unchanged(_ verdict: @escaping @Sendable (Flow) -> FlowBisection.Verdict) async throws
        -> FixSearch.Attempt
    {
        try #require(try await result(verdict).search.unchanged)
    }

    /// What was told while it was tried is not told again on the same screen.
    @Test(arguments: [true, false]) func attemptsAreListedWhereTheyWereNotTold(areListed: Bool) async throws {
        let (plan, search) = try await Self.result { .fails(LoginFailure(of: $0, rule: "cors-blocked")) }
        let recorded = Diagnostician.diagnose(plan.flow, rules: [])
        let report = FixReport(capture: "login.har", plan: plan, recorded: recorded, search: search)
        let text = FixText.text(of: report, style: .plain, listsAttempts: areListed)
        #expect(text.contains("✘ Nothing changed") == areListed)
        #expect(text.hasPrefix("login.har#") && text.hasSuffix("  nothing to try"))
    }

    /// The answer is right, and the page may not read it.
    @Test func findingByWhichARunWasJudgedIsNamed() async throws {
        let attempt = try await Self.unchanged { .fails(LoginFailure(of: $0, rule: "cors-blocked")) }
        let line = FixText.line(for: attempt, TextStyle.plain)
        #expect(line == "  ✘ Nothing changed  (cors-blocked)")
    }

    /// The advice stands below its own beginning where a terminal has no room for it in one line.
    @Test func adviceIsBrokenBetweenWords() async throws {
        var attempt = try await Self.unchanged { .fails(LoginFailure(of: $0, rule: "cors-blocked")) }
        attempt.hypothesis.advice = "Send the very redirect_uri of the authorization request"
        #expect(
            FixText.line(for: attempt, TextStyle.plain, columns: 40) == """
                  ✘ Send the very redirect_uri of the
                    authorization request (cors-blocked)
                """
        )
        #expect(!FixText.line(for: attempt, TextStyle.plain, columns: 80).contains("\n"))
    }

    @Test func loginThatWorksIsTicked() async throws {
        let attempt = try await Self.unchanged { _ in .works }
        #expect(FixText.line(for: attempt, TextStyle.plain) == "  ✔ Nothing changed")
    }
}
