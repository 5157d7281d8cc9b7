package import Diagnosis
import Captures
import Flows
import JSON
import OAuth
package import Replay

/// What was tried on a login that fails, and what made it work.
package struct FixReport: Sendable {
    package var capture: String
    package var plan: ReplayPlan
    /// Of the recorded flow.
    package var recorded: FlowDiagnosis
    package var search: FixSearch.Result

    package init(capture: String, plan: ReplayPlan, recorded: FlowDiagnosis, search: FixSearch.Result) {
        self.capture = capture
        self.plan = plan
        self.recorded = recorded
        self.search = search
    }

    /// The recorded root cause.
    var cause: Finding? { recorded.findings.first(where: \.isPrimary) }

    /// How a failed attempt ended, in a line.
    static func ending(of attempt: FixSearch.Attempt) -> String {
        if attempt.reach == .end { return "works" }
        if attempt.reach == .signIn, case .unknownPage(_, let title) = attempt.run.stop {
            return "gets to the sign-in page\(title.isEmpty ? "" : " (\(title))")"
        }
        if let stop = attempt.run.stop { return "\(stop)" }
        guard let flow = attempt.flow else { return "nothing was answered" }
        // The last one: what was refused on the way was refused in the recording, too, or mended by a second try.
        let steps = Array(zip(attempt.run.plan.steps, attempt.run.results))
        let failed = steps.last { step, result in
            guard case .sent(let live) = result, step.kind != nil, step.kind != .userInteraction else {
                return false
            }
            return (attempt.run.exchanges[live].response?.status ?? 599) >= 400
        }
        if let (step, result) = failed, case .sent(let live) = result {
            let status = attempt.run.exchanges[live].response.map { "\($0.status)" } ?? "no answer"
            return "\(PlanText.name(of: step)): \(status)"
        }
        return flow.authorizationResponses.last?.error.map { "authorization response: \($0.error)" }
            ?? "still \(flow.ending.rawValue)"
    }
}

/// The search for a fix, for people on a terminal.
package enum FixText {
    package static func text(of report: FixReport, style: TextStyle) -> String {
        let name = "\(report.capture)#\(report.plan.flow.id)".printable
        var lines = [style.bold(name)]
        if let cause = report.cause {
            lines.append(
                "  fails: \(style.severity(cause.severity)) \(style.bold(cause.rule)): \(cause.title)"
            )
        }
        lines.append("")
        for attempt in report.search.attempts { lines.append(line(for: attempt, style)) }
        lines.append("")
        guard let fix = report.search.fix else {
            let count = report.search.attempts.count
            lines.append(
                "  " + style.red(count == 0 ? "nothing to try" : "none of \(count) changes makes it work")
            )
            return lines.joined(separator: "\n")
        }
        lines.append(
            "  "
                + style.green(
                    fix.reach == .end
                        ? "this makes the login work:"
                        : "with this the provider no longer refuses, and asks to sign in:"
                )
        )
        lines.append("    \(fix.hypothesis.advice)".printable)
        lines += changes(fix.hypothesis).map { "      \($0)".printable }
        return lines.joined(separator: "\n")
    }

    /// A line per change that was tried.
    package static func line(for attempt: FixSearch.Attempt, _ style: TextStyle) -> String {
        let mark = attempt.works ? style.green("✔") : style.red("✘")
        let ending =
            attempt.reach == .end
            ? "" : style.dim("  (\(FixReport.ending(of: attempt).printable))")
        return "  \(mark) \(attempt.hypothesis.advice.printable)\(ending)"
    }

    static func changes(_ hypothesis: Hypothesis) -> [String] {
        hypothesis.changes.compactMap { change in
            guard case .parameter(let kind, let name, let value) = change else { return nil }
            let shown = Masking.shown(value, of: name)
            return value.isEmpty ? "\(kind.rawValue).\(name) left out" : "\(kind.rawValue).\(name)=\(shown)"
        }
    }
}

/// The search for a fix, for programs.
package enum FixJSON {
    package static func text(of reports: [FixReport]) -> String {
        JSONWriter.text(
            of: .object([
                "version": .number(JSONNumber(Int64(Report.version))),
                "searches": .array(reports.map(search)),
            ]),
            indented: true
        )
    }

    private static func search(_ report: FixReport) -> JSONValue {
        [
            "capture": .string(report.capture), "flow": .string(report.plan.flow.id),
            "recorded_primary": report.cause.map { .string($0.rule) } ?? .null,
            "tried": .array(report.search.attempts.map(attempt)),
            "fix": report.search.fix.map(attempt) ?? .null,
        ]
    }

    private static func attempt(_ attempt: FixSearch.Attempt) -> JSONValue {
        [
            "change": .string(attempt.hypothesis.id), "advice": .string(attempt.hypothesis.advice),
            "works": .bool(attempt.works), "reach": .string(reach(attempt.reach)),
            "ending": .string(FixReport.ending(of: attempt)),
            "requests": .number(JSONNumber(Int64(attempt.run.exchanges.count))),
            "set": .array(FixText.changes(attempt.hypothesis).map { .string($0) }),
        ]
    }

    private static func reach(_ reach: FixSearch.Reach) -> String {
        switch reach {
        case .end: "end"
        case .signIn: "sign_in"
        case .none: "none"
        }
    }
}
