/// A violated rule, as reports show it.
package struct Finding: Sendable, Equatable {
    /// Its id in the catalogue.
    package var rule: String
    /// In this flow; the rule's own may be another (``RuleSeverity``).
    package var severity: Severity
    /// One line, without a full stop.
    package var title: String
    /// The root cause of this flow; at most one finding of a flow.
    package var isPrimary: Bool
    /// The catalogue's name for the way in which the rule is broken, where it has several.
    package var variant: String?
    /// What was seen and what was expected, in the order in which it is to be read.
    package var evidence: [Evidence]
    /// What is wrong, for the person with the broken login.
    package var explanation: String
    /// What to change.
    package var fix: String
    /// The sections that the rule rests on.
    package var specifications: [SpecificationReference]
    /// The rule that explains this finding, where another is its cause.
    package var effectOf: String?
    /// The flow in which that rule found it, where it is another one: the login behind this one, a broker's.
    package var effectOfFlow: String?
}
