import Captures
import Flows
import OAuth

/// A call that an API refuses for what somebody set at the service, in words that are known: the login is good, and so is its token.
enum ServiceRefusal {
    /// The first of a flow's; nil where there is none.
    static func violation(in flow: Flow) -> Violation? {
        for (call, refusal) in BearerCall.refused(in: flow, with: [403]) where call.isWithAccessToken {
            guard refusal.status == 403, ScopeRefusal(call.call.answer, in: flow.capture) == nil,
                let (reason, words) = reason(in: refusal.body.asciiLowercased())
            else { continue }
            return Violation(
                [
                    Evidence(
                        place: Place(exchange: refusal.exchange, part: .responseBody, name: ""),
                        value: Excerpt.around(words, in: refusal.body),
                        note: "answered with \(refusal.status)"
                    ), call.address, Evidence(call.token),
                ],
                severity: .warning,
                saying: reason.words,
                exchange: refusal.exchange
            )
        }
        return nil
    }

    private static func reason(in body: String) -> (Reason, String)? {
        for reason in Reason.allCases {
            if let words = reason.said.first(where: body.containsBytes) { return (reason, words) }
        }
        return nil
    }

    private enum Reason: CaseIterable {
        /// Google's APIs are switched on project by project.
        case apiDisabled
        /// Databricks.
        case address
        /// Microsoft Graph.
        case privilege

        /// In lower case, what tells the most first.
        var said: [String] {
            switch self {
            // Not SERVICE_DISABLED, which it says beside them: that is anybody's word.
            case .apiDisabled: ["has not been used in project", "accessnotconfigured"]
            case .address:
                ["blocked by databricks ip acl", "unauthorized network access to workspace"]
            case .privilege: ["authorization_requestdenied"]
            }
        }

        var words: Violation.Words {
            switch self {
            case .apiDisabled:
                Violation.Words(
                    title: "The API is not enabled in the app's project",
                    explanation: """
                        The login went well and the token is good. Google refuses the call because the project that the client_id belongs to has not enabled \
                        this API.
                        """,
                    fix: """
                        Enable the API in the Google Cloud project that the answer names, at the address that it gives, and wait a few minutes before the next \
                        call. If it is another project than yours, the app uses another client than you think.
                        """
                )
            case .address:
                Violation.Words(
                    title: "The workspace does not let this address in",
                    explanation: """
                        The login went well and the token is good. The workspace refuses calls from the address, or the network, that this one came from.
                        """,
                    fix: """
                        Call from a network that the workspace allows (VPN, private link), or have an administrator add the address that the app calls from to the \
                        IP access list of the workspace, and to the account's where there is one. A proxy on the way changes the address that is seen.
                        """
                )
            case .privilege:
                Violation.Words(
                    title: "The API wants a permission that the app or the user does not have",
                    explanation: """
                        The login went well and the token is good. Microsoft Graph refuses this call because the app was not granted the permission for it, or the \
                        user may not do it themselves: with delegated permissions an app may do no more than its user.
                        """,
                    fix: """
                        Look up the permissions of this call in the reference of Microsoft Graph, of the kind that the token is of: delegated (scp) for a user, \
                        application (roles) for a client by itself. Add what is missing to the app's registration, have an administrator consent, and get a new token; \
                        else give the user the role that the call needs.
                        """
                )
            }
        }
    }
}
