package import Captures
package import OAuth

/// One message of a flow.
package struct Step: Sendable {
    /// What it is, by its message.
    package var kind: StepKind
    /// Where it is told; several steps may share an exchange.
    package var exchange: Int
    /// When its exchange began; for an answer that only the redirect shows, when that was over.
    package var at: Timestamp
    /// Who sent it.
    package var from: Participant
    /// Whom it was for.
    package var to: Participant
    /// What was sent; of metadata what was answered.
    package var parameters: Parameters
    /// Of its answer, or in the answer to a login.
    package var tokens: [StepToken]
}
