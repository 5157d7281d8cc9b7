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
            #"<testsuites name="authreel" tests="\#(reports.count)" \#(faults(reports)) time="\#(time(reports))">"#,
        ]
        for capture in captures {
            let own = reports.filter { $0.capture == capture }
            let name = XMLText.escaped(capture)
            lines.append(
                #"  <testsuite name="\#(name)" tests="\#(own.count)" \#(faults(own)) time="\#(time(own))">"#
            )
            for report in own { lines += testCase(report, of: name) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n")
    }

    /// How many differ, and how many found nobody.
    private static func faults(_ reports: [ReplayReport]) -> String {
        let errors = reports.count(where: \.foundNobody)
        return #"failures="\#(reports.count { !$0.isSame } - errors)" errors="\#(errors)""#
    }

    private static func time(_ reports: [ReplayReport]) -> String {
        let whole = reports.reduce(Duration.zero) { $0 + $1.times.whole }
        return whole.junitTime
    }

    private static func testCase(_ report: ReplayReport, of suite: String) -> [String] {
        let flow = report.flow
        let client = flow.clientID?.shortened(to: FlowHead.longest)
        let words = [flow.grant, flow.provider.rawValue, client].compactMap { $0 }.joined(separator: " ")
        let head =
            #"    <testcase classname="\#(suite)" name="\#(XMLText.escaped("\(flow.id) \(words)"))" time="\#(time([report]))""#
        guard !report.isSame else { return [head + "/>"] }
        let text = XMLText.escaped(ReplayText(report, showsAll: false, style: .plain).text)
        guard let reason = report.unreachable else {
            let message = XMLText.escaped(report.headline)
            return [
                head + ">", #"      <failure type="differs" message="\#(message)">\#(text)</failure>"#,
                "    </testcase>",
            ]
        }
        let who = report.run.beginsAtTheApp ? "the app" : "the provider"
        let message = XMLText.escaped("\(who) was not reached: \(reason)")
        return [
            head + ">", #"      <error type="unreachable" message="\#(message)">\#(text)</error>"#,
            "    </testcase>",
        ]
    }
}
