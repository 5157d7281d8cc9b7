import Captures
import Diagnosis
import Flows
package import Replay

/// The search for a fix, for people on a terminal.
package enum FixText {
    /// - Parameters:
    ///   - report: of one flow.
    ///   - style: of the terminal.
    ///   - columns: how wide lines may be; nil for as wide as they are.
    ///   - listsAttempts: whether with every change that was tried; without them where they stand on the same screen already.
    /// - Returns: what failed, what was tried, and what would make it work.
    package static func text(
        of report: FixReport,
        style: TextStyle,
        columns: Int? = nil,
        listsAttempts: Bool = true
    ) -> String {
        let name = "\(report.capture)#\(report.plan.flow.id)".printable
        var lines = [style.bold(name)]
        if let cause = report.cause {
            lines.append(
                "  fails: \(style.severity(cause.severity)) \(style.bold(cause.rule)): \(cause.title)"
            )
        }
        lines.append("")
        if listsAttempts {
            let tried = [report.search.unchanged].compactMap(\.self) + report.search.attempts
            lines += tried.map { line(for: $0, style, columns: columns) } + [""]
        }
        guard let fix = report.search.fix else {
            let failure = unneeded(report.search.unchanged).map(style.green)
            lines.append("  " + (failure ?? style.red(self.failure(of: report.search))))
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
        lines += PlanText.lines(fix.hypothesis.advice, indent: "    ", columns)
        lines += changes(fix.hypothesis).map { "      \($0)".printable }
        return lines.joined(separator: "\n")
    }

    /// What a search would try on a login that fails, in order; `changes`: those that may mend it.
    package static func text(ofChanges changes: [Hypothesis], style: TextStyle, columns: Int? = nil) -> String
    {
        let tried = FixSearch.order(of: changes).flatMap {
            PlanText.lines($0.advice, indent: "    ", columns)
        }
        return ([style.dim("  tried one after the other, until the login works:")] + tried).joined(
            separator: "\n"
        )
    }

    /// Of a login that needs no change; nil of one that still fails.
    private static func unneeded(_ unchanged: FixSearch.Attempt?) -> String? {
        switch unchanged?.reach {
        case .end: "it works now without a change"
        case .signIn: "the provider no longer refuses it, and asks to sign in, without a change"
        case .some(.none), nil: nil
        }
    }

    private static func failure(of search: FixSearch.Result) -> String {
        let count = search.attempts.count
        if search.unreachable != nil { return "nobody answers: no change was tried" }
        guard search.isInterrupted else {
            return count == 0 ? "nothing to try" : "none of \(count.counted("change")) makes it work"
        }
        return count == 0
            ? "interrupted before a change was tried"
            : "interrupted: none of the \(count.counted("change")) tried until then makes it work"
    }

    /// A line per change that was tried, broken where there is no room for it.
    package static func line(for attempt: FixSearch.Attempt, _ style: TextStyle, columns: Int? = nil)
        -> String
    {
        let mark = "  \(attempt.works ? style.green("✔") : style.red("✘")) "
        let advice = attempt.hypothesis.advice.printable
        let ending = attempt.reach == .end ? "" : "  (\(FixReport.ending(of: attempt).printable))"
        guard let columns, advice.count + ending.count + 4 > columns else {
            return mark + advice + (ending.isEmpty ? "" : style.dim(ending))
        }
        return (advice + ending).behind(mark, of: 4, columns: columns)
    }

    static func changes(_ hypothesis: Hypothesis) -> [String] {
        hypothesis.changes.compactMap { change in
            guard case .parameter(let kind, let name, let value) = change else { return nil }
            let shown = Masking.shown(value, of: name)
            return value.isEmpty ? "\(kind.rawValue).\(name) left out" : "\(kind.rawValue).\(name)=\(shown)"
        }
    }
}
