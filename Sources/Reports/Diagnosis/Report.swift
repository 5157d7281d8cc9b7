package import Captures
package import Diagnosis
package import Flows

/// What authreel has to say of a capture: each flow with its diagnosis.
///
/// Every printed form is a function of this.
package struct Report: Sendable {
    /// The version of the JSON forms; raised when a member changes its meaning.
    package static let version = 1

    /// The capture's name as the user wrote it.
    package var name: String
    /// In the order of their first exchanges.
    package var flows: [DiagnosedFlow]
    package var capture: Capture
    /// Why there was nothing to be diagnosed: the capture cannot be read.
    package var failure: String?

    /// A flow with what the rules say of it.
    package struct DiagnosedFlow: Sendable {
        package var flow: Flow
        package var diagnosis: FlowDiagnosis
        /// Where it failed, the later login of its client that went well; nil where there is none, or nobody looked.
        package var later: LaterSuccess?

        /// Whether there is a finding of this severity or a worse one.
        package func hasFindings(of severity: Severity) -> Bool {
            diagnosis.findings.contains { $0.severity.isAtLeast(severity) }
        }

        /// Whether it came to no good end, and neither a finding nor another flow says why.
        package var isUnexplained: Bool {
            guard flow.failedInside == nil, flow.outer == nil else { return false }
            return [.failure, .incomplete].contains(diagnosis.outcome) && DiagnosisText.lead(of: self) != nil
        }
    }

    /// Of a capture that cannot be read.
    package init(unreadable name: String, because failure: String) {
        self.init(name: name, flows: [], capture: Capture([]), failure: failure)
    }

    init(
        name: String,
        flows: [DiagnosedFlow],
        capture: Capture,
        failure: String? = nil
    ) {
        self.name = name
        self.flows = flows
        self.capture = capture
        self.failure = failure
    }

    /// Whether the capture was read, and there is no login in it.
    package var hasNoLogin: Bool { failure == nil && flows.isEmpty }

    package var hasErrors: Bool { hasFindings(of: .error) }

    /// See ``DiagnosedFlow/hasFindings(of:)``.
    package func hasFindings(of severity: Severity) -> Bool {
        flows.contains { $0.hasFindings(of: severity) }
    }
}
