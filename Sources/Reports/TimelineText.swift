import Captures
import Diagnosis
import Flows
import JOSE
import OAuth

/// One flow as a timeline: steps with their times, and below each step the values that are made there or come back.
struct TimelineText {
    var item: Report.DiagnosedFlow
    var capture: Capture
    var style: TextStyle

    /// Values that a step makes or uses, by the index of the link.
    private struct Mark {
        var link: Int
        var isOrigin: Bool
        var place: Place
    }

    var text: String {
        let flow = item.flow
        var lines = [FlowHead.line(of: item, style: style)]
        lines.append(style.dim("  started \(flow.started.rfc3339), \(duration(of: flow)), exchanges in [brackets]"))
        lines.append("")
        let marks = marksByExchange(flow)
        let actors = flow.steps.map { "\($0.from.name) → \($0.to.name)".printable }
        let actorWidth = min(actors.map(\.count).max() ?? 0, 36)
        let kindWidth = flow.steps.map(\.kind.rawValue.count).max() ?? 0
        var shown: Set<Int> = []
        for (step, actor) in zip(flow.steps, actors) {
            let exchange = capture[step.exchange]
            lines.append(
                "  \(offset(step.at, from: flow.started))  \(style.dim("[\(step.exchange)]".padded(to: 5)))"
                    + "\(actor.padded(to: actorWidth))  \(style.bold(step.kind.rawValue.padded(to: kindWidth)))  "
                    + "\(what(exchange))  \(answer(exchange))"
            )
            lines += step.tokens.map { "\(Self.margin)\(token($0))" }
            if shown.insert(step.exchange).inserted {
                lines += (marks[step.exchange] ?? []).map { "\(Self.margin)\(describe($0, flow))" }
            }
        }
        if let primary = item.diagnosis.findings.first(where: \.isPrimary) {
            lines += ["", "  \(style.severity(primary.severity)) \(style.bold(primary.rule)): \(primary.title)"]
        }
        return lines.joined(separator: "\n")
    }

    private static let margin = String(repeating: " ", count: 17)

    // MARK: - Links

    private func marksByExchange(_ flow: Flow) -> [Int: [Mark]] {
        var marks: [Int: [Mark]] = [:]
        for (index, link) in flow.links.enumerated() {
            if let exchange = link.origin.place.exchange {
                marks[exchange, default: []].append(Mark(link: index, isOrigin: true, place: link.origin.place))
            }
            for use in link.uses {
                guard let exchange = use.place.exchange, exchange != link.origin.place.exchange else { continue }
                marks[exchange, default: []].append(Mark(link: index, isOrigin: false, place: use.place))
            }
        }
        return marks
    }

    private func describe(_ mark: Mark, _ flow: Flow) -> String {
        let link = flow.links[mark.link]
        let name = link.name.printable
        guard mark.isOrigin else {
            let from = link.origin.place.exchange.map { "[\($0)]" } ?? "elsewhere"
            let how = link.transform == .equal ? "" : ", \(link.transform.rawValue)"
            return style.dim("◂ ") + "\(name) from \(from)" + style.dim(" in \(mark.place.part.rawValue)\(how)")
        }
        let targets = Set(link.uses.compactMap(\.place.exchange)).sorted().filter { $0 != mark.place.exchange }
        let where_ = targets.map { "[\($0)]" }.joined(separator: " ")
        return style.cyan("▸ ") + "\(name)" + style.dim(" made in \(mark.place.part.rawValue)")
            + (where_.isEmpty ? "" : style.dim(", goes to ") + where_)
    }

    // MARK: - Cells

    private func token(_ token: StepToken) -> String {
        let algorithm = token.token.algorithm ?? "no alg"
        let signature =
            switch token.signature {
            case .valid: style.green("signature valid")
            case .invalid: style.red("signature invalid")
            default: style.yellow("signature \(token.signature.rawValue)")
            }
        var text = "● \(token.name.printable) \(algorithm.printable), \(signature)"
        if let subject = token.token.subject { text += ", sub \(subject.printable.shortened(to: 24))" }
        if let issuer = token.token.issuer { text += ", iss \(issuer.printable.shortened(to: 48))" }
        return text
    }

    /// Method, host and path; the query is told by the values below.
    private func what(_ exchange: Exchange) -> String {
        let url = exchange.request.url
        let target = (url.authority ?? "") + url.path
        return "\(exchange.request.method) \(target)".printable.shortened(to: 60)
    }

    private func answer(_ exchange: Exchange) -> String {
        guard let response = exchange.response else {
            return style.red(("no answer" + (exchange.failure.map { ": \($0)" } ?? "")).printable.shortened(to: 90))
        }
        let status = response.status >= 400 ? style.red("\(response.status)") : "\(response.status)"
        return status + (exchange.duration.map { style.dim(" \(Self.milliseconds($0))") } ?? "")
    }

    private func offset(_ time: Timestamp, from start: Timestamp) -> String {
        let milliseconds = (time.nanoseconds - start.nanoseconds) / 1_000_000
        let fraction = String(milliseconds.magnitude % 1000)
        let text = "+\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    private func duration(of flow: Flow) -> String {
        let ends = flow.exchanges.map { capture[$0].endedAt }
        guard let end = ends.max() else { return "0 ms" }
        return Self.milliseconds(end - flow.started)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let total = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return total < 10_000 ? "\(total) ms" : "\(total / 1000) s"
    }
}
