import Captures
import Diagnosis

extension Finding {
    /// It is called the root cause: a warning that stands first is the likeliest that was found, no more.
    var isRootCause: Bool { isPrimary && severity != .warning }

    /// The rule, and in which way it is broken.
    var name: String { rule + (way.map { " (\($0))" } ?? "") }

    /// The variant as it is told to people, to whom `unknown` says nothing but doubt.
    var way: String? { variant == "unknown" ? nil : variant }
}

extension Evidence {
    /// The value on one line: of what was sent every character counts, of the sentences of an error (Entra's have several lines) only
    /// the words.
    var lineOfValue: String {
        guard place.name.hasPrefix("error") else { return value }
        return value.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// One finding as text: what is wrong, the values it rests on, and what to change.
struct FindingText {
    var finding: Finding
    var style: TextStyle
    /// How wide running text may be; values are not cut, but go on in lines below.
    var columns = TextReport.widest

    var lines: [String] {
        var head = "  \(style.severity(finding.severity)) \(style.bold(finding.rule))"
        if let way = finding.way { head += " (\(way))" }
        if finding.isRootCause { head += "  " + style.bold("← root cause") }
        var lines = [head]
        if let cause = finding.effectOf {
            let words = "effect of \(cause)" + (finding.effectOfFlow.map { " of \($0)" } ?? "")
            let width = "  \(finding.severity.rawValue) \(finding.name)  \(words)".count
            // A line of a file is a finding's, however wide.
            let isBroken = width > columns && columns < TextReport.widest
            lines = isBroken ? [head, style.dim("    " + words)] : [head + style.dim("  " + words)]
        }
        lines += finding.title.wrapped(to: columns, indent: "    ")
        let places = finding.evidence.map { Self.words(for: $0.place).printable }
        let width = min(places.map(\.count).max() ?? 0, 52)
        for (evidence, place) in zip(finding.evidence, places) {
            let note = evidence.note.map { "↳ \($0.printable)" }
            guard columns - width - 8 >= Self.leastRoom else {
                lines += below(place, evidence.lineOfValue.printable, note)
                continue
            }
            lines += beside(place, width, evidence.lineOfValue.printable)
            if let note { lines += beside("", width, note, hanging: "  ") }
        }
        // Effects are listed, their cause explains them.
        guard finding.effectOf == nil else { return lines }
        lines += finding.explanation.printable.wrapped(to: columns, indent: "    ")
        lines += "→ \(finding.fix.printable)".wrapped(to: columns, indent: "    ")
        return lines + sources.map { "    " + style.dim($0) }
    }

    /// The sections and the command that tells more; one below the other where they are too wide for a line.
    private var sources: [String] {
        let sections = finding.specifications.map(\.text).joined(separator: ", ")
        let more = "authreel explain \(finding.rule)"
        guard !sections.isEmpty else { return [more] }
        let line = "\(sections) · \(more)"
        return line.count + 4 <= columns ? [line] : sections.wrapped(to: columns - 4) + [more]
    }

    /// A text in the column behind the places; sentences go on below, and what has a word that is too long stays whole.
    ///
    /// `width`: of the places; `hanging`: stands before each line but the first.
    private func beside(_ place: String, _ width: Int, _ text: String, hanging: String = "") -> [String] {
        let room = columns - width - 8
        let margin = String(repeating: " ", count: width + 8) + hanging
        let parts = text.brokenAtSpaces(to: room, hanging: hanging.count)
        return parts.enumerated().map { number, part in
            number == 0 ? "      \(style.dim(place.padded(to: width)))  \(part)" : margin + part
        }
    }

    /// Value and note below their place, where there is no room beside it.
    private func below(_ place: String, _ value: String, _ note: String?) -> [String] {
        let margin = "        "
        let room = columns - margin.count
        return ["      " + style.dim(place)] + value.brokenAtSpaces(to: room).map { margin + $0 }
            + (note?.wrapped(to: columns, indent: margin, hanging: "  ") ?? [])
    }

    /// In fewer columns beside their places values are hard to read.
    private static let leastRoom = 30

    private static func words(for place: Place) -> String {
        guard let exchange = place.exchange else { return "= \(place.name)" }
        return "[\(exchange)] \(place.part.rawValue) \(place.name)"
    }
}
