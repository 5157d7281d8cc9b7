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
            count = max(newValue.wholeNanoseconds, Self.none + 1)
        }
    }

    private static let none = Int64.min
}
