import Flows
import Replay

/// Lines of text about two flows and what they differ in.
struct DifferenceLines {
    var style: TextStyle
    var columns: Int

    /// One of the two flows: name, outcome, grant, provider, client, broken between them where that is wider than there is room.
    func head(_ letter: String, _ side: DifferenceReport.Side) -> String {
        let flow = side.flow
        let parts = [
            side.name.printable, style.outcome(side.outcome), FlowHead.grant(flow.grant).printable,
            FlowHead.provider(flow.provider),
            flow.clientID.map { "client \(FlowHead.name($0))" },
        ]
        let lines = FlowHead.lines(of: parts.compactMap { $0 }, columns: columns - 3)
        return "\(style.bold(letter))  " + lines.joined(separator: "\n   ")
    }

    /// What differs, and the two values where the explanation does not hold them.
    func lines(for difference: ValueDifference) -> [String] {
        let isNote = difference.weight == .note
        if difference.aspect == "step" {
            return wrapped(difference.note.printable, indent: "      ").map {
                isNote ? style.dim($0) : style.red($0)
            }
        }
        let label = difference.label.printable
        var lines = wrapped("\(label): \(difference.note.printable)", indent: "      ")
        if !isNote, !lines.isEmpty, lines[0].hasPrefix("      " + label) {
            lines[0] = "      " + style.red(label) + lines[0].dropFirst(6 + label.count)
        }
        if isNote { lines = lines.map { style.dim($0) } }
        guard !isNote, !saysItAll(difference) else { return lines }
        // Values are not cut: they are what is compared.
        if let expected = difference.expected {
            lines.append("        " + style.dim("A ") + expected.printable)
        }
        if let seen = difference.seen { lines.append("        " + style.dim("B ") + seen.printable) }
        return lines
    }

    /// Whether both values stand in the explanation already.
    private func saysItAll(_ difference: ValueDifference) -> Bool {
        difference.note.hasPrefix("\(difference.seen ?? "none") instead of \(difference.expected ?? "none")")
            || ["clock of ", "against "].contains { difference.aspect?.hasPrefix($0) ?? false }
    }

    /// Lines broken at spaces, the further ones further in.
    func wrapped(_ text: String, indent: String) -> [String] {
        text.wrapped(to: columns, indent: indent, hanging: "  ")
    }
}
