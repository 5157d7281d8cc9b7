import Captures
import Diagnosis

extension Finding {
    /// It is called the root cause: a warning that stands first is the likeliest that was found, no more.
    var isRootCause: Bool { isPrimary && severity != .warning }
}

/// One finding as text: what is wrong, the values it rests on, and what to change.
struct FindingText {
    var finding: Finding
    var style: TextStyle
    /// How wide running text may be; values are not cut.
    var columns = TextReport.widest

    var lines: [String] {
        var head = "  \(style.severity(finding.severity)) \(style.bold(finding.rule))"
        if let variant = finding.variant { head += " (\(variant))" }
        if finding.isRootCause { head += "  " + style.bold("← root cause") }
        if let cause = finding.effectOf {
            head += style.dim("  effect of \(cause)" + (finding.effectOfFlow.map { " of \($0)" } ?? ""))
        }
        var lines = [head, "    " + finding.title]
        let places = finding.evidence.map { Self.words(for: $0.place).printable }
        let width = min(places.map(\.count).max() ?? 0, 52)
        for (evidence, place) in zip(finding.evidence, places) {
            lines.append("      \(style.dim(place.padded(to: width)))  \(evidence.value.printable)")
            if let note = evidence.note {
                lines.append("      " + style.dim("".padded(to: width)) + "  ↳ \(note.printable)")
            }
        }
        // Effects are listed, their cause explains them.
        guard finding.effectOf == nil else { return lines }
        lines += finding.explanation.printable.wrapped(to: columns, indent: "    ")
        lines += "→ \(finding.fix.printable)".wrapped(to: columns, indent: "    ")
        let sources = finding.specifications.map(\.text).joined(separator: ", ")
        lines.append(
            "    " + style.dim(sources + (sources.isEmpty ? "" : " · ") + "authreel explain \(finding.rule)")
        )
        return lines
    }

    private static func words(for place: Place) -> String {
        guard let exchange = place.exchange else { return "= \(place.name)" }
        return "[\(exchange)] \(place.part.rawValue) \(place.name)"
    }
}
