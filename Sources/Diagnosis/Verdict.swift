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
    /// In the order in which it is to be read.
    package var evidence: [Evidence]
    /// The catalogue's name for the way in which it is broken, as `hex`.
    package var variant: String?
    /// Decides `errorWhenRefused` and rules whose exceptions only soften them; nil: as the rule's info says.
    package var severity: Severity?
    /// One sentence of this very case, for its variant say; nil: the rule's own explanation.
    package var explanation: String?
    /// What to change in this very case; nil: the rule's own advice.
    package var fix: String?
    /// What this very case is called, where the rule's own title would mislead; nil: the rule's.
    package var title: String?
    /// The exchange at which the fault exists, not where it was noticed; nil: that of the first evidence.
    package var exchange: Int?
    /// Ids of rules whose findings this very case explains, where ``Precedence`` leaves that to the case.
    package var explains: Set<String>
    /// Whether this very case of a symptom is the cause: it says why.
    package var isCause: Bool

    package init(
        _ evidence: [Evidence],
        variant: String? = nil,
        severity: Severity? = nil,
        explanation: String? = nil,
        fix: String? = nil,
        title: String? = nil,
        exchange: Int? = nil,
        explains: Set<String> = [],
        isCause: Bool = false
    ) {
        self.evidence = evidence
        self.variant = variant
        self.severity = severity
        self.explanation = explanation
        self.fix = fix
        self.title = title
        self.exchange = exchange
        self.explains = explains
        self.isCause = isCause
    }

    /// The exchange at which the fault exists.
    var faultyExchange: Int? { exchange ?? evidence.lazy.compactMap(\.place.exchange).first }

    /// Whether it may be told as an error: said to be one here, or, where nothing is said, of a rule of such severity.
    func isError(of rule: RuleSeverity) -> Bool {
        switch (severity, rule) {
        case (.error?, _), (nil, .error), (nil, .errorWhenRefused): true
        default: false
        }
    }
}

/// A value that a finding rests on, with its place.
package struct Evidence: Sendable, Equatable {
    /// Where it stands; without an exchange where it was computed.
    package var place: Place
    /// Shown as it is: secrets are already cut to their first characters and length, `dBjf…(43)`.
    package var value: String
    /// What the reader should see in it, as `differs from character 31 on: "/" is missing`.
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
