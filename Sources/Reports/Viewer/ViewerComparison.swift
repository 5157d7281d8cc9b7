import Captures
package import JSON
package import Replay
import Flows

/// Two flows side by side, as the viewer shows them.
package enum ViewerComparison {
    /// One of the two: its place among the captures that are looked at, and its id there.
    package struct Side: Sendable, Hashable {
        package var capture: Int
        package var flow: String

        package init(capture: Int, flow: String) {
            self.capture = capture
            self.flow = flow
        }
    }

    /// Two that are compared, and what is taken for granted.
    package struct Choice: Sendable {
        package var expected: Side
        package var seen: Side
        package var options: ComparisonOptions

        package init(expected: Side, seen: Side, options: ComparisonOptions = ComparisonOptions()) {
            self.expected = expected
            self.seen = seen
            self.options = options
        }
    }

    /// What `diff --format json` prints, with the sides; nil where one of the flows is not there.
    package static func document(of choice: Choice, in captures: [ViewerCapture]) -> JSONValue? {
        guard let first = side(choice.expected, captures), let second = side(choice.seen, captures) else {
            return Optional.none
        }
        let report = DifferenceReport(expected: first, seen: second, options: choice.options)
        var object = DifferenceJSON.object(of: report)
        object["expected"] = name(choice.expected)
        object["seen"] = name(choice.seen)
        object["markdown"] = .string(DifferenceMarkdown.text(of: report, showsAll: false))
        return .object(object)
    }

    /// The pairs of a capture that are worth a look: logins of one client, the earlier one first.
    ///
    /// Of the first ``mostFlows`` flows only: their number is quadratic.
    static func choices(in captures: [ViewerCapture]) -> [Choice] {
        captures.enumerated().flatMap { number, capture in
            let flows = capture.report.flows.prefix(mostFlows).map(\.flow)
            return flows.indices.flatMap { index in
                flows[(index + 1)...].filter { $0.clientID == flows[index].clientID }.map {
                    Choice(
                        expected: Side(capture: number, flow: flows[index].id),
                        seen: Side(capture: number, flow: $0.id)
                    )
                }
            }
        }
    }

    private static let mostFlows = 8

    private static func side(_ side: Side, _ captures: [ViewerCapture]) -> DifferenceReport.Side? {
        guard captures.indices.contains(side.capture) else { return nil }
        let report = captures[side.capture].report
        return report.flows.first { $0.flow.id == side.flow }.map {
            DifferenceReport.Side(capture: report.name, flow: $0.flow)
        }
    }

    private static func name(_ side: Side) -> JSONValue {
        ["capture": .number(JSONNumber(Int64(side.capture))), "flow": .string(side.flow)]
    }
}
