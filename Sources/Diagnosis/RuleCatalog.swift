/// Every rule, in the order of the catalogue: stage by stage, as each stage lists its own.
package enum RuleCatalog {
    /// All of them.
    package static let rules: [any Rule] = [
        TheCaptureRules.list,
        DiscoveryRules.list,
        RegistrationRules.list,
        AuthorizationRequestRules.list,
        UserAgentRules.list,
        AuthorizationResponseRules.list,
        TokenRequestRules.list,
        TokenResponseRules.list,
        IDTokenRules.list,
        ResourceCallsRules.list,
        RefreshRules.list,
        LogoutAndDeviceRules.list,
        TransportRules.list,
        SecurityPracticeRules.list,
        ProviderSpecificRules.list,
    ].flatMap { $0 }

    /// What the rules say of themselves, in the same order.
    package static let infos: [RuleInfo] = rules.map { type(of: $0).info }

    /// Nil where no rule has this id.
    package static func info(of id: String) -> RuleInfo? { infos.first { $0.id == id } }
}
