/// Stage 14, in the order of the catalogue.
enum SecurityPracticeRules {
    static let list: [any Rule] = []
}
