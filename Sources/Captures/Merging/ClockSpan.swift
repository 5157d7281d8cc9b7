/// From the first byte of a request to the last of its answer, by the clock of one recorder.
struct ClockSpan: Sendable, Equatable {
    /// Nanoseconds since 2020, at most ``limit`` from zero: no difference of two differences is too large.
    var start: Int64
    var end: Int64
    /// Whether the recorder says when the exchange ended.
    var isLengthKnown: Bool
    /// By how much all of it may have been later than its times say, in nanoseconds: see ``grain(of:)``.
    var grain: Int64

    private static let limit: Int64 = 2_000_000_000_000_000_000

    /// Nil for an exchange without a time.
    init?(_ exchange: Exchange, grain: Int64 = 0) {
        guard exchange.startedAt.nanoseconds != 0 else { return nil }
        start = Self.nanoseconds(of: exchange.startedAt)
        let length = exchange.duration.map { max(0, Self.nanoseconds($0)) }
        isLengthKnown = length != nil
        self.grain = grain
        end = start
        end = moved(by: length ?? 0).start
    }

    var length: Int64 { end - start }

    /// What the recorder of a capture leaves out of its times: a second where it counts whole ones (Burp).
    ///
    /// Finer clocks are no matter of their own: ``ClockEstimate/agreement(of:)`` gives them more than they leave out.
    static func grain(of capture: Capture) -> Int64 {
        let isWhole = capture.indices.allSatisfy {
            capture[$0].startedAt.nanoseconds.isMultiple(of: second)
        }
        return isWhole ? second : 0
    }

    private static let second: Int64 = 1_000_000_000

    /// The same, so many nanoseconds later.
    func moved(by offset: Int64) -> ClockSpan {
        var span = self
        span.start = Self.sum(start, offset)
        span.end = Self.sum(end, offset)
        return span
    }

    /// By how much this one may be later than another, of which less is left out; recorders that leave out the same are taken
    /// to tell the same.
    func grain(beyond other: ClockSpan) -> Int64 { max(0, grain - other.grain) }

    /// How far this one reaches out of another, which is the longer one, at the least.
    func excess(over outer: ClockSpan) -> Int64 {
        max(0, outer.start - start - grain(beyond: outer), end - outer.end - outer.grain(beyond: self))
    }

    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard seconds.magnitude < 2_000_000_000 else { return seconds < 0 ? -limit : limit }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    static func nanoseconds(of time: Timestamp) -> Int64 {
        sum(time.nanoseconds, -1_577_836_800_000_000_000)
    }

    private static func clamp(_ value: Int64) -> Int64 { min(max(value, -limit), limit) }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? (right < 0 ? -limit : limit) : clamp(sum)
    }
}
