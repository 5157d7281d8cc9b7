package import Captures
import Diagnosis
import Flows

/// What is told of a recording while it goes on: each protocol message once, and what broke a login as soon as that is
/// certain.
///
/// Is handed a report of the capture so far again and again, and tells what is new in it. Reads no clock.
package struct LiveStory {
    /// Something to tell.
    package enum News: Equatable {
        /// A protocol message, in one line.
        case message(String)
        /// The root cause of a login that broke, in several lines.
        case finding([String])
        /// A login came to a good end, or one that had broken went on after all.
        case end(String)
    }

    /// How long a flow has to be quiet before it is believed to have stopped.
    ///
    /// Many an error is answered by another try within it: a browser's next request, an app that reads the key set again.
    package static let settlingTime = Duration.seconds(1)

    /// The same where the app has begun anew and waits for the person at its provider.
    package static let patience = Duration.seconds(15)

    private let zone: Duration
    private let style: TextStyle
    private let columns: Int
    /// Entries that were there before this recording.
    private let first: Int
    /// Entries of the capture before those of the report at hand.
    private var skipped = 0
    private var toldMessages: Set<Message> = []
    private var toldFindings: [(rule: String, exchange: Int, isTakenBack: Bool)] = []
    private var toldEnds: [Int] = []
    /// Flows that have something to tell when they have been quiet for longer.
    package private(set) var waiting: Set<String> = []
    /// Flows of which nothing is certain yet: those that wait, and those that have come to no end and to no error.
    ///
    /// Whoever types a password has not abandoned the page.
    package private(set) var unsettled: Set<String> = []

    private struct Message: Hashable {
        var exchange: Int
        var kind: StepKind
    }

    /// - Parameters:
    ///   - first: index of the first entry that is news.
    ///   - style: of the lines.
    ///   - columns: how wide they may be.
    ///   - zone: how far the user's clock is ahead of UTC.
    package init(from first: Int = 0, style: TextStyle, columns: Int = 120, zone: Duration = .zero) {
        self.first = first
        self.zone = zone
        self.columns = max(columns, 20)
        self.style = style
    }

    /// What is new.
    ///
    /// - Parameters:
    ///   - report: of the capture so far, or of its last entries.
    ///   - skipped: how many entries of the capture the report leaves out, at its beginning.
    ///   - now: by the clock of the recording; decides which flows have stopped.
    ///   - isOver: nothing more will come, so that every flow has.
    /// - Returns: messages in the order of time, then what is to be said of the flows.
    package mutating func news(
        in report: Report,
        skipped: Int = 0,
        now: Timestamp,
        isOver: Bool = false
    ) -> [News] {
        waiting = []
        unsettled = []
        self.skipped = skipped
        var news = messages(in: report)
        for item in report.flows where item.flow.exchanges.contains(where: { $0 + skipped >= first }) {
            let last = item.flow.exchanges.map { report.capture[$0].endedAt }.max() ?? now
            let isMoving = isBegunAnew(item.flow) || item.flow.pendingRedirect != nil
            let time = isMoving ? Self.patience : Self.settlingTime
            news += ends(of: item, isQuiet: isOver || now - last >= time)
            if !isOver, item.diagnosis.outcome == .incomplete, Self.error(of: item) == nil {
                unsettled.insert(item.flow.id)
            }
        }
        unsettled.formUnion(waiting)
        return news
    }

    // MARK: - Messages

    private mutating func messages(in report: Report) -> [News] {
        let steps = report.flows.flatMap(\.flow.steps).filter {
            $0.exchange + skipped >= first && $0.kind != .userInteraction
        }
        let new = steps.filter {
            toldMessages.insert(Message(exchange: $0.exchange + skipped, kind: $0.kind)).inserted
        }
        return new.sorted { ($0.at, $0.exchange) < ($1.at, $1.exchange) }.map {
            .message(line($0, report.capture[$0.exchange]))
        }
    }

    /// `12:03:04  browser → provider  authorization_request  302  idp.example/authorize`; on a narrow terminal without
    /// what is in its way, the address first.
    private func line(_ step: Step, _ exchange: Exchange) -> String {
        let time = String((step.at + zone).rfc3339.dropFirst(11).prefix(8))
        let who = "\(step.from.name) → \(step.to.name)".printable.shortened(to: 30).padded(
            to: columns < 80 ? 0 : 22
        )
        let kind = step.kind.rawValue.padded(to: columns < 80 ? 0 : 22)
        let place = exchange.request.url.shown.printable
        let (answer, answerWidth) = answer(exchange)
        var room = columns - kind.count - 2 - answerWidth
        var line = "\(style.bold(kind))  \(answer)"
        if room > who.count + 2 {
            line = "\(who)  \(line)"
            room -= who.count + 2
        }
        if room > time.count + 2 {
            line = "\(style.dim(time))  \(line)"
            room -= time.count + 2
        }
        return room > 12 ? "\(line)  \(style.dim(place.shortened(to: room - 2)))" : line
    }

    private func answer(_ exchange: Exchange) -> (text: String, width: Int) {
        guard let response = exchange.response else {
            let words =
                "no answer"
                + (columns < 80 ? "" : (exchange.failure.map { ": \($0)" } ?? "").printable.shortened(to: 60))
            return (style.red(words), words.count)
        }
        return (response.status >= 400 ? style.red("\(response.status)") : "\(response.status)", 3)
    }

    // MARK: - Flows

    /// Whether a later round of the login has no answer yet: what broke the one before may be mended by it.
    private func isBegunAnew(_ flow: Flow) -> Bool {
        let requests = flow.steps.filter { $0.kind == .authorizationRequest }
        guard requests.count > 1, let last = requests.map(\.at).max() else { return false }
        return !flow.steps.contains { $0.kind == .authorizationResponse && $0.at > last }
    }

    /// What is new of a flow's end.
    private mutating func ends(of item: Report.DiagnosedFlow, isQuiet: Bool) -> [News] {
        let exchanges = Set(item.flow.exchanges.map { $0 + skipped })
        let primary = Self.error(of: item)
        let isSuccess = item.diagnosis.outcome == .success
        let takenBack = isSuccess ? takeBack(of: exchanges, but: primary?.rule) : nil
        let end: News? =
            if let primary {
                failure(primary, of: item.flow, exchanges, isQuiet: isQuiet)
            } else if isSuccess {
                success(of: item.flow, exchanges, isQuiet: isQuiet)
            } else {
                nil
            }
        return [takenBack, end].compactMap(\.self)
    }

    /// That what was told to have broken a login did not.
    ///
    /// `rule`: what breaks it all the same.
    private mutating func takeBack(of exchanges: Set<Int>, but rule: String?) -> News? {
        let told = toldFindings.firstIndex {
            exchanges.contains($0.exchange) && !$0.isTakenBack && $0.rule != rule
        }
        guard let told else { return nil }
        toldFindings[told].isTakenBack = true
        toldEnds += exchanges
        return .end(
            "\(style.green("the login went on and succeeded")): \(toldFindings[told].rule) did not stop it"
        )
    }

    /// What broke a login, once.
    private mutating func failure(_ primary: Finding, of flow: Flow, _ exchanges: Set<Int>, isQuiet: Bool)
        -> News?
    {
        guard !toldFindings.contains(where: { $0.rule == primary.rule && exchanges.contains($0.exchange) })
        else { return nil }
        guard isQuiet else {
            waiting.insert(flow.id)
            return nil
        }
        let place = primary.evidence.lazy.compactMap(\.place.exchange).first ?? flow.exchanges.first ?? 0
        toldFindings.append((primary.rule, skipped + place, false))
        return .finding(
            FindingText(finding: primary, style: style, columns: min(columns, TextReport.widest)).lines
        )
    }

    /// That a login came to a good end, once.
    private mutating func success(of flow: Flow, _ exchanges: Set<Int>, isQuiet: Bool) -> News? {
        guard let success = Self.success(of: flow), !toldEnds.contains(where: exchanges.contains) else {
            return nil
        }
        guard isQuiet else {
            waiting.insert(flow.id)
            return nil
        }
        toldEnds += exchanges
        let who = [flow.clientID.map { "client \($0)" }, flow.issuer].compactMap(\.self)
        return .end(([style.green(success)] + who.map(FlowHead.name)).joined(separator: " · "))
    }

    /// What broke the flow, if anything did.
    private static func error(of item: Report.DiagnosedFlow) -> Finding? {
        item.diagnosis.findings.first { $0.isPrimary && $0.severity == .error }
    }

    /// What went well; nil for what comes before a login, which may follow yet.
    private static func success(of flow: Flow) -> String? {
        switch flow.grant {
        case "discovery", "registration", "connection": nil
        case "logout": "the logout succeeded"
        case "refresh_token": "the tokens were refreshed"
        case "client_credentials": "the client got its token"
        default: "the login succeeded"
        }
    }
}
