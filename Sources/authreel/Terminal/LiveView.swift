import Captures
import Foundation
import Proxy
import Reports
import Synchronization

/// What is told on the terminal while a recording goes on.
///
/// Never in the way of traffic: entries are only counted on the recorder's thread; a task of its own reads the capture's
/// end, which is whole between writes, and looks at it as `diagnose` would. How much that is, is bounded; where more comes
/// than can be looked at, nothing is told of it.
final class LiveView: Sendable {
    /// Which file is read, from which entry on, and how far it has come.
    private struct Place: Sendable {
        var path: String
        var first: Int
        var position: @Sendable () -> CaptureWriter.Position
        /// Where the capture ended when it was looked at, oldest first.
        var marks: [CaptureWriter.Position]
    }

    private let place: Mutex<Place>
    /// The capture, open for reading, where its name does not lead to it any more.
    private let readable: Int32?
    private let looksAtAll: Bool
    private let tellsHalves: Bool
    private let detail: TrafficDetail
    private let style: TextStyle
    /// Tells which half of a login a client belongs to.
    private let half: @Sendable (Exchange) -> SelfTest.Half
    private let state = Mutex(SelfTest())
    private let testing = DispatchQueue(label: "self-test")
    private let wakeUps: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let isWoken = Atomic(false)
    /// Exchanges since the last look, and the processes whose half is known.
    private let arrived = Atomic(0)
    private let tested = Mutex<Set<Int32?>>([])
    private let story: Mutex<LiveStory>
    private let observe: @Sendable (Report, _ unsettled: Set<String>) -> Void

    /// - Parameters:
    ///   - writer: of the capture.
    ///   - readable: the capture, open for reading, where we may have no right to open it; stays the caller's.
    ///   - looksAtAll: whether each look is at the whole of it, for somebody who shows it.
    ///   - detail: how much is told beside whether both halves arrive, and what broke a login.
    ///   - tellsHalves: whether it is told which half of a login arrives.
    ///   - half: which half of a login an exchange belongs to.
    ///   - observe: is handed each reading of the capture, with the flows of which nothing is certain yet.
    init(
        writer: CaptureWriter,
        readable: Int32? = nil,
        looksAtAll: Bool = false,
        detail: TrafficDetail,
        tellsHalves: Bool = true,
        half: @escaping @Sendable (Exchange) -> SelfTest.Half,
        observe: @escaping @Sendable (Report, _ unsettled: Set<String>) -> Void = { _, _ in }
    ) {
        self.observe = observe
        self.readable = readable
        self.looksAtAll = looksAtAll
        self.tellsHalves = tellsHalves
        let first = writer.mending.entries
        place = Mutex(
            Place(
                path: writer.path,
                first: first,
                position: { writer.position },
                marks: [writer.position]
            )
        )
        self.detail = detail
        self.half = half
        style = Terminal.standardError.style
        story = Mutex(Self.story(from: first, style))
        (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static func story(from first: Int, _ style: TextStyle) -> LiveStory {
        LiveStory(
            from: first,
            style: style,
            columns: Terminal.standardError.columns ?? 120,
            zone: .seconds(TimeZone.current.secondsFromGMT())
        )
    }

    /// The recording goes on in another file.
    ///
    /// `beginsAnew`: without the entries of the one before.
    func moved(to path: String, beginsAnew: Bool) {
        place.withLock { place in
            place.path = path
            guard beginsAnew else { return }
            place.first = 0
            // Before anything was written to it.
            place.marks = []
            story.withLock { $0 = Self.story(from: 0, style) }
        }
        wake.yield()
    }

    /// How far the file has come that is written now; before this, the one at the beginning counts.
    func follow(_ position: @escaping @Sendable () -> CaptureWriter.Position) {
        place.withLock { $0.position = position }
    }

    /// Says what is known at the start.
    func begin() { StandardError.note(state.withLock { $0.line }) }

    /// Exchanges that have just been written.
    ///
    /// On the recorder's thread: decides nothing that takes time.
    func recorded(_ exchanges: [Exchange]) {
        arrived.add(exchanges.count, ordering: .relaxed)
        for index in exchanges.indices {
            if detail == .exchanges { StandardError.line(Self.line(exchanges[index], style)) }
            guard exchanges[index].isAnswered, exchanges[index].tunnel.reason == nil else { continue }
            // Each process once: what it is does not change.
            let client = exchanges[index].client
            guard tested.withLock({ $0.insert(client.processID).inserted }) else { continue }
            let exchange = exchanges[index]
            test { $0.intercepted($1(exchange), process: client.process) }
        }
        if !isWoken.exchange(true, ordering: .relaxed) { wake.yield() }
    }

    /// A client did not accept our certificate.
    func distrusted(by client: ClientFacts, host: String) {
        _ = tested.withLock { $0.remove(client.processID) }
        test { $0.distrusted($1(Self.probe(client, host: host)), process: client.process) }
    }

    /// A client has opened the recorder's own page: what no process is known of is a person's browser.
    func intercepted(_ client: ClientFacts) {
        test { test, half in
            let half = client.processID == nil ? .browser : half(Self.probe(client, host: "authreel.proxy"))
            return test.intercepted(half, process: client.process)
        }
    }

    /// Whether a client's traffic was read, if only the recorder's own page.
    var hasSeenClients: Bool {
        testing.sync {}
        return state.withLock { $0.hasSeenClients }
    }

    /// Beside the recorder's thread: which half a client belongs to is read from files of the system's.
    private func test(
        _ body: @escaping @Sendable (inout SelfTest, (Exchange) -> SelfTest.Half) -> String?
    ) {
        guard tellsHalves, state.withLock({ !$0.isOver }) else { return }
        testing.async { [self] in
            if let line = state.withLock({ body(&$0, half) }) { StandardError.note(line) }
        }
    }

    private static func probe(_ client: ClientFacts, host: String) -> Exchange {
        Exchange(
            startedAt: Timestamp(nanoseconds: 0),
            request: RecordedRequest(method: "CONNECT", url: RecordedURL("https://\(host)/")),
            client: client
        )
    }

    /// Looks at the capture whenever something came, until cancelled.
    func run() async {
        for await _ in wakeUps {
            isWoken.store(false, ordering: .relaxed)
            await calm()
            var cost = timedLook()
            while !Task.isCancelled, story.withLock({ !$0.waiting.isEmpty }) {
                try? await Task.sleep(for: max(.milliseconds(300), rest(after: cost)))
                cost = timedLook()
            }
            if Task.isCancelled { return }
            try? await Task.sleep(for: rest(after: cost))
        }
    }

    private func rest(after cost: Duration) -> Duration {
        Self.rest(after: cost, looksAtAll: looksAtAll)
    }

    /// How long nothing is looked at after a look.
    ///
    /// Where others take the processor a look takes long though it is small: whoever waits for what broke a login is told
    /// within seconds all the same. The whole of a long recording is large, and is looked at the less often for it.
    static func rest(after cost: Duration, looksAtAll: Bool) -> Duration {
        looksAtAll ? cost * rest : min(cost * rest, longestRest)
    }

    /// Waits until no more than a browser's traffic comes.
    ///
    /// What belongs together mostly comes together; and while a load test runs there is nothing to tell of logins.
    private func calm() async {
        repeat {
            arrived.store(0, ordering: .relaxed)
            try? await Task.sleep(for: .milliseconds(100))
        } while !Task.isCancelled && arrived.load(ordering: .relaxed) > Self.busy
    }

    /// Tells what is left to be told, since nothing more will come.
    ///
    /// - Returns: a summary of the logins, a line or two each; empty where there were too many exchanges for one.
    func finish() -> [String] {
        wake.finish()
        testing.sync {}
        let place = place.withLock { $0 }
        let end = place.position()
        let isSmall =
            end.entries - place.first <= Self.summedUp.entries && end.offset <= Self.summedUp.offset
        guard isSmall else { return [] }
        return look(from: nil, isOver: true).map {
            TextReport.summary(of: $0, from: place.first, style: style)
        } ?? []
    }

    // MARK: -

    /// How many times as long as a look takes nothing is looked at; a long recording takes longer to look at.
    private static let rest = 29
    /// After a look at a bounded part of the capture.
    private static let longestRest = Duration.seconds(3)
    /// More exchanges than this in a tenth of a second, and in the next ones as well, no browser has.
    private static let busy = 12
    /// What a look may be at; a login has a hundred exchanges.
    private static let lookedAt = CaptureWriter.Position(entries: 600, offset: 8 << 20)
    private static let summedUp = CaptureWriter.Position(entries: 10_000, offset: 64 << 20)

    /// Returns how long it took.
    private func timedLook() -> Duration {
        ContinuousClock().measure {
            guard !looksAtAll else {
                _ = look(from: nil, isOver: false)
                return
            }
            let start = place.withLock { place in
                let end = place.position()
                place.marks.removeAll {
                    end.entries - $0.entries > Self.lookedAt.entries
                        || end.offset - $0.offset > Self.lookedAt.offset
                }
                defer { if place.marks.last != end { place.marks.append(end) } }
                return place.marks.first
            }
            if let start { _ = look(from: start, isOver: false) }
        }
    }

    /// `start`: nil for the whole capture.
    private func look(from start: CaptureWriter.Position?, isOver: Bool) -> Report? {
        let path = place.withLock(\.path)
        // Who shows the capture shows the bodies, too.
        let isWhole = start == nil && looksAtAll
        guard
            let capture = try? isWhole
                ? CaptureReader.read(path: path)
                : CaptureReader.read(path: path, from: start?.offset, descriptor: readable)
        else { return nil }
        let report = ReportBuilder.report(on: capture, named: path)
        let (news, unsettled) = story.withLock {
            (
                $0.news(in: report, skipped: start?.entries ?? 0, now: SystemClock.now, isOver: isOver),
                $0.unsettled
            )
        }
        observe(report, unsettled)
        for item in news { tell(item) }
        return report
    }

    private func tell(_ news: LiveStory.News) {
        switch news {
        case .message(let line): if detail != .outcomes { StandardError.line(line) }
        case .finding(let lines): StandardError.line(lines.joined(separator: "\n"))
        case .end(let line): StandardError.line("authreel: \(line)")
        }
    }

    private static func line(_ exchange: Exchange, _ style: TextStyle) -> String {
        let answer = exchange.response.map { "\($0.status)" } ?? "no answer: \(exchange.failure ?? "")"
        let who = exchange.client.process.map { " \($0)" } ?? ""
        return style.dim("\(exchange.startedAt.rfc3339.dropFirst(11).prefix(8))\(who.printable)  ")
            + "\(exchange.request.method) \(exchange.request.url.shown)".printable.shortened(to: 90)
            + "  \(answer.printable.shortened(to: 90))"
    }
}
