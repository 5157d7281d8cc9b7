/// A violated rule, as reports show it.
package struct Finding: Sendable, Equatable {
    package var rule: String
    package var severity: Severity
    package var title: String
    /// The root cause of this flow; at most one finding of a flow.
    package var isPrimary: Bool
    package var variant: String?
    package var evidence: [Evidence]
    package var explanation: String
    package var fix: String
    package var specifications: [SpecificationReference]
    /// The rule that explains this finding, where another is its cause.
    package var effectOf: String?
    /// The flow in which that rule found it, where it is another one: the login behind this one, a broker's.
    package var effectOfFlow: String?
}
