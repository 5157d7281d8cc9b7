import Captures
import Diagnosis
import Flows
import Replay
import Reports
import TestSupport
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
        let answer = Body.json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        var capture = CaptureBuilder()
        capture.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "a-secret")],
            body: answer
        )
        let flow = try #require(FlowFinder.flows(in: capture.capture).first)
        let now = Timestamp(seconds: 1_790_000_000)
        let environment = FlowDriver.Environment(
            send: { request in
                Exchange(
                    startedAt: now,
                    duration: .milliseconds(20),
                    request: request,
                    response: RecordedResponse(
                        status: 200,
                        headers: HeaderFields([("Content-Type", "application/json")]),
                        body: answer
                    )
                )
            },
            clock: { now },
            sleep: { _ in },
            random: { [UInt8](repeating: 7, count: $0) }
        )
        let run = await FlowDriver(PlanBuilder(flow, siblings: [flow]).plan(), environment).run()
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
