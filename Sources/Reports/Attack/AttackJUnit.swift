import Diagnosis

/// Attack suites for test runners: a case per fault; one that was not exercised is skipped.
package enum AttackJUnit {
    package static func text(of report: AttackReport) -> String {
        let attacks = report.rows.filter(\.mustBeRejected)
        let others = report.rows.filter { !$0.mustBeRejected }
        let head = counts(report.rows, stop: report.stop)
        let time = report.duration.junitTime
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="authreel" \#(head) time="\#(time)">"#,
        ]
        lines += suite("must be rejected", attacks)
        lines += suite("for information", others)
        if let stopped = report.stopped {
            let words = XMLText.escaped(stopped.printable)
            lines += [
                #"  <testsuite name="the good login" tests="1" failures="0" errors="1">"#,
                #"    <testcase classname="attack-suite" name="the good login">"#,
                #"      <error type="stopped" message="\#(words)"/>"#, "    </testcase>", "  </testsuite>",
            ]
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n")
    }

    private static func counts(_ rows: [AttackReport.Row], stop: String? = nil) -> String {
        let failures = rows.count { $0.isFailure }
        let skipped = rows.count { isSkipped($0) }
        let errors = stop == nil ? 0 : 1
        return
            #"tests="\#(rows.count + errors)" failures="\#(failures)" errors="\#(errors)" skipped="\#(skipped)""#
    }

    private static func suite(_ name: String, _ rows: [AttackReport.Row]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let time = rows.reduce(Duration.zero) { $0 + ($1.duration ?? .zero) }.junitTime
        return [#"  <testsuite name="\#(name)" \#(counts(rows)) time="\#(time)">"#]
            + rows.flatMap(testCase) + ["  </testsuite>"]
    }

    private static func testCase(_ row: AttackReport.Row) -> [String] {
        let head =
            #"    <testcase classname="attack-suite" name="\#(XMLText.escaped(row.fault))" time="\#((row.duration ?? .zero).junitTime)""#
        if isSkipped(row) {
            let doubt = "rejected, but the good login failed afterwards as well"
            let reason = row.verdict == .undecided ? "undecided: \(row.reason ?? "")" : row.reason ?? doubt
            return [
                head + ">", #"      <skipped message="\#(XMLText.escaped(reason.printable))"/>"#,
                "    </testcase>",
            ]
        }
        guard row.isFailure else { return [head + "/>"] }
        let sections = row.specifications.map(\.text).joined(separator: ", ")
        let text =
            [row.summary, row.duty.map { "must: \($0)" }, sections, AttackText.course(row)]
            .compactMap { $0 }.filter { !$0.isEmpty } + row.lastWords.map(\.printable)
        return [
            head + ">",
            #"      <failure type="let-through" message="\#(XMLText.escaped("let through: \(row.summary)"))">"#
                + XMLText.escaped(text.joined(separator: "\n")) + "</failure>", "    </testcase>",
        ]
    }

    /// What proves nothing.
    private static func isSkipped(_ row: AttackReport.Row) -> Bool {
        row.verdict == .notExercised || row.verdict == .undecided || row.isDoubtful
    }
}
