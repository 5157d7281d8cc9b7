import Diagnosis
import Flows
import JSON
import Replay

/// The search for a fix, for programs.
package enum FixJSON {
    package static func text(of reports: [FixReport]) -> String {
        JSONWriter.text(
            of: .object([
                "version": JSONValue(Report.version),
                "searches": .array(reports.map(search)),
            ]),
            indented: true
        )
    }

    private static func search(_ report: FixReport) -> JSONValue {
        [
            "capture": .string(report.capture), "flow": .string(report.plan.flow.id),
            "recorded_primary": report.cause.map { .string($0.rule) } ?? .null,
            "unchanged": report.search.unchanged.map(attempt) ?? .null,
            "tried": .array(report.search.attempts.map(attempt)),
            "fix": report.search.fix.map(attempt) ?? .null,
            "interrupted": .bool(report.search.isInterrupted),
        ]
    }

    private static func attempt(_ attempt: FixSearch.Attempt) -> JSONValue {
        [
            "change": .string(attempt.hypothesis.id), "advice": .string(attempt.hypothesis.advice),
            "works": .bool(attempt.works), "reach": .string(reach(attempt.reach)),
            "ending": .string(FixReport.ending(of: attempt)),
            "requests": JSONValue(attempt.run.exchanges.count),
            "set": .array(FixText.changes(attempt.hypothesis).map { .string($0) }),
        ]
    }

    private static func reach(_ reach: FixSearch.Reach) -> String {
        switch reach {
        case .end: "end"
        case .signIn: "sign_in"
        case .none: "none"
        }
    }
}
