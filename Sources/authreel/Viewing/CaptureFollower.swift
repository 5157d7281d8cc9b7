import Captures
import Foundation
import Reports

/// Looks again at captures that grow while they are looked at.
struct CaptureFollower {
    /// Paths of files, in the order of the shelf; nil for what is no file.
    private let paths: [String?]
    private let shelf: ViewerShelf
    private var states: [State?]
    /// What is certain of each, by the same measure as on the recorder's terminal.
    private var stories: [LiveStory]

    private struct State: Equatable {
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
        /// Whether somebody records into it.
        var isRecorded: Bool

        func hasContent(of other: State?) -> Bool {
            var other = other
            other?.isRecorded = isRecorded
            return self == other
        }
    }

    /// `paths`: of what stands on the shelf.
    init(paths: [String?], shelf: ViewerShelf) {
        self.paths = paths
        self.shelf = shelf
        states = paths.map(Self.state)
        stories = paths.map { _ in LiveStory(style: .plain) }
        for index in states.indices where states[index]?.isRecorded == true { settle(index) }
        tellWhetherItIsRecorded()
    }

    /// Until cancelled.
    mutating func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(400))
            for index in paths.indices { look(at: index) }
            tellWhetherItIsRecorded()
        }
    }

    private mutating func look(at index: Int) {
        guard let path = paths[index], let state = Self.state(path) else { return }
        let before = states[index]
        states[index] = state
        if state.hasContent(of: before) {
            if state != before || !stories[index].waiting.isEmpty { settle(index) }
        } else if let capture = try? CaptureReader.read(path: path) {
            // What is being written, or is gone, is looked at the next time.
            settle(index, with: ReportBuilder.report(on: capture, named: path))
        }
    }

    /// `report`: nil for that of the capture on the shelf, of which something else may be certain meanwhile.
    private mutating func settle(_ index: Int, with report: Report? = nil) {
        let shown = shelf.captures[index]
        let isOver = states[index]?.isRecorded != true
        _ = stories[index].news(in: report ?? shown.report, now: SystemClock.now, isOver: isOver)
        let unsettled = stories[index].unsettled
        guard report != nil || unsettled != shown.unsettled else { return }
        shelf.replace(index, with: ViewerCapture(report ?? shown.report, unsettled: unsettled))
    }

    private func tellWhetherItIsRecorded() {
        shelf.isRecorded = states.contains { $0?.isRecorded == true }
    }

    private static func state(_ path: String?) -> State? {
        var status = stat()
        guard let path, stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return State(
            size: Int64(status.st_size),
            seconds: time.tv_sec,
            nanoseconds: time.tv_nsec,
            isRecorded: CaptureWriter.isAtWork(on: path)
        )
    }
}
