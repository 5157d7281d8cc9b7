extension Violation {
    /// Of the same fault at several places, the one to tell: an error before a warning, the first before the
    /// rest.
    static func worst(of violations: [Violation]) -> Violation? {
        let ranks = Severity.allCases
        return violations.enumerated().min { left, right in
            let rank = { (violation: Violation) in
                violation.severity.flatMap { ranks.firstIndex(of: $0) } ?? 0
            }
            return (rank(left.element), left.offset) < (rank(right.element), right.offset)
        }?.element
    }
}
