import Captures
import Flows
import JSON

/// A diagram as the viewer draws it: lanes from left to right, rows from top to bottom.
enum DiagramJSON {
    /// `start`: times are milliseconds from here.
    static func object(of diagram: SequenceDiagram, since start: Timestamp) -> JSONValue {
        [
            "title": .string(diagram.title),
            "lanes": .array(
                diagram.lanes.map { lane in
                    [
                        "role": .string(lane.role.rawValue), "name": .string(lane.name),
                        "host": lane.host.map { .string($0) } ?? .null, "broker": .bool(lane.isBroker),
                        "inner": .bool(lane.isUpstream),
                    ]
                }
            ),
            "rows": .array(diagram.rows.map { row($0, start) }),
        ]
    }

    private static func row(_ row: SequenceDiagram.Row, _ start: Timestamp) -> JSONValue {
        switch row {
        case .message(let message):
            [
                "type": "message", "exchange": JSONValue(message.exchange),
                "at": ViewerTime.milliseconds(message.at, since: start), "from": JSONValue(message.from),
                "to": JSONValue(message.to), "form": .string(form(message.form)),
                "words": .string(message.words),
                "failure": .bool(message.isFailure), "next": message.next.map { JSONValue($0) } ?? .null,
            ]
        case .folded(let exchanges): ["type": "folded", "exchanges": .array(exchanges.map { JSONValue($0) })]
        case .finding(let rule, let title, let isPrimary, let lanes):
            [
                "type": "finding", "rule": .string(rule), "title": .string(title),
                "primary": .bool(isPrimary),
                "from": JSONValue(lanes.lowerBound), "to": JSONValue(lanes.upperBound),
            ]
        }
    }

    private static func form(_ form: SequenceDiagram.Form) -> String {
        switch form {
        case .request: "request"
        case .answer: "answer"
        case .redirect: "redirect"
        case .silence: "silence"
        }
    }
}
