import Captures
package import Flows
import OAuth

/// What a login failed by: two failures are the same when they have the same cause, else the same refusal.
package struct LoginFailure: Sendable, Hashable {
    /// A request that was answered with an error.
    package struct Refusal: Sendable, Hashable {
        package var kind: StepKind
        /// The error code, else the status; `no answer`.
        package var error: String
        package var exchange: Int
        /// Of those refusals that are the same, the first is meant.
        func isSame(as other: Refusal) -> Bool { kind == other.kind && error == other.error }
    }

    /// The root cause as diagnosed: the id of a rule; nil where none was found.
    package var rule: String?
    /// In the order of time.
    package var refusals: [Refusal]
    /// Exchanges that show the failure: what comes behind all of them is its effect.
    package var exchanges: [Int]

    /// Reads the refusals of a flow.
    ///
    /// `rule`: its root cause, with the exchanges that are the evidence.
    package init(of flow: Flow, rule: String?, evidence: [Int] = []) {
        self.rule = rule
        refusals = Self.refusals(of: flow)
        let last = refusals.first.map(\.exchange) ?? flow.steps.last?.exchange
        exchanges = evidence + [last].compactMap { $0 }
    }

    /// Without what a login that works was refused as well.
    package func apart(from working: LoginFailure) -> LoginFailure {
        var failure = self
        failure.refusals.removeAll { refusal in working.refusals.contains { $0.isSame(as: refusal) } }
        return failure
    }

    /// The refusal that tells this failure from others.
    package var refusal: Refusal? { refusals.first }

    /// Whether another failure has the same cause.
    ///
    /// Without a cause on either side: whether the same request was refused in the same way first.
    package func isSame(as other: LoginFailure) -> Bool {
        if rule != nil || other.rule != nil { return rule == other.rule }
        return isRefusedAlike(other)
    }

    /// Whether the same request was refused in the same way, or none was.
    package func isRefusedAlike(_ other: LoginFailure) -> Bool {
        guard let own = refusal, let their = other.refusal else {
            return refusal == nil && other.refusal == nil
        }
        return own.isSame(as: their)
    }

    /// Answers that ask for the same request again.
    private static let provisional: Set<String> = ["use_dpop_nonce", "authorization_pending", "slow_down"]

    private static func refusals(of flow: Flow) -> [Refusal] {
        var found: [Refusal] = []
        for step in StepFolding.steps(of: flow) {
            let index = step.index
            if case .authorizationResponse(let response) = step.message {
                if let error = response.error {
                    found.append(Refusal(kind: step.kind, error: error.error, exchange: index))
                }
                continue
            }
            if let error = step.answer?.error?.error {
                if !provisional.contains(error) {
                    found.append(Refusal(kind: step.kind, error: error, exchange: index))
                }
                continue
            }
            let status = step.exchange.response?.status
            if status ?? 599 >= 400 {
                found.append(
                    Refusal(kind: step.kind, error: status.map { "\($0)" } ?? "no answer", exchange: index)
                )
            }
        }
        let position = flow.surroundings.position
        return found.sorted { position[$0.exchange] < position[$1.exchange] }
    }
}
