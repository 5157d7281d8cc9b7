import Captures
import Flows
import OAuth

extension IdentityAwareProxy {
    /// What became of a login that the proxy took, and whose user it did not let through.
    static func violation(of response: AuthorizationResponse, in flow: Flow) -> Violation? {
        guard response.code != nil, let callback = response.callback,
            let refusal = refusal(behind: callback, in: flow.surroundings)
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: Place(exchange: refusal, part: .responseStatus, name: ""),
                    value: "403",
                    note: "where the login led to"
                ),
                Evidence(
                    place: Place(exchange: refusal, part: .responseHeader, name: mark),
                    value: "true",
                    note: "the answer is the proxy's, not the app's"
                ),
            ],
            explanation: """
                The user signed in, and Google's Identity-Aware Proxy in front of the app did not let this user through: the request did not come to the app.
                """,
            fix: """
                Give the user, or a group of theirs, the role IAP-secured Web App User for this resource, and look at the access levels that are set with it. If it \
                is the wrong account, ?gcp-iap-mode=CLEAR_LOGIN_COOKIE at the app's address asks for another one.
                """,
            exchange: refusal
        )
    }
}
