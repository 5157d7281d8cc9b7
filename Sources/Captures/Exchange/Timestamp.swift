/// A point in time: nanoseconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Nanoseconds since the epoch; negative before it.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whole seconds since the epoch, as `iat`, `exp` and `auth_time` count them.
    package init(seconds: Int64) { self.nanoseconds = seconds &* 1_000_000_000 }

    /// Whether a capture told it: what has no time stands at the epoch.
    package var isKnown: Bool { nanoseconds != 0 }

    /// Whole seconds since the epoch, rounded down.
    package var seconds: Int64 { parts.seconds }

    /// Whole seconds since the epoch, rounded down, and the nanoseconds above them.
    var parts: (seconds: Int64, nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time from `right` to `left`.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .nanoseconds(left.nanoseconds &- right.nanoseconds)
    }

    package static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (seconds, attoseconds) = right.components
        return Timestamp(
            nanoseconds: left.nanoseconds &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
        )
    }

    package static func - (left: Timestamp, right: Duration) -> Timestamp { left + (.zero - right) }
}
