import Captures
import Flows
package import JSON
import Replay

/// The comparison of two flows for programs.
package enum DifferenceJSON {
    /// What `diff --format json` prints.
    package static func text(of report: DifferenceReport) -> String {
        JSONWriter.text(of: .object(object(of: report)), indented: true)
    }

    /// The members of that object, for a report that says more.
    package static func object(of report: DifferenceReport) -> JSONObject {
        let difference = report.difference
        return [
            "version": JSONValue(Report.version),
            "same": .bool(difference.isSame),
            "headline": .string(report.headline),
            "flows": [.string(difference.expectedID), .string(difference.seenID)],
            "captures": [.string(report.expected.capture), .string(report.seen.capture)],
            "overall": .array(difference.overall.map(value)),
            "steps": .array(difference.steps.map(step)),
        ]
    }

    private static func step(_ pair: StepPair) -> JSONValue {
        [
            "kind": .string(pair.kind.rawValue),
            "exchanges": [number(pair.expected), number(pair.seen)],
            "statuses": [number(pair.expectedStatus), number(pair.seenStatus)],
            "same": .bool(pair.isSame),
            "differences": .array(pair.differences.map(value)),
        ]
    }

    /// One thing that differs.
    static func value(_ difference: ValueDifference) -> JSONValue {
        var place: JSONObject = [
            "where": .string(difference.place.part.rawValue), "name": .string(difference.place.name),
        ]
        if let token = difference.token { place["token"] = .string(token) }
        var object = JSONObject()
        // What differs between the flows as a whole stands nowhere.
        if difference.place.exchange != nil { object["place"] = .object(place) }
        object["name"] = .string(difference.name)
        if let aspect = difference.aspect { object["aspect"] = .string(aspect) }
        object["expected"] = difference.expected.map { .string($0) } ?? .null
        object["seen"] = difference.seen.map { .string($0) } ?? .null
        object["weight"] = .string(difference.weight.rawValue)
        object["note"] = .string(difference.note)
        return .object(object)
    }

    static func number(_ value: Int?) -> JSONValue {
        value.map { JSONValue($0) } ?? .null
    }
}
