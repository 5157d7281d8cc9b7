import Captures
import Flows
package import JSON

/// One capture as the viewer shows it: the documents that it draws are made of this, when they are asked for.
///
/// They are an inner form, of this version of the program and its pages only; programs read ``JSONReport``. The viewer finds
/// out nothing by itself: what it shows is in them.
package struct ViewerCapture: Sendable {
    package let report: Report
    /// Flows that still go on: what is found in them is not certain yet.
    package let unsettled: Set<String>
    let rows: ViewerRows
    /// By the id of a flow that of the one around it.
    let outer: [String: String]
    private let derived = DerivedValues()

    /// `unsettled`: ids of flows of a recording that goes on.
    package init(_ report: Report, unsettled: Set<String> = []) {
        self.report = report
        self.unsettled = unsettled
        rows = ViewerRows(report)
        outer = report.flows.reduce(into: [:]) { $0[$1.flow.id] = $1.flow.outer }
    }

    /// Both found out when they are asked for first: lists show neither.
    var cookies: CookieStory {
        derived.value {
            CookieStory(
                report.capture,
                redirectedFrom: report.flows.first?.flow.surroundings.redirectedFrom ?? [:]
            )
        }
    }

    var secrets: ViewerSecrets { derived.value { ViewerSecrets(report) } }

    /// What the page opens with: the flows and exchanges of each capture in a line each.
    ///
    /// `generator`: name and version of the program.
    package static func overview(of captures: [ViewerCapture], generator: String) -> JSONObject {
        [
            "version": JSONValue(Report.version), "generator": .string(generator),
            "captures": .array(captures.map { .object($0.overview) }),
        ]
    }

    private var overview: JSONObject {
        [
            "name": .string(report.name), "redacted": report.capture.redaction?.json ?? .null,
            "losses": .array(report.capture.losses.map { .string("\($0)") }),
            "advice": advice.map { .string($0) } ?? .null,
            "flows": .array(heads), "exchanges": .array(rows.all),
        ]
    }

    /// What to do about a capture in which there is no login.
    private var advice: String? {
        report.flows.isEmpty ? LoginlessCapture(report.capture).advice : nil
    }

    /// What a list of the flows shows of each.
    package var heads: [JSONValue] {
        report.flows.map { ViewerFlow.head(of: $0, in: self, inside: outer[$0.flow.id]) }
    }

    /// What a list of the exchanges shows of each.
    package var exchanges: [JSONValue] { rows.all }

    /// A flow in full; nil where there is none of this id.
    package func flow(_ id: String) -> JSONValue? {
        report.flows.first { $0.flow.id == id }.map { ViewerFlow.document(of: $0, in: self) }
    }

    /// An exchange in full; nil where there is none of this number.
    package func message(_ index: Int) -> JSONValue? {
        guard report.capture.indices.contains(index) else { return Optional.none }
        return ViewerMessage.document(of: index, in: self)
    }
}
