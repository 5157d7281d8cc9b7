import Captures
import Diagnosis
import Flows
package import Replay

/// A bisection for people on a terminal.
package struct BisectText {
    private let report: BisectReport
    private let style: TextStyle
    private let told: DifferenceLines

    /// `columns`: how wide lines may be; 40 at least.
    package init(_ report: BisectReport, style: TextStyle, columns: Int = 100) {
        self.report = report
        self.style = style
        told = DifferenceLines(style: style, columns: max(columns, 40))
    }

    package var text: String {
        var lines = [told.head("A", report.good), told.head("B", report.bad)]
        if let cause = report.recordedCause {
            lines += broken("   fails: \(words(on: cause))")
        }
        let isFound = report.result?.ending == .found
        let headline = told.wrapped(report.headline.printable, indent: "")
        lines += [""] + headline.map { isFound ? style.red($0) : style.bold($0) }
        if let ending = report.lastEnding { lines += told.wrapped(ending.printable, indent: "  ") }
        if let advice = report.advice { lines += told.wrapped(advice.printable, indent: "  ") }
        lines += section(nil, .cause)
        if let cause = report.cause {
            lines += [""] + broken("it fails with \(words(on: cause))")
            lines.append(style.dim("  authreel explain \(cause.rule)"))
        }
        lines += section("not needed for it to fail", .notNeeded)
        lines += section(untriedTitle, .notTried)
        if let proof = report.proof, isFound {
            let words = "the login that works, and the one that fails with this alone"
            lines += [""] + broken("\(proof.printable): \(words)")
        }
        return lines.joined(separator: "\n")
    }

    /// A line per run, for stderr.
    package static func line(
        for attempt: FlowBisection.Attempt,
        of count: Int,
        drive: Int,
        style: TextStyle
    ) -> String {
        let mark: String
        switch attempt.outcome {
        case .fails: mark = style.red("✘")
        case .passes: mark = style.green("✔")
        case .unresolved: mark = style.dim("?")
        }
        let what =
            attempt.set.isEmpty
            ? "A as it is"
            : attempt.set.count == count
                ? "A with all that B does otherwise"
                : "A with \(attempt.set.count) of \(count.counted("difference"))"
        return "  \(mark) \(drive). \(what)" + style.dim("  (\(BisectReport.ending(of: attempt).printable))")
    }

    /// Nil where nothing was to be driven: then they are all there is to tell.
    private var untriedTitle: String? {
        report.result.map { $0.ending == .found ? "not tried on its own" : "not tried" }
    }

    private func section(_ title: String?, _ role: BisectReport.Role) -> [String] {
        let changes = report.changes(role)
        guard !changes.isEmpty else { return [] }
        return ["", title.map { style.bold($0) }].compactMap { $0 } + changes.flatMap { lines(for: $0, role) }
    }

    private func lines(for change: RequestChange, _ role: BisectReport.Role) -> [String] {
        let isCause = role == .cause
        let mark = isCause ? style.red("≠") : style.dim("·")
        let head = "\(Self.places(of: change))  \(change.kind.rawValue)"
        guard isCause || report.result == nil else {
            let words = DifferenceReport.words(for: change.difference)
            let lines = told.wrapped("\(head)  \(words.printable)", indent: "    ")
            return lines.enumerated().map { index, line in
                index == 0 ? "  \(mark) \(style.dim(String(line.dropFirst(4))))" : style.dim(line)
            }
        }
        var difference = change.difference
        // Not of a step as a whole: said like the others.
        if difference.aspect == "step" { difference.aspect = "the request" }
        return broken("  \(mark) \(style.bold(head))") + told.lines(for: difference)
    }

    private func words(on cause: Finding) -> String {
        "\(style.severity(cause.severity)) \(style.bold(cause.rule)): \(cause.title.printable)"
    }

    /// A styled line, and what it has no room for further in.
    private func broken(_ line: String) -> [String] {
        let margin = "      "
        let parts = line.brokenAtSpaces(to: told.columns, hanging: margin.count)
        return parts.enumerated().map { $0.offset == 0 ? $0.element : margin + $0.element }
    }

    /// `[22] [17]`; of a change in many requests the first.
    private static func places(of change: RequestChange) -> String {
        let first = change.locations[0]
        let text = [first.expected, first.seen].map { $0.map { "[\($0)]" } ?? "–" }.joined(separator: " ")
        let more = change.locations.count - 1
        return more > 0 ? "\(text) and \(more) more" : text
    }
}
