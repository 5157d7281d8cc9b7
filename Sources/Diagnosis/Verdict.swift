package import Captures

/// What a rule says of a flow.
package enum Verdict: Sendable, Equatable {
    /// Looked at, and right (or not applicable).
    case holds
    case violated(Violation)
    /// The capture does not hold enough to know; why, for `--verbose`.
    case abstains(String)
}

/// What was seen and what was expected, with both places.
package struct Violation: Sendable, Equatable {
    package var evidence: [Evidence]
    /// The catalogue's name for the way in which it is broken, e.g. `hex`.
    package var variant: String?
    /// Decides `errorWhenRefused` and rules whose exceptions only soften them; nil: as the rule's info says.
    package var severity: Severity?
    /// One sentence of this very case, e.g. for the variant; nil: the rule's own explanation.
    package var explanation: String?
    package var fix: String?

    package init(
        _ evidence: [Evidence],
        variant: String? = nil,
        severity: Severity? = nil,
        explanation: String? = nil,
        fix: String? = nil
    ) {
        self.evidence = evidence
        self.variant = variant
        self.severity = severity
        self.explanation = explanation
        self.fix = fix
    }
}

/// A value that a finding rests on, with its place.
package struct Evidence: Sendable, Equatable {
    package var place: Place
    /// Shown as it is: secrets are already cut to their first characters and length, `dBjf…(43)`.
    package var value: String
    /// What the reader should see in it, e.g. `differs from character 31 on: "/" is missing`.
    package var note: String?

    package init(place: Place, value: String, note: String? = nil) {
        self.place = place
        self.value = value
        self.note = note
    }
}

/// How bad a finding is, worst first.
package enum Severity: String, Sendable, CaseIterable {
    case error
    case warning
    case note
}
