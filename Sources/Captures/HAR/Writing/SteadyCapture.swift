#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// A capture that is recorded into whatever becomes of its file: a full disk, a deleted, replaced or cut file.
///
/// What cannot be written waits in memory, up to a limit, and is written when it can be. ``inspect(isLast:)`` does that
/// and looks after the file; it is to be called about once a second, so that the way of an exchange into the file costs
/// no more than its write.
package final class SteadyCapture: Sendable {
    private struct State: Sendable {
        var writer: CaptureWriter
        /// Entries that are in no file.
        var waiting: [EncodedEntries] = []
        var waitingBytes = 0
        /// Since when, and why, entries cannot be written; nil where they can.
        var trouble: (since: Timestamp, reason: String)?
        /// Entries that waited and are written, while others still wait.
        var caughtUp = 0
        /// The file has no name that leads to it.
        var isAdrift = false
        /// Another program has written into the file, and there is no other yet: nothing may be written to it.
        var isBarred = false
        /// Entries that will be in no file any more, and since when.
        var lost = 0
        var lostSince: Timestamp?
        var lostReason = ""
        /// How many of them were told of.
        var lostBefore = 0
        /// Written by this recording, in the file that is written now.
        var written = 0
        /// Written since the file was last seen to be in order, and up to where it was then.
        var recent: [EncodedEntries] = []
        var recentBytes = 0
        var orderlyEnd: Int
        /// Inspections until the next attempt to put the file somewhere; each takes as long as the file is large.
        var pause = 0
        var nextPause = 1
    }

    /// What is not in the file at the end.
    package struct Missing: Sendable, Equatable {
        package var count: Int
        package var since: Timestamp
        /// In the system's words.
        package var reason: String

        package init(count: Int, since: Timestamp, reason: String) {
            self.count = count
            self.since = since
            self.reason = reason
        }
    }

    private let version: String
    private let limit: Int
    private let clock: @Sendable () -> Timestamp
    private let tell: @Sendable (CaptureNews) -> Void
    private let state: Mutex<State>
    private let watch: WriteWatch
    /// The file's path as last seen: for whoever may not wait for a write.
    private let lastPath: Mutex<String>
    private let facts = FactsTexts()
    /// How many bytes are kept of what was written since the file was last seen to be in order.
    private static let recentLimit = 1 << 20

    /// - Parameters:
    ///   - writer: of the file; entries that it has already stay where they are.
    ///   - version: of the program, should another file have to be begun.
    ///   - limit: how many bytes may wait in memory.
    ///   - patience: how long a write may take before it is told of.
    ///   - clock: tells since when entries are missing.
    ///   - tell: is called on the thread that finds out.
    package init(
        _ writer: CaptureWriter,
        version: String,
        limit: Int = 16 << 20,
        patience: Duration = .seconds(2),
        clock: @escaping @Sendable () -> Timestamp,
        tell: @escaping @Sendable (CaptureNews) -> Void
    ) {
        self.version = version
        self.limit = limit
        self.clock = clock
        self.tell = tell
        watch = WriteWatch(patience: patience)
        lastPath = Mutex(writer.path)
        state = Mutex(State(writer: writer, orderlyEnd: writer.end))
    }

    /// The file that is written now.
    package var path: String { state.withLock { $0.writer.path } }

    /// How far the file that is written now has come.
    package var position: CaptureWriter.Position { state.withLock { $0.writer.position } }

    /// What is in no file; nil where all is.
    package var missing: Missing? {
        state.withLock { state in
            let waiting = state.waiting.reduce(0) { $0 + $1.count }
            let count = state.lost + waiting + (state.isAdrift ? state.written : 0)
            guard count > 0 else { return nil }
            let since = [state.lostSince, state.trouble?.since].compactMap(\.self).min()
            return Missing(
                count: count,
                since: since ?? clock(),
                reason: state.trouble?.reason ?? state.lostReason
            )
        }
    }

    /// Writes the exchanges, or keeps them until they can be.
    package func append(_ exchanges: [Exchange]) {
        let entries = facts.withOne { EncodedEntries(exchanges, &$0) }
        let news = watch.during {
            state.withLock { state -> [CaptureNews] in
                if state.waiting.isEmpty, !state.isBarred {
                    do throws(CaptureError) {
                        try state.writer.append(entries)
                        wrote(entries, &state)
                        return []
                    } catch {
                        return wait(entries, &state, because: Self.reason(error))
                    }
                }
                return wait(entries, &state, because: nil)
            }
        }
        news.forEach(tell)
    }

    /// Tells when a write does not come back, and when it does.
    ///
    /// Touches neither the file nor what a write holds. To be called about once a second, on another thread than
    /// ``inspect(isLast:)``, which waits for the same disk.
    package func watchWrites() {
        guard let change = watch.look() else { return }
        let path = lastPath.withLock(\.self)
        switch change {
        case .stalls(let time): tell(.stalls(path: path, time: time))
        case .cameBack(let time): tell(.cameBack(path: path, time: time))
        }
    }

    /// Looks after the file, and writes what waits.
    ///
    /// - Parameter isLast: nothing more will come: everything is tried.
    package func inspect(isLast: Bool = false) {
        let (writer, end) = state.withLock { ($0.writer, $0.orderlyEnd) }
        // Without the lock: a file system that hangs does not hold up what needs no file.
        let whereabouts = writer.whereabouts(inOrderUpTo: end)
        let news = state.withLock { state -> [CaptureNews] in
            var news: [CaptureNews] = []
            switch whereabouts {
            case .inPlace:
                foundAgain(&state)
                state.recent = []
                state.recentBytes = 0
                state.orderlyEnd = state.writer.end
            case .gone, .replaced, .extended: news += rescue(&state, whereabouts, isLast: isLast)
            case .changed: news += beginAnew(&state)
            }
            news += catchUp(&state)
            lastPath.withLock { $0 = state.writer.path }
            return news
        }
        news.forEach(tell)
    }

    // MARK: - Entries that wait

    private func wrote(_ entries: EncodedEntries, _ state: inout State) {
        state.written += entries.count
        guard state.recentBytes < Self.recentLimit else { return }
        state.recent.append(entries)
        state.recentBytes += entries.weight
    }

    private func wait(
        _ entries: EncodedEntries,
        _ state: inout State,
        because reason: String?
    ) -> [CaptureNews] {
        var news: [CaptureNews] = []
        if let reason, state.trouble == nil {
            state.trouble = (clock(), reason)
            news.append(.stuck(path: state.writer.path, reason: reason))
        }
        guard state.waitingBytes + entries.weight <= limit else {
            if state.lost == state.lostBefore { news.append(.losing(path: state.writer.path)) }
            lose(entries.count, &state, because: state.trouble?.reason ?? "")
            return news
        }
        state.waiting.append(entries)
        state.waitingBytes += entries.weight
        return news
    }

    private func lose(_ count: Int, _ state: inout State, because reason: String) {
        state.lost += count
        if state.lostSince == nil { state.lostSince = clock() }
        state.lostReason = reason
    }

    private func catchUp(_ state: inout State) -> [CaptureNews] {
        guard !state.isBarred else { return [] }
        var count = 0
        while let next = state.waiting.first {
            do throws(CaptureError) { try state.writer.append(next) } catch {
                state.trouble?.reason = Self.reason(error)
                break
            }
            state.waiting.removeFirst()
            state.waitingBytes -= next.weight
            wrote(next, &state)
            count += next.count
        }
        guard state.waiting.isEmpty, state.writer.mendTail(), state.trouble != nil, !state.isAdrift else {
            state.caughtUp += count
            return []
        }
        let news = CaptureNews.goesOn(
            path: state.writer.path,
            waited: state.caughtUp + count,
            lost: state.lost - state.lostBefore
        )
        state.caughtUp = 0
        state.lostBefore = state.lost
        state.trouble = nil
        return [news]
    }

    // MARK: - Another file

    /// The file is in its place, perhaps again: somebody has moved it back.
    private func foundAgain(_ state: inout State) {
        state.isAdrift = false
        state.isBarred = false
        state.nextPause = 1
        state.pause = 0
    }

    /// Puts all that the file holds under its name, or beside what has taken it.
    private func rescue(
        _ state: inout State,
        _ why: CaptureWriter.Whereabouts,
        isLast: Bool
    ) -> [CaptureNews] {
        if state.pause > 0, !isLast {
            state.pause -= 1
            return []
        }
        let old = state.writer.path
        if isLast { Self.makeFolder(of: old) }
        do throws(CaptureError) {
            let copy = try CaptureWriter.firstFree(beside: old, isTaken: why == .extended) {
                path throws(CaptureError) in
                try state.writer.copied(to: path)
            }
            state.writer = copy
            state.orderlyEnd = copy.end
            state.recent = []
            state.recentBytes = 0
            foundAgain(&state)
            return [.copied(path: old, why: why, to: copy.path)]
        } catch {
            let reason = Self.reason(error)
            state.pause = state.nextPause
            state.nextPause = min(state.nextPause * 2, 30)
            guard !state.isAdrift, !state.isBarred else { return [] }
            if why == .extended { state.isBarred = true } else { state.isAdrift = true }
            if state.trouble == nil {
                state.trouble = (clock(), "it was taken away (\(reason))")
            }
            return [.adrift(path: old, why: why, reason: reason)]
        }
    }

    /// Leaves a file alone that another program has written into, and begins another with what can still be had.
    private func beginAnew(_ state: inout State) -> [CaptureNews] {
        let old = state.writer
        let expected = old.mending.entries + state.written
        let recent = state.recent.reduce(0) { $0 + $1.count }
        let size = old.retreat(toHoleBefore: state.orderlyEnd)
        let left = size > 0 ? (try? CaptureReader.read(path: old.path).count) ?? 0 : 0
        do throws(CaptureError) {
            let new: CaptureWriter
            if size == 0 {
                new = try old.emptied(version: version)
            } else {
                new = try CaptureWriter.firstFree(beside: old.path, isTaken: true) {
                    path throws(CaptureError) in
                    try CaptureWriter(path: path, version: version)
                }
            }
            state.writer = new
        } catch {
            // The next inspection tries again.
            state.isBarred = true
            if state.trouble == nil {
                state.trouble = (clock(), Self.reason(error))
                let reason =
                    "another program wrote into it, and there can be no other file: \(Self.reason(error))"
                return [.stuck(path: old.path, reason: reason)]
            }
            return []
        }
        let lost = max(0, expected - recent - left)
        if lost > 0 { lose(lost, &state, because: "another program wrote into \(old.path)") }
        state.lostBefore = state.lost
        state.waiting = state.recent + state.waiting
        state.waitingBytes += state.recentBytes
        state.recent = []
        state.recentBytes = 0
        state.written = 0
        state.orderlyEnd = state.writer.end
        foundAgain(&state)
        return [.begunAnew(path: old.path, at: state.writer.path, lost: lost)]
    }

    /// The folder of a file may have gone with it.
    private static func makeFolder(of path: String) {
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            made += part
            if !made.isEmpty { mkdir(made, 0o700) }
            made += "/"
        }
    }

    private static func reason(_ error: CaptureError) -> String {
        if case .inputOutput(_, let reason) = error { return reason }
        return "\(error)"
    }
}
