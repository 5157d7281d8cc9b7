import Captures
import Diagnosis
import Flows

/// The form for a ticket or a review: a heading per flow, the root cause with its two values as a table.
package enum MarkdownReport {
    /// What `diagnose --format markdown` prints.
    package static func text(of reports: [Report]) -> String {
        reports.map { report in
            var head = ["# Login diagnosis: \(code(report.name))"]
            let losses = report.capture.losses.map { "- not read: \(escaped("\($0)"))" }
            if !losses.isEmpty { head.append(losses.joined(separator: "\n")) }
            if let failure = report.failure {
                return (head + ["Not read: \(escaped(failure))."]).joined(separator: "\n\n")
            }
            guard !report.flows.isEmpty else {
                return (head + ["No OAuth or OpenID Connect traffic."]).joined(separator: "\n\n")
            }
            return (head + report.flows.map { section($0, of: report.name) }).joined(separator: "\n\n")
        }.joined(separator: "\n\n")
    }

    private static func section(_ item: Report.DiagnosedFlow, of name: String) -> String {
        let flow = item.flow
        var parts = [
            "outcome **\(item.diagnosis.outcome.rawValue)**", escaped(FlowHead.grant(flow.grant)),
        ]
        if let provider = FlowHead.provider(flow.provider) { parts.append(provider) }
        if let client = flow.clientID { parts.append("client \(code(FlowHead.name(client)))") }
        if let issuer = flow.issuer { parts.append("issuer \(code(FlowHead.name(issuer)))") }
        var blocks = ["## \(escaped(flow.id)): \(parts.joined(separator: ", "))"]
        let findings = item.diagnosis.findings
        if let words = DiagnosisText.lead(of: item) {
            blocks.append(words.prefix(1).uppercased() + words.dropFirst() + (findings.isEmpty ? "." : ""))
        }
        for finding in findings where finding.effectOf == nil { blocks.append(block(finding)) }
        let effects = findings.filter { $0.effectOf != nil }
        if !effects.isEmpty {
            let list = effects.map { effect in
                let flow = effect.effectOfFlow.map { " of \(escaped($0))" } ?? ""
                return "- \(code(effect.rule)): \(prose(effect.title)) "
                    + "(effect of \(code(effect.effectOf ?? ""))\(flow))"
            }
            blocks.append(list.joined(separator: "\n"))
        }
        if let later = item.later {
            blocks.append(escaped(later.sentences) + " " + code(later.command(for: flow.id, in: name)))
        }
        return blocks.joined(separator: "\n\n")
    }

    private static func block(_ finding: Finding) -> String {
        let way = finding.way.map { " (\(escaped($0)))" } ?? ""
        let cause = finding.isRootCause ? "Root cause: " : ""
        var blocks = [
            "### \(cause)\(prose(finding.title))\(way)",
            "\(finding.severity.rawValue) \(code(finding.rule))",
        ]
        if !finding.evidence.isEmpty {
            let rows = finding.evidence.map { evidence in
                let entry = evidence.place.exchange.map { "entry \($0)" } ?? "computed"
                let place =
                    evidence.place.exchange == nil
                    ? escaped(evidence.place.name)
                    : escaped("\(evidence.place.part.rawValue) \(evidence.place.name)")
                return
                    "| \(entry) | \(place) | \(codeInTable(evidence.lineOfValue)) | \(escaped(evidence.note ?? "")) |"
            }
            blocks.append(
                (["| where | what | value | |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n")
            )
        }
        blocks.append(prose(finding.explanation))
        blocks.append("**What to change:** " + prose(finding.fix))
        let sources = finding.specifications.map { reference in
            reference.url.map { "[\(escaped(reference.text))](\($0))" } ?? escaped(reference.text)
        }
        if !sources.isEmpty { blocks.append(sources.joined(separator: ", ")) }
        return blocks.joined(separator: "\n\n")
    }
}
