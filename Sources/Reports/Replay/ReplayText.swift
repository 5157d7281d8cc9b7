import Captures
import Diagnosis
import Flows
import Replay

/// Replays for people on a terminal: a verdict per flow, the steps that differ, what could not be sent, and what the
/// new run's own diagnosis is.
package struct ReplayText {
    private let report: ReplayReport
    private let showsAll: Bool
    private let style: TextStyle
    private let columns: Int?

    /// - Parameters:
    ///   - report: of one flow.
    ///   - showsAll: also shows equal steps and what is only worth knowing.
    ///   - style: of the terminal.
    ///   - columns: how wide lines may be; 40 at least. Nil where nothing but the steps and the verdict is to be broken.
    package init(_ report: ReplayReport, showsAll: Bool, style: TextStyle, columns: Int? = nil) {
        self.report = report
        self.showsAll = showsAll
        self.style = style
        self.columns = columns
    }

    package var text: String {
        var lines = [head] + verdict
        if let difference = report.difference, showsAll || !report.isSame {
            let text = DifferenceText(difference, showsAll: showsAll, style: style, columns: width)
            lines += [""] + text.steps
            let overall = text.overall
            if !overall.isEmpty { lines += ["  the flow as a whole"] + overall }
        }
        lines += notSent
        lines += stale
        lines += notDriven
        lines += findings
        return lines.joined(separator: "\n")
    }

    /// The line of a suite.
    package var line: String {
        "  \(report.isSame ? style.green("=") : style.red("≠")) \(name)  "
            + (report.isSame ? style.dim(report.headline.printable) : report.headline.printable)
    }

    // MARK: - Parts

    /// Of the steps and the verdict.
    private var width: Int { columns ?? 100 }

    private var name: String { "\(report.capture)#\(report.flow.id)".printable }

    private var head: String {
        let flow = report.flow
        let parts = [
            flow.grant, FlowHead.provider(flow.provider), flow.clientID.map { "client \(FlowHead.name($0))" },
            address.map { "at \($0)" },
        ]
        return style.bold(name) + " · " + parts.compactMap { $0 }.joined(separator: " · ").printable
    }

    /// Where the provider is; the app, where that is driven, comes before it.
    private var address: String? {
        var plan = report.run.plan
        if report.run.beginsAtTheApp,
            let request = plan.steps.first(where: { $0.kind == .authorizationRequest })
        {
            plan.steps = [request]
        }
        return PlanText.origins(of: plan, report.map).first
    }

    /// With the work that it was: behind it, or below it where a line has no room for both.
    private var verdict: [String] {
        let count = report.run.exchanges.count
        let work = "\(count.counted("request")) in \(PlanText.seconds(report.times.whole))"
        let words = report.headline.printable
        func styled(_ line: String) -> String { report.isSame ? style.green(line) : style.red(line) }
        guard words.count + work.count + 4 > width else {
            return ["  \(styled(words))" + style.dim("  \(work)")]
        }
        return words.wrapped(to: width, indent: "  ", hanging: "  ").map(styled) + [
            style.dim("    \(work)")
        ]
    }

    private var notSent: [String] {
        guard !report.notSent.isEmpty else { return [] }
        return ["", "  not sent:"]
            + report.notSent.map { step, reason in
                entry(of: step, reason.printable)
            }
    }

    /// What is told of a step in a list, behind its number.
    private func entry(of step: PlannedStep, _ words: String) -> String {
        let number = "[\(step.exchange)]".padded(to: 5)
        return "\(PlanText.name(of: step)): \(words)"
            .behind("    \(style.dim(number))", of: number.count + 4, columns: columns)
    }

    private var stale: [String] {
        let steps = report.isSame ? [] : report.run.staleValues
        guard !steps.isEmpty else { return [] }
        // Of header fields there is none to set.
        let advice = steps.allSatisfy(\.names.isEmpty) ? "" : " (--set NAME=VALUE sends another parameter)"
        return [""]
            + PlanText.lines("sent as recorded, and perhaps stale\(advice):", indent: "  ", columns)
            + steps.map { step, names, headers in
                entry(of: step, (names + headers.map { "header \($0)" }).joined(separator: ", ").printable)
            }
    }

    private var notDriven: [String] {
        let groups = LeftOutWords.grouped(report.run.plan.leftOut)
        guard !groups.isEmpty, showsAll || !report.isSame else { return [] }
        return ["", "  not driven:"]
            + groups.flatMap { words, exchanges in
                let places = exchanges.map { "[\($0)]" }.joined(separator: " ")
                return PlanText.lines("\(words): \(places)", indent: "    ", columns)
            }
    }

    private var findings: [String] {
        guard let diagnosis = report.diagnosis, let primary = diagnosis.findings.first(where: \.isPrimary),
            showsAll || !report.isSame || primary.severity == .error
                || primary.severity == .warning && report.isNews(of: primary.rule)
        else { return [] }
        let lead = "  the new run: "
        let head = "\(lead)\(style.severity(primary.severity)) \(style.bold(primary.rule)): "
        let room = "\(lead)\(primary.severity.rawValue) \(primary.rule): ".count
        return ["", primary.title.behind(head, of: room, columns: columns)]
    }
}
