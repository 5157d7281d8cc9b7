/// How a flow ended; worst first, as reports sort them.
package enum Outcome: String, Sendable, CaseIterable {
    case failure
    case cancelled
    case incomplete
    case success
}
