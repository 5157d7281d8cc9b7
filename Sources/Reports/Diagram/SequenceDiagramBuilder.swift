package import Captures
import Diagnosis
import Flows
import OAuth

/// Draws up the diagram of a flow.
package enum SequenceDiagramBuilder {
    package static func diagram(of item: Report.DiagnosedFlow, in capture: Capture) -> SequenceDiagram {
        Drawing(item, capture).diagram
    }
}

private struct Drawing {
    private let flow: Flow
    /// Exchanges that are folded though they are steps.
    private let passing: Set<Int>
    /// Causes; of notes only the one that says why a login came to nothing.
    private let findings: [Finding]
    private let capture: Capture
    private let table: LaneTable
    /// Exchanges of the flow by what they asked for, in the order of time.
    private let byURL: [String: [Int]]
    /// When each exchange of the flow began, none later than those that stand behind it: two clocks may have noted it otherwise.
    private let starts: [Int: Timestamp]

    init(_ item: Report.DiagnosedFlow, _ capture: Capture) {
        flow = item.flow
        let passing = item.passingReadings
        self.passing = passing
        let hasFailed = item.diagnosis.outcome != .success
        findings = item.diagnosis.findings.filter {
            $0.effectOf == nil && ($0.severity != .note || hasFailed && $0.isRootCause)
        }
        self.capture = capture
        table = LaneTable(
            item.flow.steps.filter { $0.kind != .clientNotification && !passing.contains($0.exchange) },
            item.flow.exchanges,
            capture
        )
        let position = item.flow.surroundings.position
        byURL = Dictionary(
            grouping: item.flow.exchanges.sorted { position[$0] < position[$1] },
            by: { String(capture[$0].request.url.text.prefix { $0 != "#" }) }
        )
        starts = Self.starts(of: item.flow, capture)
    }

    private static func starts(of flow: Flow, _ capture: Capture) -> [Int: Timestamp] {
        var starts: [Int: Timestamp] = [:]
        var next: Timestamp?
        for exchange in flow.exchanges.reversed() {
            let start = min(capture[exchange].startedAt, next ?? capture[exchange].startedAt)
            starts[exchange] = start
            next = start
        }
        return starts
    }

    private func start(_ exchange: Int) -> Timestamp { starts[exchange] ?? capture[exchange].startedAt }

    /// A message, or a request that is folded, with what puts it in order.
    private struct Event {
        var at: Timestamp
        var order: Int
        var row: SequenceDiagram.Row
    }

    var diagram: SequenceDiagram {
        var title = [flow.id, FlowHead.grant(flow.grant)]
        if let client = flow.clientID { title.append("client \(FlowHead.name(client))") }
        if let issuer = flow.issuer { title.append(FlowHead.name(issuer)) }
        var diagram = SequenceDiagram(title: title.joined(separator: " · "))
        diagram.lanes = table.lanes
        let steps = Dictionary(grouping: flow.steps, by: \.exchange)
        let pages = startPages
        var events: [Event] = []
        for (number, exchange) in flow.exchanges.enumerated() {
            let mine: [Event]
            if steps[exchange]?.first?.kind == .clientNotification, let told = notified(exchange) {
                mine = told
            } else if let steps = steps[exchange], !passing.contains(exchange) {
                mine = self.events(of: steps, at: exchange)
            } else if let target = pages[exchange], let browser = table.first(.browser) {
                mine = drawn(exchange, from: browser, to: target)
            } else if capture[exchange].response == nil, let (sender, target) = unanswered(exchange) {
                mine = drawn(exchange, from: sender, to: target)
            } else {
                mine = [Event(at: start(exchange), order: 0, row: .folded([exchange]))]
            }
            events += mine.map { Event(at: $0.at, order: 2 * number + $0.order, row: $0.row) }
        }
        // Numbered, because sorting alone may swap what happened in the same instant.
        events = inCausalOrder(events)
        diagram.rows = withFindings(folded(events.map(\.row)))
        return diagram
    }

    /// Clocks of both sides of an exchange are read at different moments: an answer comes before the request that it led to,
    /// and behind the answers to what its server asked meanwhile.
    private func inCausalOrder(_ events: [Event]) -> [Event] {
        var events = events
        var ends: [Int: Timestamp] = [:]
        var asked: [Int: [SequenceDiagram.Message]] = [:]
        for case .message(let message) in events.map(\.row) {
            if message.form == .request {
                asked[message.from, default: []].append(message)
            } else {
                ends[message.exchange] = message.at
            }
        }
        for lane in asked.keys { asked[lane]?.sort { $0.at < $1.at } }
        for index in events.indices {
            guard case .message(let answer) = events[index].row, answer.form != .request else { continue }
            let start = start(answer.exchange)
            if let next = answer.next, start <= self.start(next) {
                events[index].at = min(answer.at, self.start(next))
                continue
            }
            let meanwhile = (asked[answer.from] ?? []).drop { $0.at < start }.prefix { $0.at <= answer.at }
            guard let last = meanwhile.compactMap({ ends[$0.exchange] }).max(), last >= answer.at else {
                continue
            }
            events[index].at = last
            // Behind all that came at the same time.
            events[index].order += 2 * flow.exchanges.count
        }
        return events.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
    }

    /// The exchange that a redirect led to.
    private func next(after answer: SequenceDiagram.Message) -> Int? {
        guard answer.form == .redirect, let location = capture[answer.exchange].response?.location else {
            return nil
        }
        // The browser keeps the fragment to itself.
        let target = String(
            capture[answer.exchange].request.url.resolving(location).text.prefix { $0 != "#" }
        )
        let position = flow.surroundings.position
        return byURL[target]?.first { position[$0] > position[answer.exchange] }
    }

    // MARK: - Exchanges that are steps

    private func events(of steps: [Step], at exchange: Int) -> [Event] {
        let step = steps.first(where: LaneTable.isAsked) ?? steps.first
        guard let step, let from = table.sender(of: step), let to = table.receiver(of: step, capture)
        else { return [] }
        let recorded = capture[exchange]
        let request = request(exchange, from: from, to: to, words: DiagramWords.request(step, recorded))
        var answer = self.answer(to: request, recorded)
        // The provider's word for an app that has no address on the wire.
        if LaneTable.isAsked(step), let handed = steps.first(where: { !LaneTable.isAsked($0) }),
            let app = table.receiver(of: handed, capture)
        {
            answer.to = app
            answer.words = DiagramWords.kind(handed.kind) + ": " + answer.words
        }
        return events(request, answer)
    }

    private func request(_ exchange: Int, from sender: Int, to target: Int, words: String)
        -> SequenceDiagram.Message
    {
        SequenceDiagram.Message(
            exchange: exchange,
            at: capture[exchange].startedAt,
            from: sender,
            to: target,
            form: .request,
            words: words
        )
    }

    private func events(_ request: SequenceDiagram.Message, _ answer: SequenceDiagram.Message) -> [Event] {
        [
            Event(at: start(request.exchange), order: 0, row: .message(request)),
            Event(at: answer.at, order: 1, row: .message(answer)),
        ]
    }

    private func answer(to request: SequenceDiagram.Message, _ recorded: Exchange) -> SequenceDiagram.Message
    {
        let status = recorded.response?.status
        let isRedirect =
            status.map { (300..<400).contains($0) && recorded.response?.location != nil } ?? false
        let (words, isFailure) = DiagramWords.answer(recorded, at: request.exchange)
        var answer = SequenceDiagram.Message(
            exchange: request.exchange,
            at: recorded.endedAt,
            from: request.to,
            to: request.from,
            form: status == nil ? .silence : isRedirect ? .redirect : .answer,
            words: words,
            isFailure: isFailure
        )
        answer.next = next(after: answer)
        return answer
    }

    // MARK: - Others

    /// Exchanges that sent the browser to the provider: the app's own pages, with the lane of the app.
    private var startPages: [Int: Int] {
        let told = Set(flow.steps.map(\.exchange))
        let targets = Set(
            flow.steps.filter { $0.kind == .authorizationRequest }.map {
                capture[$0.exchange].request.url.text
            }
        )
        var pages: [Int: Int] = [:]
        for exchange in flow.exchanges where !told.contains(exchange) {
            guard let location = capture[exchange].response?.location else { continue }
            let url = capture[exchange].request.url
            guard targets.contains(url.resolving(location).text) else { continue }
            pages[exchange] = url.hostAndPort.flatMap(table.index(answeringAt:)) ?? table.first(.backend)
        }
        return pages
    }

    /// What the provider told a client of its own accord (OpenID Connect CIBA, section 10), between the two that are there already; nil of
    /// every other exchange.
    private func notified(_ exchange: Int) -> [Event]? {
        let recorded = capture[exchange]
        guard let notification = BackchannelNotification(recorded.request, at: exchange),
            let call = flow.messages.lazy.compactMap({ message in
                if case .backchannelAuthentication(let call) = message { call } else { nil }
            }).first(where: notification.isAnswer),
            let step = flow.steps.first(where: { step in
                step.kind == .backchannelAuthenticationRequest && step.exchange == call.exchange
            }),
            let client = table.sender(of: step), let provider = table.receiver(of: step, capture)
        else { return nil }
        let (words, isFailure) = DiagramWords.notification(notification)
        var request = request(exchange, from: provider, to: client, words: words)
        request.isFailure = isFailure
        return events(request, answer(to: request, recorded))
    }

    /// Who asked and did not hear back.
    private func unanswered(_ exchange: Int) -> (sender: Int, target: Int)? {
        guard let sender = table.sender(of: exchange, capture),
            let target = capture[exchange].request.url.hostAndPort.flatMap(table.index(answeringAt:)),
            sender != target
        else { return nil }
        return (sender, target)
    }

    private func drawn(_ exchange: Int, from sender: Int, to target: Int) -> [Event] {
        let recorded = capture[exchange]
        let request = request(exchange, from: sender, to: target, words: DiagramWords.target(recorded))
        return events(request, answer(to: request, recorded))
    }

    /// Requests that follow one another are folded into one row.
    private func folded(_ rows: [SequenceDiagram.Row]) -> [SequenceDiagram.Row] {
        rows.reduce(into: []) { list, row in
            guard case .folded(let more) = row, case .folded(let before)? = list.last else {
                return list.append(row)
            }
            list[list.count - 1] = .folded(before + more)
        }
    }

    // MARK: - Findings

    /// Puts causes behind the last message of the exchange that their last evidence points at; effects are told elsewhere.
    private func withFindings(_ rows: [SequenceDiagram.Row]) -> [SequenceDiagram.Row] {
        guard !table.lanes.isEmpty else { return rows }
        var rows = rows
        for finding in findings.reversed() {
            let position = flow.surroundings.position
            let exchange = finding.evidence.compactMap(\.place.exchange).filter(capture.indices.contains)
                .max { position[$0] < position[$1] }
            let place = rows.lastIndex { row in
                guard case .message(let message) = row else { return false }
                return message.exchange == exchange
            }
            var lanes = 0...max(0, table.lanes.count - 1)
            if let place, case .message(let message) = rows[place] {
                lanes = min(message.from, message.to)...max(message.from, message.to)
            }
            let row = SequenceDiagram.Row.finding(
                rule: finding.rule,
                title: finding.title,
                isPrimary: finding.isRootCause,
                lanes: lanes
            )
            rows.insert(row, at: place.map { $0 + 1 } ?? rows.count)
        }
        return rows
    }
}
