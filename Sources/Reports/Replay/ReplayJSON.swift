import Diagnosis
import Flows
import JSON
import Replay

/// Replays for programs.
package enum ReplayJSON {
    /// What `replay --format json` prints.
    package static func text(of reports: [ReplayReport]) -> String {
        JSONWriter.text(
            of: .object([
                "version": JSONValue(Report.version),
                "same": .bool(reports.allSatisfy(\.isSame)),
                "replays": .array(reports.map(object)),
            ]),
            indented: true
        )
    }

    private static func object(_ report: ReplayReport) -> JSONValue {
        let times = report.times
        var object: JSONObject = [
            "capture": .string(report.capture), "flow": .string(report.flow.id),
            "same": .bool(report.isSame), "headline": .string(report.headline),
            "requests": JSONValue(report.run.exchanges.count),
            "milliseconds": .number(JSONNumber(milliseconds(times.whole))),
            "provider_milliseconds": .number(JSONNumber(milliseconds(times.provider))),
            "stopped": report.run.stop.map { .string("\($0)") } ?? .null,
            "not_sent": .array(
                report.notSent.map { step, reason in
                    [
                        "exchange": JSONValue(step.exchange),
                        "kind": .string(step.kind?.rawValue ?? "page_script"), "reason": .string(reason),
                    ]
                }
            ),
            "perhaps_stale": .array(
                (report.isSame ? [] : report.run.staleValues).map { step, names, headers in
                    [
                        "exchange": JSONValue(step.exchange),
                        "kind": .string(step.kind?.rawValue ?? "page_script"),
                        "names": .array(names.map { .string($0) }),
                        "headers": .array(headers.map { .string($0) }),
                    ]
                }
            ),
            "not_driven": .array(
                report.run.plan.leftOut.map { item in
                    [
                        "exchange": JSONValue(item.exchange),
                        "reason": .string(LeftOutWords.name(item.reason)),
                    ]
                }
            ),
            "recorded_outcome": .string(report.recorded.outcome.rawValue),
            "recorded_primary": primary(report.recorded),
        ]
        if let diagnosis = report.diagnosis {
            object["outcome"] = .string(diagnosis.outcome.rawValue)
            object["primary"] = primary(diagnosis)
            object["findings"] = .array(diagnosis.findings.map(JSONReport.finding))
        }
        if let difference = report.difference {
            object["comparison"] = .object(DifferenceJSON.object(of: difference))
        }
        return .object(object)
    }

    private static func primary(_ diagnosis: FlowDiagnosis) -> JSONValue {
        diagnosis.findings.first { $0.isPrimary }.map { .string($0.rule) } ?? .null
    }

    /// With three digits after the point.
    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1000
    }
}
