import Synchronization

/// Notices that a write does not come back, as those to a network share that has gone or to a disk that is busy.
///
/// A thread that waits for the system can say nothing: another one asks here.
final class WriteWatch: Sendable {
    /// What is worth telling.
    enum Change: Equatable, Sendable {
        /// Since so long, and it goes on.
        case stalls(Duration)
        /// It came back after so long.
        case cameBack(Duration)
    }

    private struct Told {
        /// When the write began that was told of.
        var began: Int64
        var lasted: Duration
    }

    /// Nanoseconds since some moment; none, 0.
    private let began = Atomic<Int64>(0)
    private let told = Mutex<Told?>(nil)
    private let patience: Duration

    /// - Parameter patience: how long a write may take before it is worth telling.
    init(patience: Duration) { self.patience = patience }

    /// Runs what writes; of several at a time the one that began last is watched.
    func during<Result: ~Copyable>(_ write: () -> Result) -> Result {
        began.store(Self.now, ordering: .relaxed)
        defer { began.store(0, ordering: .relaxed) }
        return write()
    }

    /// What has changed since the last look; waits for nobody.
    func look() -> Change? {
        let began = began.load(ordering: .relaxed)
        return told.withLock { told in
            if let before = told {
                guard before.began == began else {
                    told = nil
                    return .cameBack(before.lasted)
                }
                told?.lasted = Self.time(since: began)
                return nil
            }
            guard began != 0, Self.time(since: began) >= patience else { return nil }
            let lasted = Self.time(since: began)
            told = Told(began: began, lasted: lasted)
            return .stalls(lasted)
        }
    }

    private static func time(since began: Int64) -> Duration { .nanoseconds(now - began) }

    private static let start = SuspendingClock.now

    /// Never 0.
    private static var now: Int64 {
        let time = (SuspendingClock.now - start).components
        return time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000 + 1
    }
}
