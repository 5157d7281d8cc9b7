/// Stage 6, in the order of the catalogue.
enum AuthorizationResponseRules {
    static let list: [any Rule] = [
        StateMismatch()
    ]
}
