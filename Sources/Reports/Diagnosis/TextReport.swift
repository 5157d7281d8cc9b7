import Captures
package import Diagnosis
import Flows

/// The forms for people on a terminal.
///
/// Everything that comes from the capture is made printable first.
package enum TextReport {
    /// What `show` prints: per flow a head, its steps with their times, and the way of each linked value.
    ///
    /// `columns`: how wide the lines of its steps may be; nil leaves each on one line, for programs and files.
    package static func timeline(_ style: TextStyle, columns: Int? = nil) -> FlowwiseForm {
        form(style, besides: { TimelineText.exchanges(of: $0, style: style) }) {
            item,
            capture,
            _ in
            TimelineText(item: item, capture: capture, style: style, columns: columns).text
        }
    }

    /// See ``timeline(_:columns:)``.
    package static func timeline(of report: Report, style: TextStyle, columns: Int? = nil) -> String {
        timeline(style, columns: columns).text(of: report)
    }

    /// How wide running text is at most, also where there is more room: longer lines are hard to read.
    package static let widest = 100

    /// Where the same was found in more flows than this, the others are counted: they differ in their values alone.
    static let mostAlike = 5

    /// What `diagnose` prints: per flow the verdict, root cause first, each finding with the values it rests
    /// on; with `showsAbstentions` also each of very many flows in which the same was found.
    ///
    /// `columns`: how wide running text may be, ``widest`` at most; `isAlone`: whether no other capture is told beside it.
    package static func diagnosis(
        showsAbstentions: Bool,
        style: TextStyle,
        columns: Int = widest,
        isAlone: Bool = true
    ) -> FlowwiseForm {
        form(
            style,
            isAlone: isAlone,
            looksAhead: true,
            mostAlike: showsAbstentions ? nil : mostAlike,
            columns: columns < widest ? columns : nil
        ) { item, _, name in
            DiagnosisText(
                item: item,
                name: name,
                showsAbstentions: showsAbstentions,
                style: style,
                columns: min(columns, widest)
            ).text
        }
    }

    /// See ``diagnosis(showsAbstentions:style:columns:isAlone:)``.
    package static func diagnosis(
        of report: Report,
        showsAbstentions: Bool,
        style: TextStyle,
        columns: Int = widest,
        isAlone: Bool = true
    ) -> String {
        diagnosis(showsAbstentions: showsAbstentions, style: style, columns: columns, isAlone: isAlone)
            .text(of: report)
    }

    /// `besides`: what is told of a capture without logins below its line; `looksAhead` as in ``FlowwiseForm``.
    private static func form(
        _ style: TextStyle,
        isAlone: Bool = true,
        looksAhead: Bool = false,
        mostAlike: Int? = nil,
        columns: Int? = nil,
        besides: @escaping @Sendable (Capture) -> [String] = { _ in [] },
        _ text: @escaping @Sendable (Report.DiagnosedFlow, Capture, String) -> String
    ) -> FlowwiseForm {
        FlowwiseForm(
            opening: "",
            separator: "\n\n",
            closing: "",
            text: text,
            nothing: { name, capture in
                ([LoginlessCapture(capture).line(named: name)] + besides(capture)).joined(separator: "\n")
            },
            looksAhead: looksAhead,
            mostAlike: mostAlike,
            ending: { lines in
                FlowSummary(lines: lines, style: style, isAlone: isAlone, columns: columns).text
                    .map { "\n\n" + $0 } ?? ""
            }
        )
    }

    /// What `record` says of its logins at the end: a line each, and the root cause of those that broke.
    ///
    /// `first`: index of the first entry that counts; flows that were over before are left out.
    package static func summary(of report: Report, from first: Int, style: TextStyle) -> [String] {
        report.flows.filter { $0.flow.exchanges.contains { $0 >= first } }.flatMap { item in
            let cause = item.diagnosis.findings.first { $0.isPrimary }
            return ["  " + FlowHead.line(of: item, style: style)]
                + (cause.map { ["    \(style.severity($0.severity)) \(style.bold($0.rule)): \($0.title)"] }
                    ?? [])
        }
    }

    /// What `explain RULE` prints.
    ///
    /// `columns`: how wide running text may be, ``widest`` at most; nil leaves each paragraph on a line, for programs.
    package static func explanation(of info: RuleInfo, style: TextStyle, columns: Int? = nil) -> String {
        let paragraph = { (text: String) in
            columns.map { text.wrapped(to: min($0, widest)) } ?? [text]
        }
        var lines = [style.bold(info.id)]
        lines += paragraph("\(info.title) (\(info.severity.label)\(info.isSymptom ? ", a symptom" : ""))")
        if info.severity == .errorWhenRefused { lines.append("* " + star) }
        lines.append("")
        lines += paragraph(info.explanation)
        lines += ["", style.bold("How to mend it")] + paragraph(info.fix) + ["", style.bold("Breaks it")]
        lines += indented(info.badExample)
        lines += ["", style.bold("Does not")]
        lines += indented(info.goodExample)
        lines += ["", style.bold("Specification")]
        lines += info.specifications.map { "  " + $0.text + ($0.url.map { "  " + $0 } ?? "") }
        return lines.joined(separator: "\n")
    }

    /// What `rules` prints; `columns`: how wide lines may be, nil for a line a rule.
    package static func rules(_ infos: [RuleInfo], style: TextStyle, columns: Int? = nil) -> String {
        let width = infos.map(\.id.count).max() ?? 0
        return
            infos
            .map {
                let head = "\(style.bold($0.id.padded(to: width)))  \($0.severity.label.padded(to: 7))  "
                return $0.title.behind(head, of: width + 11, columns: columns)
            }
            .joined(separator: "\n")
            + (infos.contains { $0.severity == .errorWhenRefused }
                ? "\n\n\(star.behind("* ", of: 2, columns: columns))" : "")
    }

    private static let star = "an error where the login was refused for it, else a warning"

    private static func indented(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }
    }
}

extension RuleSeverity {
    /// As `rules` lists it; `error*` is an error when the flow was refused, else a warning.
    package var label: String {
        switch self {
        case .error: "error"
        case .errorWhenRefused: "error*"
        case .warning: "warning"
        case .note: "note"
        }
    }
}

extension TextStyle {
    func outcome(_ outcome: Outcome) -> String {
        switch outcome {
        case .success: green(outcome.rawValue)
        case .failure: red(outcome.rawValue)
        case .cancelled, .incomplete: yellow(outcome.rawValue)
        }
    }

    func severity(_ severity: Severity) -> String {
        switch severity {
        case .error: red(severity.rawValue)
        case .warning: yellow(severity.rawValue)
        case .note: cyan(severity.rawValue)
        }
    }
}
