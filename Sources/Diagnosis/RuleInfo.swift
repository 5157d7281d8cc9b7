/// What a rule says of itself; `explain` prints it.
package struct RuleInfo: Sendable {
    /// The catalogue's id, as `redirect-uri-token-mismatch`.
    package var id: String
    /// What is wrong in one line, without a full stop.
    package var title: String
    /// How bad it is before a flow is looked at.
    package var severity: RuleSeverity
    /// Restates what provider or app answered; never primary beside a cause.
    package var isSymptom: Bool
    /// What is wrong when it fires, in two or three sentences for the person with the broken login.
    package var explanation: String
    /// What to change.
    package var fix: String
    /// Shown by `explain`: a few lines of traffic that break the rule.
    package var badExample: String
    /// The nearest traffic that does not break it.
    package var goodExample: String
    /// The sections that the rule rests on.
    package var specifications: [SpecificationReference]

    package init(
        id: String,
        title: String,
        severity: RuleSeverity,
        isSymptom: Bool = false,
        explanation: String,
        fix: String,
        badExample: String,
        goodExample: String,
        specifications: [SpecificationReference]
    ) {
        self.id = id
        self.title = title
        self.severity = severity
        self.isSymptom = isSymptom
        self.explanation = explanation
        self.fix = fix
        self.badExample = badExample
        self.goodExample = goodExample
        self.specifications = specifications
    }
}
