import Captures
import Diagnosis
import Flows
import OAuth

/// One flow's verdict as text.
struct DiagnosisText {
    var item: Report.DiagnosedFlow
    /// Of the capture, as the user wrote it.
    var name: String
    var showsAbstentions: Bool
    var style: TextStyle
    /// How wide running text may be.
    var columns = TextReport.widest

    /// What is said of a flow in which no rule that was asked found anything.
    static func nothingFound(in item: Report.DiagnosedFlow) -> String {
        switch item.diagnosis.outcome {
        case .success: "nothing wrong found"
        case .incomplete:
            item.flow.capture.isCutShort
                ? "nothing wrong found as far as the capture goes: it is cut off"
                : "nothing wrong found, but \(unfinished(item.flow))"
                    + (isLeftToItsApp(item.flow)
                        ? ", and what the app did with the code is not in the capture" : "")
        case .failure where item.flow.failedInside != nil:
            "it came to nothing in \(item.flow.failedInside ?? ""), the login at the provider behind"
        case .failure where item.flow.outer != nil:
            "what it was for came to nothing: see \(item.flow.outer ?? ""), the login that it is a part of"
        case .failure, .cancelled: "no rule that was asked found why"
        }
    }

    /// That a flow came to no end, and where it stops.
    private static func unfinished(_ flow: Flow) -> String {
        let last = flow.steps.max { ($0.at, $0.exchange) < ($1.at, $1.exchange) }
        return "the login did not finish"
            + (last.map { ": its last step is [\($0.exchange)] \($0.kind.rawValue)" } ?? "")
    }

    /// Whether a flow ends where an app on a device was sent the code: the half that a browser shows of it.
    private static func isLeftToItsApp(_ flow: Flow) -> Bool {
        guard let response = flow.authorizationResponses.last, response.code != nil else { return false }
        return flow.tokenRequests.isEmpty && !response.target.isWeb
    }

    /// It says why a login failed; a warning's word is that it may have.
    private static func mayBeWhy(_ finding: Finding) -> Bool {
        finding.severity == .error || finding.isRootCause || finding.effectOfFlow != nil
    }

    /// What stands in front of the findings where none of them says what became of the login; nil where one does.
    static func lead(of item: Report.DiagnosedFlow) -> String? {
        let findings = item.diagnosis.findings
        if findings.isEmpty { return nothingFound(in: item) }
        guard !findings.contains(where: mayBeWhy) else { return nil }
        let words: String
        switch item.diagnosis.outcome {
        case .failure: words = nothingFound(in: item)
        case .incomplete where !item.flow.capture.isCutShort: words = unfinished(item.flow)
        case .incomplete, .cancelled, .success: return nil
        }
        return "\(words); what it may have to do with:"
    }

    var text: String {
        var lines = FlowHead.lines(
            of: item,
            style: style,
            columns: columns < TextReport.widest ? columns : nil
        )
        if let lead = Self.lead(of: item) { lines.append("  " + lead) }
        for finding in item.diagnosis.findings {
            lines.append("")
            lines += FindingText(finding: finding, style: style, columns: columns).lines
        }
        if let later = item.later {
            lines.append("")
            lines += later.sentences.printable.wrapped(to: columns, indent: "  ")
            lines.append("  " + style.dim(later.command(for: item.flow.id, in: name)))
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
}
