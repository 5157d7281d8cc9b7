import Captures
package import Diagnosis
import Flows

/// The form that test runners read: a suite per capture, a case per flow, a failure per finding that counts.
package enum JUnitReport {
    /// What `diagnose --format junit` prints.
    ///
    /// `threshold`: findings of this severity and worse are failures.
    package static func text(of reports: [Report], failingOn threshold: Severity) -> String {
        var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
        let counts = reports.map { count($0, threshold) }
        let total = counts.reduce((cases: 0, failures: 0)) {
            ($0.cases + $1.cases, $0.failures + $1.failures)
        }
        let errors = errors(reports.count { $0.failure != nil })
        lines.append(
            #"<testsuites name="authreel" tests="\#(total.cases)" failures="\#(total.failures)"\#(errors)>"#
        )
        for (report, count) in zip(reports, counts) {
            let name = XMLText.escaped(report.name)
            lines.append(
                #"  <testsuite name="\#(name)" tests="\#(count.cases)" failures="\#(count.failures)"\#(Self.errors(report.failure == nil ? 0 : 1))>"#
            )
            if let failure = report.failure {
                lines += [
                    #"    <testcase classname="\#(name)" name="capture">"#,
                    #"      <error type="unreadable" message="\#(XMLText.escaped(failure))"/>"#,
                    "    </testcase>",
                ]
            }
            for item in report.flows { lines += testCase(item, of: report.name, threshold) }
            let words = words(besideTheCasesOf: report).map(XMLText.escaped)
            if !words.isEmpty {
                lines.append("    <system-err>\(words.joined(separator: "\n"))</system-err>")
            }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n")
    }

    /// A suite without cases is green: that nothing was there to be judged is said, as is what could not be read.
    private static func words(besideTheCasesOf report: Report) -> [String] {
        let nothing =
            report.hasNoLogin ? [LoginlessCapture(report.capture).line(named: report.name)] : []
        return nothing + report.capture.losses.map { "not read: \($0)" }
    }

    private static func count(_ report: Report, _ threshold: Severity) -> (cases: Int, failures: Int) {
        let failing = report.flows.count { item in
            item.diagnosis.findings.contains { $0.severity.isAtLeast(threshold) }
        }
        return (report.flows.count + (report.failure == nil ? 0 : 1), failing)
    }

    /// Said only where there is one.
    private static func errors(_ count: Int) -> String { count == 0 ? "" : #" errors="\#(count)""# }

    private static func testCase(_ item: Report.DiagnosedFlow, of capture: String, _ threshold: Severity)
        -> [String]
    {
        let suite = XMLText.escaped(capture)
        let flow = item.flow
        let client = flow.clientID?.shortened(to: FlowHead.longest)
        let words = [FlowHead.grant(flow.grant), flow.provider.rawValue, client].compactMap { $0 }.joined(
            separator: " "
        )
        let name = XMLText.escaped("\(flow.id) \(words)")
        let findings = item.diagnosis.findings
        // One failure of a case counts; the root cause comes first, the rest stands below it.
        guard let first = findings.first(where: { $0.severity.isAtLeast(threshold) }) else {
            return [#"    <testcase classname="\#(suite)" name="\#(name)"/>"#]
        }
        let text = DiagnosisText(item: item, name: capture, showsAbstentions: false, style: .plain).text
        return [
            #"    <testcase classname="\#(suite)" name="\#(name)">"#,
            #"      <failure type="\#(XMLText.escaped(first.rule))" message="\#(XMLText.escaped(first.title))">"#
                + XMLText.escaped(text) + "</failure>",
            "    </testcase>",
        ]
    }
}

extension Severity {
    /// Whether this is as bad as the other, or worse.
    package func isAtLeast(_ other: Severity) -> Bool {
        (Self.allCases.firstIndex(of: self) ?? 0) <= (Self.allCases.firstIndex(of: other) ?? 0)
    }
}
