import Captures
import Diagnosis
import Flows
package import JSON
import Sharing

/// The one document that the viewer draws: everything that it shows and nothing that it would have to find out.
///
/// It is an inner form, of this version of the program and its pages only; programs read ``JSONReport``.
package enum ViewerDocument {
    /// The whole of it, the messages included, for a file that is opened without a server.
    ///
    /// `generator`: name and version of the program.
    package static func document(of report: Report, generator: String) -> JSONValue {
        var document = overview(of: report, generator: generator)
        document["messages"] = .array(ViewerMessage.messages(of: report))
        return .object(document)
    }

    /// All but the messages, which are asked for one by one.
    package static func overview(of report: Report, generator: String) -> JSONObject {
        var document: JSONObject = [
            "version": .number(JSONNumber(Int64(Report.version))), "generator": .string(generator),
            "name": .string(report.name),
        ]
        document["redacted"] = report.capture.redaction?.json ?? .null
        document["flows"] = .array(report.flows.map { flow($0, in: report) })
        let flows = report.flows.reduce(into: [Int: String]()) { flows, item in
            for exchange in item.flow.exchanges where flows[exchange] == nil {
                flows[exchange] = item.flow.id
            }
        }
        document["exchanges"] = .array(
            report.capture.indices.map { index in
                row(index, report.capture[index], flow: flows[index])
            }
        )
        return document
    }

    private static func flow(_ item: Report.DiagnosedFlow, in report: Report) -> JSONValue {
        var object = JSONReport.head(of: item)
        let capture = report.capture
        let end = item.flow.exchanges.filter(capture.indices.contains).map { capture[$0].endedAt }.max()
        object["duration"] = end.map { milliseconds($0, since: item.flow.started) } ?? .null
        object["findings"] = .array(item.diagnosis.findings.map(finding))
        object["links"] = .array(item.flow.links.map(link))
        object["diagram"] = DiagramJSON.object(
            of: SequenceDiagramBuilder.diagram(of: item, in: capture),
            since: item.flow.started
        )
        return .object(object)
    }

    /// What a list of all exchanges shows of one.
    private static func row(_ index: Int, _ exchange: Exchange, flow: String?) -> JSONValue {
        JSONValue.object(
            JSONObject([
                ("exchange", .number(JSONNumber(Int64(index)))),
                ("method", .string(exchange.request.method)), ("url", .string(exchange.request.url.text)),
                ("status", exchange.response.map { .number(JSONNumber(Int64($0.status))) } ?? .null),
                ("started", .string(exchange.startedAt.rfc3339)),
                ("flow", flow.map { .string($0) } ?? .null),
            ])
        )
    }

    private static func finding(_ finding: Finding) -> JSONValue {
        guard case .object(var object) = JSONReport.finding(finding) else { return .null }
        object["evidence"] = .array(
            zip(finding.evidence, object["evidence"]?.array ?? []).map { evidence, value in
                guard case .object(var object) = value else { return value }
                if SecretPlaces.isSecret(evidence.place.name, in: evidence.place.part) {
                    object["secret"] = true
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

    private static func link(_ link: Link) -> JSONValue {
        [
            "name": .string(link.name), "transform": .string(link.transform.rawValue),
            "origin": .object(occurrence(link.origin)),
            "uses": .array(link.uses.map { .object(occurrence($0)) }),
        ]
    }

    /// A place with the value that stands there, and as it stands there where that is something else.
    static func occurrence(_ occurrence: Occurrence) -> JSONObject {
        var object = JSONReport.place(occurrence.place)
        object["value"] = .string(occurrence.value)
        if SecretPlaces.isSecret(occurrence.place.name, in: occurrence.place.part) { object["secret"] = true }
        if occurrence.rawValue != occurrence.value { object["raw"] = .string(occurrence.rawValue) }
        return object
    }

    /// Milliseconds with three decimals.
    static func milliseconds(_ time: Timestamp, since start: Timestamp) -> JSONValue {
        let microseconds = (time - start) / .microseconds(1)
        return .number(JSONNumber(text: String(Double(microseconds.rounded()) / 1000)))
    }
}
