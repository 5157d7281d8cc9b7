import Captures
import Diagnosis
import Flows
package import Replay

/// The search for a fix, for people on a terminal.
package enum FixText {
    /// `listsAttempts`: whether with every change that was tried; without them where they stand on the same screen already.
    package static func text(of report: FixReport, style: TextStyle, listsAttempts: Bool = true) -> String {
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
            lines += tried.map { line(for: $0, style) } + [""]
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
        lines.append("    \(fix.hypothesis.advice)".printable)
        lines += changes(fix.hypothesis).map { "      \($0)".printable }
        return lines.joined(separator: "\n")
    }

    /// What a search would try on a login that fails, in order; `changes`: those that may mend it.
    package static func text(ofChanges changes: [Hypothesis], style: TextStyle) -> String {
        let tried = FixSearch.order(of: changes).map { "    \($0.advice)".printable }
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
