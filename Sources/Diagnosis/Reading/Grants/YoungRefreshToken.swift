import Captures
import Flows
import OAuth

/// A refresh token that was refused as soon as it had been given out: no lifetime is that short.
enum YoungRefreshToken {
    /// The token and its age; nil of one that is older, that another has replaced, or that the client gave back, and of a refusal for
    /// something else than the token.
    static func evidence(of refused: TokenRequest, in flow: Flow) -> Evidence? {
        let history = flow.refreshHistory
        guard refused.isRefresh, let token = refused.parameters.parameter("refresh_token"),
            let issued = history.issuer(of: refused), history.replacement(of: refused) == nil,
            history.lastUse(ofTokenOf: refused) == nil, flow.evidence(ofRevocationBefore: refused).isEmpty,
            !flow.isSignedOut(before: refused.exchange),
            issued.endpoint.origin == refused.endpoint.origin,
            issued.clientID == nil || refused.clientID == nil || issued.clientID == refused.clientID,
            isOfToken(refused.answer), OtherTenantsGrant(refused) == nil, !asksForMore(refused, than: issued)
        else { return nil }
        let age = refused.startedAt - flow.capture[issued.exchange].endedAt
        guard age >= .zero, age < .seconds(60) else { return nil }
        return Evidence(token, note: "\(age.words) old, and not used before")
    }

    /// Whether a refusal gives no reason, or speaks of the token and its session alone.
    private static func isOfToken(_ answer: Answer) -> Bool {
        let text = (answer.error?.description ?? "").prefixBytes(4096).asciiLowercased()
        if text.isEmpty || StatedGrantFault.namesEveryReason(text) { return true }
        return ["token", "session", "grant"].contains(where: text.containsBytes)
            && !otherReasons.contains(where: text.containsBytes)
    }

    private static let otherReasons = [
        "client", "user", "account", "consent", "policy", "scope", "resource", "audience", "address",
        "device", "dpop", "certificate", "key",
    ]

    /// Whether the refresh asks for a scope that the token was not seen to be given for.
    private static func asksForMore(_ refused: TokenRequest, than issued: TokenRequest) -> Bool {
        guard let asked = refused.parameters["scope"], !asked.isEmpty else { return false }
        let granted = issued.answer.parameters["scope"] ?? ""
        return !Set(Scope.asked(asked, whereGranted: granted)).isSubset(of: Scope.granted(granted))
    }

    static let words = Violation.Words(title: title, explanation: explanation, fix: fix)

    private static let title = "The provider does not know the refresh token that it has just given out"
    private static let explanation = """
        The refresh token is some seconds old and was not used before, so neither its age nor a later token is the reason. Whoever answered the refresh does not have the session that the token belongs to.
        """
    private static let fix = """
        Where the provider runs in several instances, have them share their sessions (Keycloak: see in its log that the instances form one cluster; else let a balancer send a browser to one and the same), and \
        see that none was restarted in between. Where it stands behind a proxy, give it one public address (Keycloak: KC_HOSTNAME, KC_PROXY_HEADERS): a token that was issued under one is no token under another. \
        A provider that ends a user's older sessions at a new login does so, too.
        """
}
