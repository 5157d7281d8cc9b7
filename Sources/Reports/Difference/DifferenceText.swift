import Captures
import Flows
import Replay

/// The comparison of two flows for people on a terminal: a line per step, and below it what differs.
package struct DifferenceText {
    private let report: DifferenceReport
    /// Whether notes are told as well.
    private let showsAll: Bool
    private let style: TextStyle
    private let columns: Int
    private var told: DifferenceLines { DifferenceLines(style: style, columns: columns) }

    /// Of one comparison.
    ///
    /// `showsAll`: also tells what is only worth knowing.
    /// `columns`: how wide lines may be; 40 at least.
    package init(_ report: DifferenceReport, showsAll: Bool, style: TextStyle, columns: Int = 100) {
        self.report = report
        self.showsAll = showsAll
        self.style = style
        self.columns = max(columns, 40)
    }

    package var text: String {
        var lines = [told.head("A", report.expected), told.head("B", report.seen), "", verdict, ""]
        lines += steps
        let overall = overall
        if !overall.isEmpty { lines += ["", style.bold("the flows as a whole")] + overall }
        return lines.joined(separator: "\n")
    }

    /// What differs between the flows as a whole.
    package var overall: [String] {
        report.difference.overall.filter { showsAll || $0.weight == .difference }.flatMap {
            told.lines(for: $0)
        }
    }

    /// The steps alone, for a report that has a head of its own.
    package var steps: [String] {
        let pairs = report.difference.steps
        let width = pairs.map { Self.exchanges($0).count }.max() ?? 0
        let kinds = min(pairs.map(\.kind.rawValue.count).max() ?? 0, 30)
        return pairs.flatMap { pair in
            lines(for: pair, width, kinds)
                + pair.differences.filter { showsAll || $0.weight == .difference }.flatMap {
                    told.lines(for: $0)
                }
        }
    }

    // MARK: - Head

    private var verdict: String {
        let counts = report.counts
        let notes =
            showsAll || counts.notes == 0 ? "" : style.dim(" (\(counts.notes.counted("note")), --all)")
        guard report.difference.first != nil else { return style.green(report.headline) + notes }
        let words = told.wrapped(report.headline.printable, indent: "")
        return words.map { style.red($0) }.joined(separator: "\n") + "\n"
            + style.dim(counts.differences.counted("difference")) + notes
    }

    // MARK: - Steps

    private static func exchanges(_ pair: StepPair) -> String {
        [pair.expected, pair.seen].map { $0.map { "[\($0)]" } ?? "–" }.joined(separator: " ")
    }

    /// In a narrow terminal what was asked, and the answer, stand below the step.
    private func lines(for pair: StepPair, _ width: Int, _ kinds: Int) -> [String] {
        let mark: String
        if pair.seen == nil {
            mark = pair.isSame ? style.dim("-") : style.red("-")
        } else if pair.expected == nil {
            mark = pair.isSame ? style.dim("+") : style.red("+")
        } else {
            mark = pair.isSame ? style.green("=") : style.red("≠")
        }
        let styled = { (text: String) in pair.isSame ? style.dim(text) : style.bold(text) }
        let status = Self.status(pair)
        let exchanges = "\(Self.exchanges(pair).padded(to: width))  "
        let kind = pair.kind.rawValue
        let isNarrow = columns < 80
        let start = isNarrow ? exchanges : "\(exchanges)\(kind.padded(to: kinds))  "
        let room = max(columns - 4 - start.count - status.count - 2, 12)
        let answered = "\(pair.summary.printable.shortened(to: room))  \(status)"
        guard isNarrow else { return ["  \(mark) " + styled(start + answered)] }
        let margin = String(repeating: " ", count: 4 + start.count)
        return ["  \(mark) " + styled(start + kind), margin + styled(answered)]
    }

    private static func status(_ pair: StepPair) -> String {
        let words = { (status: Int?, exchange: Int?) in
            exchange == nil ? nil : status.map { "\($0)" } ?? "no answer"
        }
        let statuses = [words(pair.expectedStatus, pair.expected), words(pair.seenStatus, pair.seen)]
        let known = statuses.compactMap { $0 }
        return known.count == 2 && known[0] == known[1] ? known[0] : known.joined(separator: " → ")
    }
}
