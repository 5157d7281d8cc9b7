import Captures
import Diagnosis
import Flows
import JSON

/// What lists show of each exchange, and what they are filtered by.
///
/// No queries, no secrets: they can be shown to anybody.
struct ViewerRows: Sendable {
    let all: [JSONValue]
    /// The steps of each exchange that is one.
    let steps: [Int: [Step]]

    init(_ report: Report) {
        let steps = Dictionary(grouping: report.flows.flatMap(\.flow.steps), by: \.exchange)
        var flows: [Int: String] = [:]
        var rules: [Int: [String]] = [:]
        for item in report.flows {
            for exchange in item.flow.exchanges where flows[exchange] == nil {
                flows[exchange] = item.flow.id
            }
            for finding in item.diagnosis.findings {
                for exchange in Set(finding.evidence.compactMap(\.place.exchange)) {
                    guard rules[exchange]?.contains(finding.rule) != true else { continue }
                    rules[exchange, default: []].append(finding.rule)
                }
            }
        }
        self.steps = steps
        let capture = report.capture
        let times = capture.indices.lazy.map { capture[$0].startedAt }.filter(\.isKnown)
        let first = times.min() ?? Timestamp(nanoseconds: 0)
        all = capture.indices.map { index in
            Self.row(
                index,
                capture[index],
                since: first,
                flow: flows[index],
                steps: steps[index] ?? [],
                rules: rules[index] ?? []
            )
        }
    }

    private static func row(
        _ index: Int,
        _ exchange: Exchange,
        since first: Timestamp,
        flow: String?,
        steps: [Step],
        rules: [String]
    ) -> JSONValue {
        let url = exchange.request.url
        var who: [String] = []
        for name in steps.flatMap({ [$0.from.name, $0.to.name] }) where !who.contains(name) {
            who.append(name)
        }
        // Several logins may share an exchange, as they do the provider's metadata.
        var kinds: [String] = []
        for kind in steps.map({ DiagramWords.kind($0.kind) }) where !kinds.contains(kind) {
            kinds.append(kind)
        }
        if let process = exchange.client.process, !who.contains(process) { who.append(process) }
        return .object(
            JSONObject([
                ("exchange", JSONValue(index)),
                ("method", .string(exchange.request.method)),
                ("host", .string(url.hostAndPort ?? url.scheme.map { "\($0):" } ?? "")),
                ("path", .string(exchange.request.targetPath)),
                ("status", exchange.response.map { JSONValue($0.status) } ?? .null),
                ("broken", .bool(exchange.isBrokenOff)),
                ("at", ViewerTime.milliseconds(exchange.startedAt, since: first)),
                (
                    "time",
                    exchange.duration == nil
                        ? .null : ViewerTime.milliseconds(exchange.endedAt, since: exchange.startedAt)
                ),
                ("flow", flow.map { .string($0) } ?? .null),
                ("kinds", .array(kinds.map { .string($0) })),
                ("who", .array(who.map { .string($0) })),
                ("rules", .array(rules.map { .string($0) })),
            ])
        )
    }
}
