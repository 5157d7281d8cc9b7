import Captures
import Flows

/// Diagrams in Mermaid's language, as tickets and wikis draw them.
///
/// A capture is hostile: whatever a text holds, it stays one line of it and starts nothing.
package enum MermaidDiagram {
    /// One document with every flow of a report.
    package static func text(of report: Report) -> String {
        let diagrams = report.flows.map { SequenceDiagramBuilder.diagram(of: $0, in: report.capture) }
        return text(of: diagrams)
    }

    static func text(of diagrams: [SequenceDiagram]) -> String {
        // A lane that several flows have is one.
        let lanes = diagrams.flatMap(\.lanes).eachOnce()
        var lines = ["sequenceDiagram"]
        if diagrams.count == 1 { lines.append("  title \(escaped(diagrams[0].title))") }
        lines += lanes.enumerated().map { index, lane in
            let isPerson = lane.role == .browser
            return "  \(isPerson ? "actor" : "participant") \(name(index)) as \(label(lane))"
        }
        for diagram in diagrams {
            let places = diagram.lanes.map { lanes.firstIndex(of: $0) ?? 0 }
            if diagrams.count > 1, let first = places.min(), let last = places.max() {
                lines.append("  Note over \(span(first...last)): \(escaped(diagram.title))")
            }
            lines += diagram.rows.compactMap { line($0, places) }
        }
        return lines.joined(separator: "\n")
    }

    private static func line(_ row: SequenceDiagram.Row, _ places: [Int]) -> String? {
        switch row {
        case .message(let message):
            let arrow =
                switch message.form {
                case .request: "->>"
                case .answer, .redirect: message.isFailure ? "--x" : "-->>"
                case .silence: "--x"
                }
            let words = message.form == .request ? "[\(message.exchange)] \(message.words)" : message.words
            return "  \(name(places[message.from]))\(arrow)\(name(places[message.to])): \(escaped(words))"
        case .folded(let exchanges):
            guard let first = places.min(), let last = places.max() else { return nil }
            return "  Note over \(span(first...last)): \(exchanges.count.counted("more request"))"
        case .finding(let rule, let title, let isPrimary, let lanes):
            let ends = [places[lanes.lowerBound], places[lanes.upperBound]].sorted()
            let mark = isPrimary ? "root cause" : "also"
            return "  Note over \(span(ends[0]...ends[1])): \(escaped("\(mark): \(rule) · \(title)"))"
        }
    }

    private static func name(_ index: Int) -> String { "P\(index)" }

    private static func span(_ lanes: ClosedRange<Int>) -> String {
        lanes.lowerBound == lanes.upperBound
            ? name(lanes.lowerBound) : "\(name(lanes.lowerBound)),\(name(lanes.upperBound))"
    }

    private static func label(_ lane: SequenceDiagram.Lane) -> String {
        let role = lane.role.rawValue
        let name = lane.name == role ? role : "\(role) (\(lane.name))"
        // A line of its own for the address.
        return escaped(name.shortened(to: 48))
            + (lane.host.map { "<br/>" + escaped($0.shortened(to: 64)) } ?? "")
    }

    /// One line in which nothing has a meaning to Mermaid or to the page around it.
    static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.printable.unicodeScalars {
            switch scalar {
            case "#", ";", "<", ">", "&", "\"", "%", "{", "}", "`", "\\", "$": output += "#\(scalar.value);"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
