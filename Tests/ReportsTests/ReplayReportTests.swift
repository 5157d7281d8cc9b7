import Captures
import Diagnosis
import Flows
import Replay
import Reports
import Testing

/// What is said of a replay in a line.
struct ReplayReportTests {
    /// Is broken by whatever is later than the recording.
    private struct IsLate: Rule {
        static let info = RuleInfo(
            id: "is-late",
            title: "late",
            severity: .warning,
            explanation: "",
            fix: "",
            badExample: "",
            goodExample: "",
            specifications: []
        )

        func verdict(on flow: Flow) -> Verdict {
            guard let last = flow.exchanges.last,
                flow.capture[last].startedAt > ReplayReportTests.recordingsEnd
            else {
                return .holds
            }
            let place = Place(exchange: last, part: .requestURL, name: "")
            return .violated(Violation([Evidence(place: place, value: "")]))
        }
    }

    fileprivate static let recordingsEnd = Timestamp(seconds: 1_785_000_000)

    private static func headline(rules: [any Rule]) async throws -> String {
        let flow = try ReplayedGrant.flow()
        let plan = PlanBuilder(flow, siblings: [flow]).plan()
        let run = await FlowDriver(plan, ReplayedGrant.environment(at: recordingsEnd + .seconds(1))).run()
        return ReplayReport(
            capture: "login.har",
            run: run,
            map: EndpointMap(),
            options: ComparisonOptions(),
            rules: rules
        ).headline
    }

    @Test func newRunThatIsBrokenWhereTheRecordedIsNotIsNotJustTheSame() async throws {
        #expect(try await Self.headline(rules: []) == "the same")
        #expect(
            try await Self.headline(rules: [IsLate()])
                == "the same at the provider, with a finding of its own: is-late"
        )
    }
}
