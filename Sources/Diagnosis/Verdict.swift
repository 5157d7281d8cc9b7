/// What a rule says of a flow.
package enum Verdict: Sendable, Equatable {
    /// Looked at, and right (or not applicable).
    case holds
    case violated(Violation)
    /// The capture does not hold enough to know; why, for `--verbose`.
    case abstains(String)
}
