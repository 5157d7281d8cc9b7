import Captures
import Diagnosis
import JSON

/// Attack suites for programs.
package enum AttackJSON {
    /// What `mock --attack-suite --format json` prints.
    package static func text(of report: AttackReport) -> String {
        JSONWriter.text(
            of: .object([
                "version": JSONValue(Report.version),
                "issuer": .string(report.issuer), "command": .string(report.command),
                "let_through": JSONValue(report.failures.count),
                "rejected": count(report, .rejected), "undecided": count(report, .undecided),
                "not_exercised": JSONValue(report.rows.count - report.exercised.count),
                "good_logins": JSONValue(report.goodLogins),
                "seconds": .number(JSONNumber(seconds(report.duration))),
                "stopped": report.stop.map { .string($0) } ?? .null,
                "not_reached": JSONValue(report.notReached),
                "faults": .array(report.rows.map(object)),
            ]),
            indented: true
        )
    }

    /// Of those that must be rejected.
    private static func count(_ report: AttackReport, _ verdict: AttackReport.Verdict) -> JSONValue {
        JSONValue(report.rows(mustBeRejected: true, verdict).count)
    }

    private static func object(_ row: AttackReport.Row) -> JSONValue {
        var object: JSONObject = [
            "fault": .string(row.fault), "rule": row.rule.map { .string($0) } ?? .null,
            "summary": .string(row.summary), "must_be_rejected": .bool(row.mustBeRejected),
            "verdict": .string(row.verdict.rawValue),
        ]
        if let duty = row.duty { object["duty"] = .string(duty) }
        if row.mustBeRejected {
            object["sources"] = .array(row.specifications.map { .string($0.text) })
        }
        if let reason = row.reason { object["reason"] = .string(reason) }
        guard let ending = row.ending else { return .object(object) }
        object["ending"] = .string(ending)
        object["timed_out"] = .bool(row.isTimeout)
        object["confirmed"] = .bool(row.isConfirmed)
        if let duration = row.duration { object["seconds"] = .number(JSONNumber(seconds(duration))) }
        object["went_on"] = .array(row.wentOn.map { .string($0) })
        object["output"] = .array(row.lastWords.map { .string($0) })
        return .object(object)
    }

    /// With three digits after the point.
    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.wholeMilliseconds) / 1000
    }
}
