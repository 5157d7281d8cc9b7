/// How one clock lies to another, and how well that is known.
package struct ClockOffset: Sendable, Equatable {
    /// What it was found by.
    package enum Basis: String, Sendable {
        /// Exchanges that both files have: the inner recorder saw them while the outer one did.
        case exchanges
        /// `Date` fields of a server that answers in both files.
        case date
    }

    /// How far the clock is ahead of the other one; negative where it is behind.
    package var ahead: Duration
    /// The true value is no further away than this.
    package var within: Duration
    package var basis: Basis
    /// How many exchanges, or `Date` fields' hosts, agree on it.
    package var count: Int

    package init(ahead: Duration, within: Duration, basis: Basis, count: Int) {
        self.ahead = ahead
        self.within = within
        self.basis = basis
        self.count = count
    }

    /// The same, seen from the other clock.
    var reversed: ClockOffset {
        ClockOffset(ahead: .zero - ahead, within: within, basis: basis, count: count)
    }
}
