/// When exchanges began of which the file does not tell it: about when the one before did.
struct KnownStarts {
    private var last: (time: Timestamp, isZoneKnown: Bool)?

    /// Takes the exchanges of a file one behind the other.
    mutating func complete(_ exchange: inout Exchange) {
        if exchange.startedAt.nanoseconds != 0 {
            last = (exchange.startedAt, exchange.isZoneKnown)
        } else if let last {
            (exchange.startedAt, exchange.isZoneKnown) = last
        }
    }
}
