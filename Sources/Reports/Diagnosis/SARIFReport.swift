import Captures
package import Diagnosis
import Flows
import JSON

/// The form that code hosts show beside a change (SARIF 2.1.0): a result per finding, at the entry it rests on.
package enum SARIFReport {
    /// What `diagnose --format sarif` prints.
    ///
    /// `version`: of the program.
    package static func text(of reports: [Report], rules: [RuleInfo], version: String) -> String {
        let indices = Dictionary(rules.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let results = reports.flatMap { report in
            report.flows.flatMap { item in
                item.diagnosis.findings.map { result($0, of: item, in: report, indices) }
            }
        }
        let driver: JSONValue = [
            "name": "authreel", "version": .string(version), "rules": .array(rules.map(descriptor)),
        ]
        var run: JSONObject = [
            "tool": ["driver": driver], "columnKind": "unicodeCodePoints", "results": .array(results),
        ]
        let unread = reports.compactMap { report in report.failure.map { notification($0, of: report) } }
        if !unread.isEmpty {
            run["invocations"] = [
                ["executionSuccessful": false, "toolExecutionNotifications": .array(unread)]
            ]
        }
        return JSONWriter.text(
            of: [
                "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
                "runs": [.object(run)],
            ],
            indented: true
        )
    }

    /// Of a capture that could not be read (SARIF 2.1.0, 3.58).
    private static func notification(_ failure: String, of report: Report) -> JSONValue {
        [
            "level": "error", "message": message(failure),
            "locations": .array([location(nil, nil, in: report)]),
        ]
    }

    private static func descriptor(_ info: RuleInfo) -> JSONValue {
        var object: JSONObject = [
            "id": .string(info.id), "shortDescription": ["text": .string(info.title)],
            "fullDescription": ["text": .string(info.explanation)], "help": ["text": .string(info.fix)],
            "defaultConfiguration": ["level": .string(level(info.severity))],
        ]
        if let url = info.specifications.lazy.compactMap(\.url).first { object["helpUri"] = .string(url) }
        return .object(object)
    }

    private static func level(_ severity: RuleSeverity) -> String {
        switch severity {
        case .error, .errorWhenRefused: "error"
        case .warning: "warning"
        case .note: "note"
        }
    }

    private static func result(
        _ finding: Finding,
        of item: Report.DiagnosedFlow,
        in report: Report,
        _ indices: [String: Int]
    ) -> JSONValue {
        let places = finding.evidence.filter { $0.place.exchange != nil }
        var object: JSONObject = [
            "ruleId": .string(finding.rule), "level": .string(finding.severity.rawValue),
            "message": message(text(of: finding)),
        ]
        if let index = indices[finding.rule] { object["ruleIndex"] = JSONValue(index) }
        object["locations"] = .array([location(places.first?.place.exchange, nil, in: report)])
        object["relatedLocations"] = .array(
            places.map {
                location(
                    $0.place.exchange,
                    "\($0.place.part.rawValue) \($0.place.name): \($0.value)",
                    in: report
                )
            }
        )
        var properties: JSONObject = [
            "flow": .string(item.flow.id), "primary": .bool(finding.isPrimary),
            "variant": finding.variant.map { .string($0) } ?? .null,
            "effectOf": finding.effectOf.map { .string($0) } ?? .null,
            "effectOfFlow": finding.effectOfFlow.map { .string($0) } ?? .null,
        ]
        if let later = item.later { properties["laterSuccess"] = JSONReport.later(later) }
        object["properties"] = .object(properties)
        return .object(object)
    }

    private static func text(of finding: Finding) -> String {
        let way = finding.way.map { " (\($0))" } ?? ""
        return "\(finding.title)\(way). \(finding.explanation) \(finding.fix)"
    }

    /// A message with words of a capture in it: nothing of them is filled in or linked (SARIF 2.1.0, 3.11.5 and 3.11.6).
    ///
    /// Brackets that make no link stand as they are, as 3.11.6 allows: viewers show a backslash before them.
    private static func message(_ text: String) -> JSONValue {
        let hasLink = text.containsBytes("](")
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "{", "}": escaped.unicodeScalars.append(scalar)
            case "[", "]", "\\": if hasLink { escaped += "\\" }
            default: break
            }
            escaped.unicodeScalars.append(scalar)
        }
        return ["text": .string(escaped)]
    }

    private static func location(_ exchange: Int?, _ words: String?, in report: Report) -> JSONValue {
        var physical: JSONObject = [
            "artifactLocation": ["uri": .string(PercentEncoding.encodePath(report.name))]
        ]
        if let line = exchange.flatMap({ report.capture.line(ofEntry: $0) }) {
            physical["region"] = ["startLine": JSONValue(line)]
        }
        var object: JSONObject = ["physicalLocation": .object(physical)]
        if let words { object["message"] = message(words) }
        return .object(object)
    }
}
