import Captures
import Diagnosis
import Flows

/// One flow's verdict as text.
struct DiagnosisText {
    var item: Report.DiagnosedFlow
    var showsAbstentions: Bool
    var style: TextStyle

    var text: String {
        var lines = [FlowHead.line(of: item, style: style)]
        let findings = item.diagnosis.findings
        if findings.isEmpty {
            lines.append("  nothing wrong found")
        }
        for finding in findings {
            lines.append("")
            lines += text(of: finding)
        }
        if showsAbstentions, !item.diagnosis.abstentions.isEmpty {
            lines += ["", "  " + style.bold("could not decide")]
            let width = item.diagnosis.abstentions.map(\.rule.count).max() ?? 0
            lines += item.diagnosis.abstentions.map {
                "    \($0.rule.padded(to: width))  \($0.reason.printable)"
            }
        }
        return lines.joined(separator: "\n")
    }

    private func text(of finding: Finding) -> [String] {
        var head = "  \(style.severity(finding.severity)) \(style.bold(finding.rule))"
        if let variant = finding.variant { head += " (\(variant))" }
        if finding.isPrimary { head += "  " + style.bold("← root cause") }
        if let cause = finding.effectOf { head += style.dim("  effect of \(cause)") }
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
        lines += wrapped(finding.explanation.printable, indent: "    ")
        lines += wrapped("→ " + finding.fix.printable, indent: "    ")
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

    /// Lines of at most 100 columns, broken at spaces.
    private func wrapped(_ text: String, indent: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent.count + line.count + 1 + word.count > 100 {
                lines.append(indent + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(indent + line) }
        return lines
    }
}

/// The line that opens a flow in every text form.
enum FlowHead {
    static func line(of item: Report.DiagnosedFlow, style: TextStyle) -> String {
        let flow = item.flow
        var parts = [
            style.bold(flow.id), style.outcome(item.diagnosis.outcome), flow.grant, flow.provider.rawValue,
        ]
        if let client = flow.clientID { parts.append("client \(client)") }
        if let issuer = flow.issuer { parts.append(issuer) }
        return parts.enumerated().map { $0.offset < 2 ? $0.element : $0.element.printable }.joined(
            separator: " · "
        )
    }
}
