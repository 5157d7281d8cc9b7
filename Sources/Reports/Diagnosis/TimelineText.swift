import Captures
import Diagnosis
import Flows
import JOSE
import OAuth

/// One flow as a timeline: steps with their times, and below each step the values that are made there or come
/// back.
struct TimelineText {
    var item: Report.DiagnosedFlow
    var capture: Capture
    var style: TextStyle
    /// How wide lines may be, where a terminal says so; else a row is one line, however long that gets.
    var columns: Int?

    /// A value that an exchange makes or uses.
    private struct Mark {
        var link: Link
        var isOrigin: Bool
        /// Where in the exchange it stands.
        var parts: [Place.Part]
    }

    private static func start(of flow: Flow) -> String {
        flow.began.isKnown ? "started \(flow.began.rfc3339)" : "when is not recorded"
    }

    var text: String {
        let flow = item.flow
        var lines = FlowHead.lines(of: item, style: style, columns: columns)
        let course = "\(Self.start(of: flow)), \(duration(of: flow)), exchanges in [brackets]"
        lines += course.wrapped(to: columns ?? .max, indent: "  ").map(style.dim)
        lines.append("")
        let marks = marksByExchange(flow)
        let rows = rows(of: flow, marks)
        let layout = layout(of: rows)
        let margin = layout.margin
        var shown: Set<Int> = []
        let passing = item.passingReadings
        var latest: Int?
        var isTold = false
        for row in rows where !passing.contains(row.exchange) {
            lines += heading(of: row, layout)
            if let latest, let words = hint(on: row.exchange, after: latest) {
                if !isTold { lines += below(margin, style.dim(words)) }
                isTold = true
            } else {
                (latest, isTold) = (row.exchange, false)
            }
            if row.isWithoutBody {
                let words = Self.withoutBody(capture[row.exchange])
                lines += below(margin, "\(style.yellow("○")) \(style.dim(words))")
            }
            lines += row.tokens.flatMap { below(margin, token($0)) }
            if shown.insert(row.exchange).inserted {
                lines += (marks[row.exchange] ?? []).compactMap(describe).flatMap { below(margin, $0) }
            }
        }
        if !passing.isEmpty {
            let places = Self.listed(passing.sorted())
            lines.append(style.dim("  metadata and keys were read before or after it as well: \(places)"))
        }
        if let primary = item.diagnosis.findings.first(where: \.isPrimary) {
            let head = "  \(style.severity(primary.severity)) \(style.bold(primary.rule)): "
            let width = primary.severity.rawValue.count + primary.rule.count + 5
            lines += ["", primary.title.behind(head, of: width, columns: columns)]
        }
        return lines.joined(separator: "\n")
    }

    /// What stands below a step, its sign in front and its words one below the other.
    private func below(_ margin: String, _ text: String) -> [String] {
        guard let columns else { return [margin + text] }
        let parts = text.brokenAtSpaces(to: max(columns - margin.count, Self.leastWidth), hanging: 2)
        return parts.enumerated().map { $0.offset == 0 ? margin + $0.element : "\(margin)  \($0.element)" }
    }

    // MARK: - Rows

    private struct Row {
        /// Since the flow began.
        var offset: String
        var exchange: Int
        var actor: String
        var kind: String
        var what: String
        var tokens: [StepToken] = []
        /// A message of the back channel that has to say something, of which nothing was saved.
        var isWithoutBody = false
    }

    private static let kindsWithBody: Set<StepKind> = [
        .tokenRequest, .refreshRequest, .pushedAuthorizationRequest, .introspectionRequest,
        .revocationRequest,
        .deviceAuthorizationRequest, .backchannelAuthenticationRequest, .backChannelLogoutRequest,
    ]

    private static func withoutBody(_ exchange: Exchange) -> String {
        exchange.request.body?.isTruncated ?? false
            ? "the request was answered before its body had come: the capture has none of it"
            : "the request's body is not in the capture: export it with content"
    }

    /// The steps, and between them what is no protocol message but makes a value that one carries, or got no
    /// answer.
    private func rows(of flow: Flow, _ marks: [Int: [Mark]]) -> [Row] {
        // A refresh may come days later.
        let began = flow.began
        let addresses = Dictionary(
            flow.messages.compactMap { message in message.address.map { (message.exchange, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
        let steps = flow.steps.map { step in
            Row(
                offset: offset(step.at, from: began),
                exchange: step.exchange,
                actor: "\(step.from.name) → \(step.to.name)".printable,
                kind: step.kind.rawValue,
                what: Self.what(capture[step.exchange], addresses[step.exchange]),
                tokens: step.tokens,
                isWithoutBody: Self.kindsWithBody.contains(step.kind) && step.parameters.isEmpty
                    && capture[step.exchange].request.method == "POST"
            )
        }
        let told = Set(flow.steps.map(\.exchange))
        let others = flow.exchanges.filter { exchange in
            guard !told.contains(exchange) else { return false }
            return capture[exchange].response == nil
                || (marks[exchange] ?? []).contains { $0.isOrigin && describe($0) != nil }
        }
        let parties = ExchangeParties(flow.steps, capture)
        let rows =
            steps
            + others.map {
                Row(
                    offset: offset(capture[$0].startedAt, from: began),
                    exchange: $0,
                    actor: parties.words(of: $0),
                    kind: "",
                    what: Self.what(capture[$0], addresses[$0])
                )
            }
        // As the steps stand everywhere: what two clocks noted is not always in the order of its times.
        let position = flow.surroundings.position
        return rows.enumerated().sorted { left, right in
            (position[left.element.exchange], left.offset) < (position[right.element.exchange], right.offset)
        }.map(\.element)
    }

    /// Said of what was noted to begin before the one that it stands behind; nil of all others.
    private func hint(on exchange: Int, after latest: Int) -> String? {
        let (start, before) = (capture[exchange].startedAt, capture[latest].startedAt)
        guard start < before else { return nil }
        return "noted \(Self.milliseconds(before - start)) before [\(latest)] by another clock"
    }

    // MARK: - Layout

    /// How wide the cells of all rows are, and how they stand.
    private struct Layout {
        enum Form {
            case oneLine
            /// The request stands below.
            case requestBelow
            /// Who takes part stands below as well.
            case narrow
        }

        var time: Int
        var number: Int
        var actor: Int
        var kind: Int
        var form = Form.oneLine

        var margin: String { String(repeating: " ", count: time + 4 + number) }
        /// Where an answer begins that stands behind the kind.
        var answer: Int { time + 4 + number + actor + 2 + kind + 2 }
    }

    private func layout(of rows: [Row]) -> Layout {
        var layout = Layout(
            time: max(8, rows.map(\.offset.count).max() ?? 0),
            number: max(5, (rows.map { "[\($0.exchange)]".count }.max() ?? 0) + 1),
            actor: min(rows.map(\.actor.count).max() ?? 0, Self.mostOfActors),
            kind: rows.map(\.kind.count).max() ?? 0
        )
        guard let columns else { return layout }
        let ends = rows.map { $0.what.count + 2 + Self.answer(capture[$0.exchange], .plain).count }
        guard layout.answer + (ends.max() ?? 0) > columns else { return layout }
        layout.form = layout.answer + Self.answerWidth <= columns ? .requestBelow : .narrow
        return layout
    }

    /// Who sends to whom, in a cell; where that is too long, the sender's name is cut: a program may call itself anything.
    private static func cell(_ actor: String, _ width: Int) -> String {
        guard actor.count > width, let arrow = actor.lastIndex(of: "→") else {
            return actor.padded(to: width)
        }
        let receiver = actor[arrow...]
        let sender = String(actor[..<arrow].dropLast())
        let room = max(width - receiver.count - 1, leastOfActor)
        return "\(sender.shortened(to: room)) \(receiver)".shortened(to: width).padded(to: width)
    }

    private static let mostOfActors = 36
    private static let leastOfActor = 8
    /// Of a status and a time: `200 1234 ms`.
    private static let answerWidth = 11
    /// Less of a request says nothing.
    private static let leastWidth = 20

    private func heading(of row: Row, _ layout: Layout) -> [String] {
        let time = String(repeating: " ", count: layout.time - row.offset.count) + row.offset
        let start = "  \(time)  \(style.dim("[\(row.exchange)]".padded(to: layout.number)))"
        let answer = Self.answer(capture[row.exchange], style)
        let kind = style.bold(row.kind.padded(to: layout.kind))
        let room = max((columns ?? 0) - layout.margin.count, Self.leastWidth)
        if layout.form == .oneLine {
            return ["\(start)\(Self.cell(row.actor, layout.actor))  \(kind)  \(row.what)  \(answer)"]
        }
        guard !row.kind.isEmpty || !row.actor.isEmpty else {
            let least = max(room - Self.answerWidth - 2, Self.leastWidth)
            return ["\(start)\(row.what.shortened(to: least))  \(answer)"]
        }
        let request = layout.margin + style.dim(row.what.shortened(to: room))
        if layout.form == .requestBelow {
            return ["\(start)\(Self.cell(row.actor, layout.actor))  \(kind)  \(answer)", request]
        }
        let head = row.kind.isEmpty ? answer : "\(style.bold(row.kind))  \(answer)"
        return ["\(start)\(head)", "\(layout.margin)\(row.actor)", request]
    }

    // MARK: - Links

    private func marksByExchange(_ flow: Flow) -> [Int: [Mark]] {
        var marks: [Int: [Mark]] = [:]
        for link in flow.links {
            if let exchange = link.origin.place.exchange {
                marks[exchange, default: []].append(
                    Mark(link: link, isOrigin: true, parts: [link.origin.place.part])
                )
            }
            var uses: [Int: [Place.Part]] = [:]
            for use in link.uses {
                guard let exchange = use.place.exchange, exchange != link.origin.place.exchange else {
                    continue
                }
                if uses[exchange]?.contains(use.place.part) != true {
                    uses[exchange, default: []].append(use.place.part)
                }
            }
            for (exchange, parts) in uses {
                marks[exchange, default: []].append(Mark(link: link, isOrigin: false, parts: parts))
            }
        }
        return marks
    }

    /// Nil where the mark tells nothing that the line above it does not.
    private func describe(_ mark: Mark) -> String? {
        let link = mark.link
        let name = link.name.printable
        let parts = mark.parts.map(\.rawValue).joined(separator: ", ")
        let origin = link.origin.place.exchange.map { "[\($0)]" } ?? "elsewhere"
        let use = link.uses.first?.name.printable ?? ""
        switch (link.transform, mark.isOrigin) {
        // The verifier is sent after the challenge that was made of it.
        case (.s256, true):
            return style.green("✓ ") + name + style.dim(" in \(parts) fits the \(use) of ")
                + style.dim(targets(of: link))
        case (.s256, false):
            return style.dim("◂ ") + use + style.dim(" is the SHA-256 of the \(name) in \(origin)")
        case (.malformedChallenge, true):
            return style.red("✗ ") + name + style.dim(" in \(parts) does not fit the \(use) of ")
                + style.dim(targets(of: link))
        case (.malformedChallenge, false):
            return style.red("✗ ") + use + style.dim(" is not what the \(name) in \(origin) gives")
        case (.atHash, true), (.codeHash, true): return style.green("✓ ") + name + style.dim(" fits \(use)")
        case (_, true):
            let targets = targets(of: link)
            guard !targets.isEmpty else { return nil }
            return style.cyan("▸ ") + name + style.dim(" made in \(parts), goes to ") + targets
        case (_, false):
            let how = link.transform == .equal ? "" : ", \(link.transform.rawValue)"
            return style.dim("◂ ") + name + style.dim(" from ") + origin + style.dim(" in \(parts)\(how)")
        }
    }

    /// The exchanges that use a value, the first of them where there are many; empty for none.
    private func targets(of link: Link) -> String {
        let targets = Set(link.uses.compactMap(\.place.exchange)).subtracting(
            [link.origin.place.exchange].compactMap(\.self)
        ).sorted()
        return Self.listed(targets)
    }

    private static func listed(_ exchanges: [Int]) -> String {
        let listed = exchanges.prefix(listedTargets).map { "[\($0)]" }.joined(separator: " ")
        let rest = exchanges.count - listedTargets
        return rest > 0 ? "\(listed) and \(rest) more" : listed
    }

    private static let listedTargets = 20

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
        if let envelope = token.envelope {
            text += ", was encrypted (\((envelope.algorithm ?? "no alg").printable))"
        }
        if let subject = token.token.subject { text += ", sub \(subject.printable.shortened(to: 24))" }
        if let issuer = token.token.issuer { text += ", iss \(issuer.printable.shortened(to: 48))" }
        return text
    }

    /// What stands in a capture without logins, so that one sees what is missing: a line for each of the first exchanges.
    static func exchanges(of capture: Capture, style: TextStyle) -> [String] {
        let shown = capture.indices.prefix(mostExchanges)
        let lines = shown.map { index in
            let exchange = capture[index]
            let isUnread = exchange.response == nil && exchange.tunnel.reason != nil
            let answer = isUnread ? "passed on unread" : answer(exchange, style)
            return "  \("[\(index)]".padded(to: 4)) \(what(exchange))  \(answer)"
        }
        let more = capture.count - shown.count
        return lines + (more > 0 ? ["  and \(more) more; authreel view shows all of them"] : [])
    }

    /// How many of them are enough to see whose they are.
    private static let mostExchanges = 20

    /// Method, host, path and what of the query belongs to the address; the rest is told by the values below.
    private static func what(_ exchange: Exchange, _ address: RecordedURL? = nil) -> String {
        let url = exchange.request.url
        let isAsked = address?.withoutQuery == url.withoutQuery
        let own = isAsked ? address?.query.map { "?\($0)" } : nil
        // A client's own address may have its token in it.
        let target = Masking.shown(url.shown + (own ?? ""), of: "registration_client_uri")
        return "\(exchange.request.method) \(target)".printable.shortened(to: 60)
    }

    private static func answer(_ exchange: Exchange, _ style: TextStyle) -> String {
        guard let response = exchange.response else {
            return style.red(
                ("no answer" + (exchange.failure.map { ": \($0)" } ?? "")).printable.shortened(to: 90)
            )
        }
        let words = "\(response.status)" + (exchange.isBrokenOff ? " broken off" : "")
        let status = response.status >= 400 || exchange.isBrokenOff ? style.red(words) : words
        return status + (exchange.duration.map { style.dim(" \(milliseconds($0))") } ?? "")
    }

    /// Nothing where only the other of the two is known.
    private func offset(_ time: Timestamp, from start: Timestamp) -> String {
        guard time.isKnown == start.isKnown else { return "" }
        let milliseconds = (time - start).wholeMilliseconds
        let fraction = String(milliseconds.magnitude % 1000)
        return milliseconds < 0
            ? "-" + Self.rough(-milliseconds / 1000)
            : "+\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }

    /// A duration in the largest unit of which there are two.
    private static func rough(_ seconds: Int64) -> String {
        let units: [(size: Int64, name: String)] = [(86_400, "days"), (3600, "h"), (60, "min")]
        guard let unit = units.first(where: { seconds >= 2 * $0.size }) else { return "\(seconds) s" }
        return "\(seconds / unit.size) \(unit.name)"
    }

    private func duration(of flow: Flow) -> String {
        flow.exchanges.isEmpty ? "0 ms" : Self.milliseconds(flow.ended - flow.began)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let total = duration.wholeMilliseconds
        return total < 10_000 ? "\(total) ms" : rough(total / 1000)
    }
}
