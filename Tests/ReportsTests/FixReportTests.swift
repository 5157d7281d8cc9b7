import Captures
import Flows
import Replay
import Reports
import Testing

/// What is said of the changes that were tried.
struct FixReportTests {
    private static func unchanged(_ verdict: @escaping @Sendable (Flow) -> FlowBisection.Verdict) async throws
        -> FixSearch.Attempt
    {
        let flow = try ReplayedGrant.flow()
        let search = FixSearch(
            PlanBuilder(flow, siblings: [flow]).plan(),
            [],
            ReplayedGrant.environment(at: Timestamp(seconds: 1_790_000_000)),
            options: FlowDriver.Options(),
            judge: verdict
        )
        return try #require(await search.run().unchanged)
    }

    /// The answer is right, and the page may not read it.
    @Test func findingByWhichARunWasJudgedIsNamed() async throws {
        let attempt = try await Self.unchanged { .fails(LoginFailure(of: $0, rule: "cors-blocked")) }
        let line = FixText.line(for: attempt, TextStyle.plain)
        #expect(line == "  ✘ Nothing changed  (cors-blocked)")
    }

    @Test func loginThatWorksIsTicked() async throws {
        let attempt = try await Self.unchanged { _ in .works }
        #expect(FixText.line(for: attempt, TextStyle.plain) == "  ✔ Nothing changed")
    }
}
