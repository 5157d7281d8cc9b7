import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A refresh token of Keycloak's that ends with the session of the browser, as its own `typ` says; one for offline use outlives that.
enum SessionBoundToken {
    /// What there is to say where such a token has run out; nil of any other.
    static func words(for refused: TokenRequest, in flow: Flow) -> Violation.Words? {
        guard flow.provider == .keycloak, let token = refused.refreshToken.flatMap(JSONWebToken.parse),
            token.claim("typ")?.string == "Refresh"
        else { return nil }
        let isAsked = flow.authorizationRequests.contains {
            $0.parameters["scope"].map { $0.split(separator: " ").contains("offline_access") } ?? false
        }
        return Violation.Words(fix: usual + " " + (isAsked ? refusedOffline : unasked))
    }

    private static let usual = """
        Take invalid_grant at a refresh as the end of the session: drop the tokens and begin a new login. This token (typ Refresh) ends with the session at Keycloak, which SSO Session \
        Idle, 30 minutes by default, and Max bound.
        """
    private static let unasked = """
        An app that is to stay signed in, as most on phones are, asks for the scope offline_access and gets one of typ Offline, for 30 days after its last use by default.
        """
    private static let refusedOffline = """
        offline_access was asked for, and no such token came of it: assign that client scope to the client as Optional, see that its users have the realm's role \
        offline_access, and that the app keeps the token of its newest login.
        """
}
