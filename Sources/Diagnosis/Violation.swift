import Captures

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
    /// Whether this very case of a symptom names what it comes of, which is no fault: ``Precedence`` explains it by none.
    package var isExplained: Bool
    /// Further exchanges at which the same was found, be their evidence among this one's or not (``RepeatedViolation``).
    var repetitions: [Int] = []

    package init(
        _ evidence: [Evidence],
        variant: String? = nil,
        severity: Severity? = nil,
        explanation: String? = nil,
        fix: String? = nil,
        title: String? = nil,
        exchange: Int? = nil,
        explains: Set<String> = [],
        isCause: Bool = false,
        isExplained: Bool = false
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
        self.isExplained = isExplained
    }

    /// The exchange at which the fault exists.
    var faultyExchange: Int? { exchange ?? evidence.lazy.compactMap(\.place.exchange).first }

    /// Whether the fault was found at an exchange, be it once more.
    func isFound(at exchange: Int) -> Bool { faultyExchange == exchange || repetitions.contains(exchange) }

    /// Whether this very case is said to be less than an error.
    var isSoftened: Bool { severity == .warning || severity == .note }

    /// Whether it may be told as an error: said to be one here, or, where nothing is said, of a rule of such severity.
    func isError(of rule: RuleSeverity) -> Bool {
        switch (severity, rule) {
        case (.error?, _), (nil, .error), (nil, .errorWhenRefused): true
        default: false
        }
    }
}
