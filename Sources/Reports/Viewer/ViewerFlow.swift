import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import Sharing

/// A flow as the viewer shows it: a line of a list, and all of it.
enum ViewerFlow {
    /// A line of the list.
    ///
    /// `outer`: the flow that this one is a part of, as a broker's login at another provider is.
    static func head(of item: Report.DiagnosedFlow, in capture: ViewerCapture, inside outer: String?)
        -> JSONValue
    {
        var object = JSONReport.head(of: item)
        object["duration"] =
            item.flow.exchanges.isEmpty
            ? .null : ViewerTime.milliseconds(item.flow.ended, since: item.flow.began)
        let isSettled = !capture.unsettled.contains(item.flow.id)
        object["settled"] = .bool(isSettled)
        object["inside"] = outer.map { .string($0) } ?? .null
        let findings = isSettled ? item.diagnosis.findings : []
        let first = findings.first { $0.isPrimary } ?? findings.first
        object["first"] =
            first.map {
                [
                    "rule": .string($0.rule), "title": .string($0.title),
                    "severity": .string($0.severity.rawValue),
                ]
            } ?? .null
        object["findings"] = JSONValue(findings.count)
        let lead = isSettled ? DiagnosisText.lead(of: item) : soFar(item)
        object["lead"] = lead.map { .string($0) } ?? .null
        return .object(object)
    }

    /// What is known already of a flow that still goes on.
    private static func soFar(_ item: Report.DiagnosedFlow) -> String? {
        guard item.diagnosis.outcome == .success, let page = item.flow.pendingRedirect,
            !item.hasFindings(of: .error)
        else { return nil }
        let address = ((page.hostAndPort ?? "") + page.path).shortened(to: 80)
        return "all went well so far; the page that the last redirect leads to, \(address), has not come yet"
    }

    /// All of it.
    static func document(of item: Report.DiagnosedFlow, in capture: ViewerCapture) -> JSONValue {
        let recorded = capture.report.capture
        var shown = item
        if capture.unsettled.contains(item.flow.id) { shown.diagnosis.findings = [] }
        shown.later = later(after: item, in: capture)
        let inner =
            capture.outer.isEmpty
            ? [] : capture.report.flows.filter { capture.outer[$0.flow.id] == item.flow.id }
        let diagram = inner.reduce(SequenceDiagramBuilder.diagram(of: shown, in: recorded)) {
            NestedDiagram.merge($0, SequenceDiagramBuilder.diagram(of: $1, in: recorded), in: recorded)
        }
        var single = capture.report
        single.flows = [shown]
        let markdown = MarkdownReport.text(of: [single])
        single.flows[0].diagnosis.findings = shown.diagnosis.findings.map { opened($0, in: capture) }
        let openMarkdown = capture.secrets.shortened(MarkdownReport.text(of: [single]))
        return [
            "id": .string(item.flow.id),
            "findings": .array(shown.diagnosis.findings.map { finding($0, in: capture) }),
            "later": shown.later.map(later) ?? .null,
            "links": .array(item.flow.links.map { link($0, in: capture) }),
            "diagram": DiagramJSON.object(of: diagram, since: item.flow.began),
            "pkce": .array(proofs(in: item.flow)),
            "mermaid": .string(MermaidDiagram.text(of: [diagram])),
            "markdown": .string(markdown), "openMarkdown": .string(openMarkdown),
        ]
    }

    /// The later login of its client that went well, as far as both are certain; what is different is for the comparison to tell.
    private static func later(after item: Report.DiagnosedFlow, in capture: ViewerCapture) -> LaterSuccess? {
        let flows = capture.report.flows
        guard !capture.unsettled.contains(item.flow.id), LaterSuccess.isSought(after: item),
            let place = flows.firstIndex(where: { $0.flow.id == item.flow.id })
        else { return nil }
        return flows[(place + 1)...].prefix(LaterSuccess.farthest).lazy
            .filter { !capture.unsettled.contains($0.flow.id) }
            .compactMap { LaterSuccess(of: $0, after: item, isCompared: false) }
            .first
    }

    private static func later(_ later: LaterSuccess) -> JSONValue {
        [
            "words": .string(later.words), "flow": .string(later.flow), "exchange": JSONValue(later.exchange),
        ]
    }

    private static func finding(_ finding: Finding, in capture: ViewerCapture) -> JSONValue {
        guard case .object(var object) = JSONReport.finding(finding) else { return .null }
        let secrets = capture.secrets
        object["variant"] = finding.way.map { .string($0) }
        object["explanation"] = .string(secrets.shortened(finding.explanation))
        object["evidence"] = .array(
            zip(finding.evidence, object["evidence"]?.array ?? []).map { evidence, value in
                guard case .object(var object) = value else { return value }
                let isSecret = isSecret(evidence, in: capture)
                if let note = evidence.note {
                    let open = secrets.open(note, isOfSecret: isSecret)
                    object["note"] = .string(open)
                    if open != note { object["fullNote"] = .string(note) }
                }
                guard isSecret else { return .object(object) }
                object["secret"] = true
                if isShortened(evidence), !secrets.holds(evidence.value) {
                    object["shortened"] = true
                    object["full"] =
                        ViewerEvidence.full(evidence, in: capture.report.capture).map { .string(cut($0)) }
                        ?? .null
                }
                return .object(object)
            }
        )
        object["sources"] = .array(
            finding.specifications.map { source in
                ["text": .string(source.text), "url": source.url.map { .string($0) } ?? .null]
            }
        )
        return .object(object)
    }

    /// The finding with notes that can be shown to anybody.
    private static func opened(_ finding: Finding, in capture: ViewerCapture) -> Finding {
        var finding = finding
        for (index, evidence) in finding.evidence.enumerated() {
            guard let note = evidence.note else { continue }
            finding.evidence[index].note = capture.secrets.open(
                note,
                isOfSecret: isSecret(evidence, in: capture)
            )
        }
        return finding
    }

    private static func isSecret(_ evidence: Evidence, in capture: ViewerCapture) -> Bool {
        let isCookie = isCookie(evidence.place, capture)
        return isShortened(evidence) || capture.secrets.holds(evidence.value)
            || capture.secrets.isNamed(evidence.place, isCookie: isCookie, evidence.value)
    }

    /// What the rules show of a secret themselves: its beginning and its length.
    private static func isShortened(_ evidence: Evidence) -> Bool { evidence.value.contains("…(") }

    private static func isCookie(_ place: Place, _ capture: ViewerCapture) -> Bool {
        let recorded = capture.report.capture
        guard let exchange = place.exchange, recorded.indices.contains(exchange) else { return false }
        return recorded[exchange].response?.setCookies.contains { $0.name == place.name } ?? false
    }

    private static func link(_ link: Link, in capture: ViewerCapture) -> JSONValue {
        [
            "name": .string(link.name), "transform": .string(link.transform.rawValue),
            "origin": .object(occurrence(link.origin, in: capture)),
            "uses": .array(link.uses.map { .object(occurrence($0, in: capture)) }),
        ]
    }

    /// A place with the value that stands there, and as it stands there where that is something else.
    static func occurrence(_ occurrence: Occurrence, in capture: ViewerCapture) -> JSONObject {
        var object = JSONReport.place(occurrence.place)
        object["value"] = .string(cut(occurrence.value))
        if capture.secrets.isSecret(occurrence) { object["secret"] = true }
        if occurrence.rawValue != occurrence.value { object["raw"] = .string(cut(occurrence.rawValue)) }
        return object
    }

    /// Nobody reads more of a value.
    private static func cut(_ value: String) -> String {
        value.utf8.count > mostBytes ? value.prefix(mostBytes / 4) + "…" : value
    }

    private static let mostBytes = 1 << 16

    /// The proofs of RFC 7636: each verifier with the challenge that was sent before it.
    private static func proofs(in flow: Flow) -> [JSONValue] {
        var challenge: (value: String, method: String, exchange: Int)?
        return flow.steps.compactMap { step in
            if let value = step.parameters["code_challenge"], !value.isEmpty {
                challenge = (value, step.parameters["code_challenge_method"] ?? "plain", step.exchange)
            }
            guard let verifier = step.parameters["code_verifier"], let challenge else { return nil }
            let relation = CodeChallenge.relation(of: challenge.value, to: verifier)
            return [
                "challenge": .string(challenge.value), "method": .string(challenge.method),
                "asked": JSONValue(challenge.exchange), "verifier": .string(verifier),
                "proved": JSONValue(step.exchange),
                "relation": relation.map { .string($0.rawValue) } ?? .null,
            ]
        }
    }
}
