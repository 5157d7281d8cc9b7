import Captures
package import Diagnosis
import Flows
import JOSE
import JSON
import OAuth

/// The JSON that programs rely on; the members are a contract, their order is kept for diffs.
package enum JSONReport {
    /// What `diagnose --format json` prints.
    package static let diagnosis = form(looksAhead: true, diagnosed)

    /// See ``diagnosis``.
    package static func diagnosis(of report: Report) -> String { diagnosis.text(of: report) }

    /// What `diagnose --format json` prints for several captures: the same object for each, with its name.
    package static func diagnosis(of reports: [Report]) -> String {
        let captures = reports.map { report -> JSONValue in
            var object: JSONObject = [
                "capture": .string(report.name), "flows": .array(report.flows.map(diagnosed)),
            ]
            if let failure = report.failure { object["error"] = .string(failure) }
            return .object(object)
        }
        return JSONWriter.text(
            of: .object(["version": JSONValue(Report.version), "captures": .array(captures)]
            ),
            indented: true
        )
    }

    /// What `show --format json` prints.
    package static let timeline = form { item in
        var object = head(of: item)
        object["steps"] = .array(item.flow.steps.map(step))
        object["links"] = .array(item.flow.links.map(link))
        return .object(object)
    }

    /// See ``timeline``.
    package static func timeline(of report: Report) -> String { timeline.text(of: report) }

    /// An object with the version and `flows`.
    private static func form(
        looksAhead: Bool = false,
        _ value: @escaping @Sendable (Report.DiagnosedFlow) -> JSONValue
    ) -> FlowwiseForm {
        let head = "{\n  \"version\": \(Report.version),\n  \"flows\": ["
        return FlowwiseForm(
            opening: head + "\n    ",
            separator: ",\n    ",
            closing: "\n  ]\n}",
            text: { item, _, _ in JSONWriter.text(of: value(item), level: 2) },
            nothing: { _, _ in head + "]\n}" },
            looksAhead: looksAhead
        )
    }

    /// What `rules --format json` prints.
    package static func rules(_ infos: [RuleInfo]) -> String {
        let rules = infos.map { info -> JSONValue in
            [
                "id": .string(info.id), "severity": .string(info.severity.label),
                "title": .string(info.title),
                "symptom": .bool(info.isSymptom),
                "sources": .array(info.specifications.map { .string($0.text) }),
            ]
        }
        return JSONWriter.text(of: .object(["version": 1, "rules": .array(rules)]), indented: true)
    }

    // MARK: - Parts

    private static func diagnosed(_ item: Report.DiagnosedFlow) -> JSONValue {
        var object = head(of: item)
        object["findings"] = .array(item.diagnosis.findings.map(finding))
        if let later = item.later { object["later_success"] = Self.later(later) }
        return .object(object)
    }

    /// As programs have it.
    static func later(_ later: LaterSuccess) -> JSONValue {
        [
            "flow": .string(later.flow), "exchange": JSONValue(later.exchange),
            "difference": later.difference.map { .string($0) } ?? .null,
        ]
    }

    static func head(of item: Report.DiagnosedFlow) -> JSONObject {
        let flow = item.flow
        return JSONObject([
            ("id", .string(flow.id)),
            ("outcome", .string(item.diagnosis.outcome.rawValue)),
            ("provider", .string(flow.provider.rawValue)),
            ("grant", .string(flow.grant)),
            ("issuer", flow.issuer.map { .string($0) } ?? .null),
            ("client_id", flow.clientID.map { .string($0) } ?? .null),
            ("started", time(flow.started)),
            ("exchanges", .array(flow.exchanges.map { JSONValue($0) })),
        ])
    }

    /// In RFC 3339; null where the capture does not tell it.
    static func time(_ time: Timestamp) -> JSONValue { time.isKnown ? .string(time.rfc3339) : .null }

    static func finding(_ finding: Finding) -> JSONValue {
        var object: JSONObject = [
            "rule": .string(finding.rule), "severity": .string(finding.severity.rawValue),
            "title": .string(finding.title), "primary": .bool(finding.isPrimary),
        ]
        if let variant = finding.variant { object["variant"] = .string(variant) }
        if let cause = finding.effectOf { object["effect_of"] = .string(cause) }
        if let flow = finding.effectOfFlow { object["effect_of_flow"] = .string(flow) }
        object["evidence"] = .array(finding.evidence.map(evidence))
        object["explanation"] = .string(finding.explanation)
        object["fix"] = .string(finding.fix)
        object["sources"] = .array(finding.specifications.map { .string($0.text) })
        return .object(object)
    }

    private static func evidence(_ evidence: Evidence) -> JSONValue {
        var object = place(evidence.place)
        object["value"] = .string(evidence.value)
        if let note = evidence.note { object["note"] = .string(note) }
        return .object(object)
    }

    private static func step(_ step: Step) -> JSONValue {
        var parameters = JSONObject()
        var repeated = JSONObject()
        for (name, items) in Dictionary(grouping: step.parameters.items, by: \.name) where items.count > 1 {
            repeated.members.append(
                JSONObject.Member(name: name, value: .array(items.map { .string($0.value) }))
            )
        }
        repeated.members.sort { $0.name < $1.name }
        var names: Set<String> = []
        for parameter in step.parameters.items where names.insert(parameter.name).inserted {
            parameters.members.append(
                JSONObject.Member(name: parameter.name, value: .string(parameter.value))
            )
        }
        var object: JSONObject = [
            "kind": .string(step.kind.rawValue), "exchange": JSONValue(step.exchange),
            "at": time(step.at),
            "from": .string(step.from.name), "to": .string(step.to.name), "parameters": .object(parameters),
        ]
        // As often as they were sent: an object has each name once.
        if !repeated.isEmpty { object["repeated_parameters"] = .object(repeated) }
        object["tokens"] = .array(step.tokens.map(token))
        return .object(object)
    }

    private static func token(_ token: StepToken) -> JSONValue {
        var object: JSONObject = ["name": .string(token.name)]
        object["header"] = token.token.header.map { .object($0) } ?? .null
        object["claims"] = token.token.claims.map { .object($0) } ?? .null
        object["signature"] = .string(token.signature.rawValue)
        if let envelope = token.envelope {
            object["encryption"] = envelope.header.map { .object($0) } ?? .null
        }
        return .object(object)
    }

    private static func link(_ link: Link) -> JSONValue {
        [
            "name": .string(link.name), "origin": .object(place(link.origin.place)),
            "uses": .array(link.uses.map { .object(place($0.place)) }),
            "transform": .string(link.transform.rawValue),
        ]
    }

    static func place(_ place: Place) -> JSONObject {
        [
            "exchange": place.exchange.map { JSONValue($0) } ?? .null, "where": .string(place.part.rawValue),
            "name": .string(place.name),
        ]
    }
}
