import Captures
import Flows
import OAuth

/// The client authenticates by a method that the provider's metadata does not list.
///
/// Without a list nothing is said: what a refusal says of the method stands with that (``StatedAuthenticationMethod``). A public client is
/// not judged by a list without `none`: many providers take public clients and do not say so.
struct ClientAuthMethodUnsupported: Rule {
    static let info = RuleInfo(
        id: "client-auth-method-unsupported",
        title: "The provider does not accept this kind of client authentication",
        severity: .errorWhenRefused,
        explanation:
            "The provider's metadata names the ways in which a client may authenticate at the token endpoint. The one that was used is not among them.",
        fix:
            "Configure the client for one of the listed methods, and register it for that method at the provider.",
        badExample: """
            token_endpoint_auth_methods_supported: ["client_secret_post"]
            POST /token  Authorization: Basic c2hvcDp…  → 401 invalid_client
            """,
        goodExample: """
            token_endpoint_auth_methods_supported: ["client_secret_post"]
            POST /token  …&client_id=shop&client_secret=…  → 200
            """,
        specifications: [
            .rfc(8414, "2"),
            .openIDConnectDiscovery("3", "ProviderMetadata"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var isUnlisted = false
        var found: Violation?
        for call in ClientCall.all(in: flow) where UnlistedMethod.mayBeOne(call) {
            guard UnlistedMethod.list(for: call, in: flow) != nil else {
                isUnlisted = true
                continue
            }
            guard let unlisted = UnlistedMethod(of: call, in: flow) else { continue }
            let severity: Severity =
                call.isClientRefused ? (call.isRepaired ? .note : .error) : .warning
            if let found, (found.severity ?? .error) == .error || severity != .error { continue }
            found = Violation(
                [
                    unlisted.list, call.evidence(ofMethod: unlisted.method, note: "the method that was used"),
                    call.answer.evidence(),
                ],
                severity: severity,
                exchange: call.exchange
            )
        }
        if let found { return .violated(found) }
        return isUnlisted ? .abstains("no list of methods is in the capture") : .holds
    }
}
