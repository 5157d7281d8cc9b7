import Flows
import Replay

/// The comparison of two flows for test runners: a case per step, a failure for each that differs.
package enum DifferenceJUnit {
    /// A suite per comparison.
    package static func text(of reports: [DifferenceReport]) -> String {
        let suites = reports.map(suite)
        let tests = suites.reduce(0) { $0 + $1.tests }
        let failures = suites.reduce(0) { $0 + $1.failures }
        let lines =
            [
                #"<?xml version="1.0" encoding="UTF-8"?>"#,
                #"<testsuites name="authreel" tests="\#(tests)" failures="\#(failures)">"#,
            ] + suites.flatMap(\.lines) + ["</testsuites>"]
        return lines.joined(separator: "\n")
    }

    private static func suite(_ report: DifferenceReport) -> (tests: Int, failures: Int, lines: [String]) {
        let name = XMLText.escaped("\(report.expected.name) \(report.seen.name)")
        var cases: [(name: String, failures: [ValueDifference])] = report.difference.steps.enumerated().map {
            (
                "\($0.offset + 1) \($0.element.kind.rawValue) \($0.element.summary)",
                failures(of: $0.element.differences)
            )
        }
        cases.append(("the flow as a whole", failures(of: report.difference.overall)))
        let failing = cases.count { !$0.failures.isEmpty }
        let lines =
            [#"  <testsuite name="\#(name)" tests="\#(cases.count)" failures="\#(failing)">"#]
            + cases.flatMap { testCase($0.name, $0.failures, of: name) } + ["  </testsuite>"]
        return (cases.count, failing, lines)
    }

    private static func failures(of differences: [ValueDifference]) -> [ValueDifference] {
        differences.filter { $0.weight == .difference }
    }

    private static func testCase(_ name: String, _ failures: [ValueDifference], of suite: String) -> [String]
    {
        let name = XMLText.escaped(name)
        guard let first = failures.first else {
            return [#"    <testcase classname="\#(suite)" name="\#(name)"/>"#]
        }
        let text = failures.flatMap { difference in
            [DifferenceReport.words(for: difference)]
                + [difference.expected.map { "  A \($0)" }].compactMap { $0 }
                + [difference.seen.map { "  B \($0)" }].compactMap { $0 }
        }
        return [
            #"    <testcase classname="\#(suite)" name="\#(name)">"#,
            #"      <failure type="\#(XMLText.escaped(first.label))" message="\#(XMLText.escaped(DifferenceReport.words(for: first)))">"#
                + XMLText.escaped(text.joined(separator: "\n").printableLines) + "</failure>",
            "    </testcase>",
        ]
    }
}

extension String {
    /// Printable line by line.
    fileprivate var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(
            separator: "\n"
        )
    }
}
