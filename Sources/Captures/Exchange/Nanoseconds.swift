/// A time span in one word: a capture has eight of them for every exchange, and an optional `Duration` takes three.
///
/// What does not fit (292 years) becomes the nearest that does.
@propertyWrapper package struct Nanoseconds: Sendable, Hashable {
    private var count: Int64

    package init(wrappedValue: Duration?) {
        count = Self.none
        self.wrappedValue = wrappedValue
    }

    package var wrappedValue: Duration? {
        get { count == Self.none ? nil : .nanoseconds(count) }
        set {
            guard let newValue else {
                count = Self.none
                return
            }
            let (seconds, attoseconds) = newValue.components
            let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            let limit: Int64 = seconds < 0 ? -Int64.max : .max
            let (sum, isTooMuch) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
            count = overflows || isTooMuch ? limit : sum
        }
    }

    private static let none = Int64.min
}
