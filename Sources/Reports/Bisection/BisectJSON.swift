import Diagnosis
import Flows
import JSON
import Replay

/// A bisection for programs.
package enum BisectJSON {
    /// What `diff --bisect --format json` prints.
    package static func text(of report: BisectReport) -> String {
        var object: JSONObject = [
            "version": JSONValue(Report.version),
            "captures": [.string(report.good.capture), .string(report.bad.capture)],
            "flows": [.string(report.good.flow.id), .string(report.bad.flow.id)],
            "headline": .string(report.headline),
            "recorded_primary": report.recordedCause.map { .string($0.rule) } ?? .null,
        ]
        if let result = report.result {
            object["ending"] = .string(result.ending.rawValue)
            object["drives"] = JSONValue(result.drives)
            object["minimal"] = result.ending == .found ? .bool(result.isMinimal) : .null
            object["primary"] = report.cause.map { .string($0.rule) } ?? .null
            object["fails_alone"] = result.failsAlone.map { .bool($0) } ?? .null
        }
        object["differences"] = .array(report.changes.indices.map { change($0, of: report) })
        if let result = report.result {
            object["attempts"] = .array(result.attempts.map(attempt))
        }
        if let proof = report.proof { object["proof"] = .string(proof) }
        return JSONWriter.text(of: .object(object), indented: true)
    }

    private static func change(_ index: Int, of report: BisectReport) -> JSONValue {
        let change = report.changes[index]
        return [
            "role": .string(report.role(of: index).rawValue),
            "kind": .string(change.kind.rawValue),
            "exchanges": .array(
                change.locations.map { location in
                    [DifferenceJSON.number(location.expected), DifferenceJSON.number(location.seen)]
                }
            ),
            "difference": DifferenceJSON.value(change.difference),
        ]
    }

    private static func attempt(_ attempt: FlowBisection.Attempt) -> JSONValue {
        [
            "differences": .array(attempt.set.map { JSONValue($0) }),
            "outcome": .string(attempt.outcome.rawValue),
            "ending": .string(BisectReport.ending(of: attempt)),
            "requests": JSONValue(attempt.trial.run.exchanges.count),
        ]
    }
}
