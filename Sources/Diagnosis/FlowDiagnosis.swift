package import Flows

/// What the rules say of one flow.
package struct FlowDiagnosis: Sendable {
    /// A rule that could not decide, with the reason.
    package struct Abstention: Sendable, Equatable {
        /// Its id in the catalogue.
        package var rule: String
        /// What the capture lacks, as `the token response was not saved`.
        package var reason: String

        package init(rule: String, reason: String) {
            self.rule = rule
            self.reason = reason
        }
    }

    /// What became of the flow, the findings considered.
    package var outcome: Outcome
    /// Root cause first.
    package var findings: [Finding]
    /// In the order of the catalogue.
    package var abstentions: [Abstention]
}
