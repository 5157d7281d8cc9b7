import Flows
import Replay

/// Replays for test runners: a suite per capture, a case per flow.
package enum ReplayJUnit {
    package static func text(of reports: [ReplayReport]) -> String {
        let captures = reports.reduce(into: [String]()) {
            if !$0.contains($1.capture) { $0.append($1.capture) }
        }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="authreel" tests="\#(reports.count)" failures="\#(failures(reports))" time="\#(time(reports))">"#,
        ]
        for capture in captures {
            let own = reports.filter { $0.capture == capture }
            let name = XMLText.escaped(capture)
            lines.append(
                #"  <testsuite name="\#(name)" tests="\#(own.count)" failures="\#(failures(own))" time="\#(time(own))">"#
            )
            for report in own { lines += testCase(report, of: name) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n")
    }

    private static func failures(_ reports: [ReplayReport]) -> Int { reports.count { !$0.isSame } }

    private static func time(_ reports: [ReplayReport]) -> String {
        let whole = reports.reduce(Duration.zero) { $0 + $1.times.whole }
        return whole.junitTime
    }

    private static func testCase(_ report: ReplayReport, of suite: String) -> [String] {
        let flow = report.flow
        let words = [flow.grant, flow.provider.rawValue, flow.clientID].compactMap { $0 }.joined(
            separator: " "
        )
        let head =
            #"    <testcase classname="\#(suite)" name="\#(XMLText.escaped("\(flow.id) \(words)"))" time="\#(time([report]))""#
        guard !report.isSame else { return [head + "/>"] }
        let text = ReplayText(report, showsAll: false, style: .plain).text
        return [
            head + ">",
            #"      <failure type="differs" message="\#(XMLText.escaped(report.headline))">"#
                + XMLText.escaped(text)
                + "</failure>", "    </testcase>",
        ]
    }
}
