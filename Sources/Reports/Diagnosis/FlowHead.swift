import Captures
import Diagnosis
import Flows

/// The line that opens a flow in every text form.
enum FlowHead {
    /// A name of more characters is none that anybody reads.
    static let longest = 300

    /// What a capture calls somebody, as every form of a report shows it: on one line that nobody is made to scroll.
    static func name(_ text: String) -> String { text.printable.shortened(to: longest) }

    /// A grant as text calls it: none is known where the token request's body was not saved.
    static func grant(_ grant: String) -> String { grant.isEmpty ? "unknown grant" : grant }

    /// The provider as text calls it; nil for one that is nobody's in particular.
    static func provider(_ kind: ProviderKind) -> String? { kind == .generic ? nil : kind.rawValue }

    static func line(of item: Report.DiagnosedFlow, style: TextStyle) -> String {
        parts(of: item, style: style).joined(separator: " · ")
    }

    /// The same, broken between its parts where it is wider than `columns`; nil leaves it on one line.
    static func lines(of item: Report.DiagnosedFlow, style: TextStyle, columns: Int?) -> [String] {
        lines(of: parts(of: item, style: style), columns: columns)
    }

    /// Parts of a head, styled or not, in lines that are broken between them where they are wider than `columns`.
    static func lines(of parts: [String], columns: Int?) -> [String] {
        guard let columns else { return [parts.joined(separator: " · ")] }
        var lines: [String] = []
        var width = 0
        for part in parts {
            let its = part[...].styledWidth
            width += 3 + its
            if let last = lines.indices.last, width <= columns {
                lines[last] += " · " + part
            } else {
                width = (lines.isEmpty ? 0 : 4) + its
                lines.append(lines.isEmpty ? part : "  · " + part)
            }
        }
        return lines
    }

    private static func parts(of item: Report.DiagnosedFlow, style: TextStyle) -> [String] {
        let flow = item.flow
        var parts = [
            style.bold(flow.id), style.outcome(item.diagnosis.outcome), grant(flow.grant),
        ]
        if let provider = Self.provider(flow.provider) { parts.append(provider) }
        if let client = flow.clientID { parts.append("client \(client)") }
        if let issuer = flow.issuer { parts.append(issuer) }
        return parts.enumerated().map {
            $0.offset < 2 ? $0.element : name($0.element)
        }
    }
}
