/// Stage 5, in the order of the catalogue.
enum UserAgentRules {
    static let list: [any Rule] = [
        StateCookieLost()
    ]
}
