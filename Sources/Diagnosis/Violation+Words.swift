extension Violation {
    /// What is said of a case of its own instead of the rule's words: of why, and of what to change.
    struct Words: Sendable {
        /// What the case is called; nil where the rule's title tells it.
        var title: String?
        /// What is wrong; nil where the rule tells it.
        var explanation: String?
        /// What to change; nil where the rule's advice helps.
        var fix: String?
    }

    /// A violation in the words of its case; nil where it has none of its own.
    init(
        _ evidence: [Evidence],
        severity: Severity? = nil,
        saying words: Words?,
        exchange: Int? = nil,
        explains: Set<String> = [],
        isCause: Bool = false
    ) {
        self.init(
            evidence,
            severity: severity,
            explanation: words?.explanation,
            fix: words?.fix,
            title: words?.title,
            exchange: exchange,
            explains: explains,
            isCause: isCause
        )
    }

    /// Takes the words of a case in place of what it had.
    mutating func say(_ words: Words) {
        title = words.title
        explanation = words.explanation
        fix = words.fix
    }
}
