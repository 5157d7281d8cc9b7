import JSON
import Synchronization

/// The captures that a viewer's server shows, some of which may still grow.
package final class ViewerShelf: Sendable {
    private struct State {
        var captures: [ViewerCapture]
        var changes: [ChangeLog]
        /// Counts what was put on the shelf.
        var revision = 0
        var isLive: Bool
        var isRecorded: Bool
        /// Pages that wait for what is new.
        var waiting = 0
        /// When pages were told of something, who come again when they have drawn it.
        var drawing: [ContinuousClock.Instant] = []
        /// Pages that have to draw the end of it.
        var ending = 0
    }

    /// A page that does not come back in so long has been closed.
    private static let longestDrawing = Duration.seconds(5)

    private let state: Mutex<State>
    private let generator: String

    /// Takes the captures.
    ///
    /// `generator`: name and version of the program.
    /// `isLive`: more may come.
    /// `isRecorded`: somebody records into one of them.
    package init(
        _ captures: [ViewerCapture],
        generator: String,
        isLive: Bool,
        isRecorded: Bool = false
    ) {
        self.generator = generator
        state = Mutex(
            State(
                captures: captures,
                changes: captures.map { ChangeLog($0, revision: 0) },
                isLive: isLive,
                isRecorded: isRecorded
            )
        )
    }

    /// Whether somebody records into one of the captures.
    package var isRecorded: Bool {
        get { state.withLock { $0.isRecorded } }
        set {
            state.withLock { state in
                guard state.isRecorded != newValue else { return }
                state.isRecorded = newValue
                state.revision += 1
            }
        }
    }

    package var captures: [ViewerCapture] { state.withLock { $0.captures } }

    /// Takes a newer reading of one of the captures.
    package func replace(_ index: Int, with capture: ViewerCapture) {
        state.withLock { state in
            guard state.captures.indices.contains(index) else { return }
            state.captures[index] = capture
            state.revision += 1
            state.changes[index].update(capture, revision: state.revision)
        }
    }

    /// Pages that wait for what is new.
    var waiting: Int { state.withLock { $0.waiting } }

    /// Whether every page that is open has drawn the end.
    package var isDrawn: Bool { state.withLock { $0.ending <= 0 } }

    /// A page has drawn the end.
    func drawn() { state.withLock { $0.ending -= 1 } }

    /// Nothing more will come.
    package func end() {
        state.withLock { state in
            state.isLive = false
            state.isRecorded = false
            state.ending = state.waiting + state.drawing.count { $0.duration(to: .now) < Self.longestDrawing }
            state.revision += 1
        }
    }

    /// What the page opens with.
    var overview: JSONObject {
        let state = state.withLock { $0 }
        var overview = ViewerCapture.overview(of: state.captures, generator: generator)
        overview["revision"] = JSONValue(state.revision)
        overview["live"] = .bool(state.isLive)
        overview["recorded"] = .bool(state.isRecorded)
        return overview
    }

    /// What is new since a revision, as soon as there is something, at the latest after `patience`.
    ///
    /// `{"revision", "live", "recorded", "captures": [{"flows": [[place, head]], "flowCount", "exchanges": [[place, row]],
    /// "exchangeCount"}]}`.
    func changes(after revision: Int, patience: Duration = .seconds(20)) async -> JSONValue {
        let clock = ContinuousClock()
        let end = clock.now + patience
        state.withLock { state in
            state.waiting += 1
            if !state.drawing.isEmpty { state.drawing.removeFirst() }
        }
        while state.withLock({ $0.revision <= revision && $0.isLive }), clock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
        }
        return state.withLock { state in
            state.waiting -= 1
            if state.isLive, !Task.isCancelled {
                state.drawing.removeAll { $0.duration(to: clock.now) >= Self.longestDrawing }
                state.drawing.append(clock.now)
            }
            return [
                "revision": JSONValue(state.revision), "live": .bool(state.isLive),
                "recorded": .bool(state.isRecorded),
                "captures": .array(state.changes.map { $0.changes(after: revision) }),
            ]
        }
    }

    /// When each line of a capture's lists changed last.
    private struct ChangeLog {
        private var flows: [(line: JSONValue, revision: Int)] = []
        private var exchanges: [(line: JSONValue, revision: Int)] = []

        init(_ capture: ViewerCapture, revision: Int) { update(capture, revision: revision) }

        mutating func update(_ capture: ViewerCapture, revision: Int) {
            flows = Self.updated(flows, capture.heads, revision)
            exchanges = Self.updated(exchanges, capture.exchanges, revision)
        }

        private static func updated(
            _ lines: [(line: JSONValue, revision: Int)],
            _ now: [JSONValue],
            _ revision: Int
        ) -> [(line: JSONValue, revision: Int)] {
            now.enumerated().map { index, line in
                lines.indices.contains(index) && lines[index].line == line ? lines[index] : (line, revision)
            }
        }

        func changes(after revision: Int) -> JSONValue {
            func newer(_ lines: [(line: JSONValue, revision: Int)]) -> JSONValue {
                .array(
                    lines.enumerated().filter { $0.element.revision > revision }.map {
                        .array([JSONValue($0.offset), $0.element.line])
                    }
                )
            }
            return [
                "flows": newer(flows), "flowCount": JSONValue(flows.count),
                "exchanges": newer(exchanges), "exchangeCount": JSONValue(exchanges.count),
            ]
        }
    }
}
