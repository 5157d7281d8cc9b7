import Captures
import Diagnosis
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
        let secrets = [choice.expected, choice.seen].map { captures[$0.capture].secrets }
        object["headline"] = .string(report.headline { open($0, secrets) })
        object["overall"] = .array(report.difference.overall.map { difference($0, secrets) })
        object["steps"] = .array(
            zip(report.difference.steps, object["steps"]?.array ?? []).map { step, value in
                guard case .object(var object) = value else { return value }
                object["words"] = .string(DiagramWords.kind(step.kind))
                object["differences"] = .array(step.differences.map { difference($0, secrets) })
                return .object(object)
            }
        )
        object["expected"] = name(choice.expected)
        object["seen"] = name(choice.seen)
        return .object(object)
    }

    /// The pairs of a capture that are worth a look: logins of one client, the earlier one first, and for each login that did
    /// not go well what it is compared with where nothing is chosen.
    ///
    /// Both of the first ``mostFlows`` and ``mostProposals`` only, since the one's number is quadratic, and each has its room.
    static func choices(in captures: [ViewerCapture]) -> [Choice] {
        captures.enumerated().flatMap { number, capture in
            let flows = capture.report.flows
            return (pairs(of: flows.prefix(mostFlows)) + proposals(of: flows)).map { pair in
                pair.map { Side(capture: number, flow: $0.flow.id) }
            }.eachOnce().map { Choice(expected: $0[0], seen: $0[1]) }
        }
    }

    private static func pairs(of flows: ArraySlice<Report.DiagnosedFlow>) -> [[Report.DiagnosedFlow]] {
        flows.indices.flatMap { index in
            flows[(index + 1)...].filter { $0.flow.clientID == flows[index].flow.clientID }.map {
                [flows[index], $0]
            }
        }
    }

    /// The page's own words for it are in `proposal` of `compare.js`: one that worked, of the same client if there is one.
    private static func proposals(of flows: [Report.DiagnosedFlow]) -> [[Report.DiagnosedFlow]] {
        let worked = flows.filter { $0.diagnosis.outcome == .success }
        return flows.filter { $0.diagnosis.outcome != .success }.prefix(mostProposals).compactMap { own in
            let other = worked.first { $0.flow.clientID == own.flow.clientID } ?? worked.first
            return other.map { [$0, own] }
        }
    }

    private static let mostFlows = 8
    private static let mostProposals = 64

    private static func side(_ side: Side, _ captures: [ViewerCapture]) -> DifferenceReport.Side? {
        guard captures.indices.contains(side.capture) else { return nil }
        let report = captures[side.capture].report
        return report.flows.first { $0.flow.id == side.flow }.map {
            DifferenceReport.Side(capture: report.name, flow: $0.flow)
        }
    }

    /// A difference, with a mark where its values are secret.
    private static func difference(_ difference: ValueDifference, _ secrets: [ViewerSecrets]) -> JSONValue {
        guard case .object(var object) = DifferenceJSON.value(difference) else { return .null }
        let note = open(difference, secrets)
        object["note"] = .string(note)
        if note != difference.note { object["fullNote"] = .string(difference.note) }
        if isSecret(difference, secrets) { object["secret"] = true }
        return .object(object)
    }

    /// The note of a difference as anybody may read it.
    private static func open(_ difference: ValueDifference, _ secrets: [ViewerSecrets]) -> String {
        let isSecret = isSecret(difference, secrets)
        return secrets.reduce(difference.note) { $1.open($0, isOfSecret: isSecret) }
    }

    private static func isSecret(_ difference: ValueDifference, _ secrets: [ViewerSecrets]) -> Bool {
        let values = [difference.expected, difference.seen].compactMap(\.self)
        // Aspects tell of a value what can be told of it.
        let isNamed =
            difference.aspect == nil
            && values.contains { value in
                secrets.allSatisfy { $0.isNamed(difference.place, isCookie: true, value) }
            }
        return isNamed || values.contains { value in secrets.contains { $0.holds(value) } }
    }

    private static func name(_ side: Side) -> JSONValue {
        ["capture": JSONValue(side.capture), "flow": .string(side.flow)]
    }
}
