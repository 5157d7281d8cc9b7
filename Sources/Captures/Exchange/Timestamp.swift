/// A point in time: nanoseconds since 1970-01-01T00:00:00 UTC, leap seconds not counted.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Nanoseconds since the epoch; negative before it.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whole seconds since the epoch, as `iat`, `exp` and `auth_time` count them.
    ///
    /// The first or last time that can be said where they are beyond it.
    package init(seconds: Int64) { nanoseconds = Duration.seconds(seconds).wholeNanoseconds }

    /// The time of seconds that a token or a text states; nil outside of the years 1679 to 2260, with which programs say "never".
    ///
    /// 64 bits of nanoseconds do not hold those: they are told as the number that they are.
    package init?(statedSeconds seconds: Int64) {
        guard seconds.magnitude < 9_200_000_000 else { return nil }
        self.init(seconds: seconds)
    }

    /// Whether a capture told it: what has no time stands at the epoch.
    package var isKnown: Bool { nanoseconds != 0 }

    /// Whole seconds since the epoch, rounded down.
    package var seconds: Int64 { parts.seconds }

    /// Seconds since the epoch, rounded down, of any year of four digits, and the nanoseconds above them.
    typealias Parts = (seconds: Int64, nanoseconds: Int64)

    var parts: Parts {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest < 0 ? (seconds - 1, rest + 1_000_000_000) : (seconds, rest)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The time from `right` to `left`, also where it is longer than 64 bits of nanoseconds.
    package static func - (left: Timestamp, right: Timestamp) -> Duration {
        .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }

    /// The first or last that can be said where the sum is beyond it.
    package static func + (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(nanoseconds: (.nanoseconds(left.nanoseconds) + right).wholeNanoseconds)
    }

    package static func - (left: Timestamp, right: Duration) -> Timestamp { left + (.zero - right) }
}
