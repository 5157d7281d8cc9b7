import Flows
import OAuth

/// Why a logout token in which nothing is wrong did not end the app's session (OpenID Connect Back-Channel Logout, section 2.8), with
/// what is said of it.
enum UntakenLogout {
    /// There was no connection.
    case unreachable
    /// There was one, and no answer.
    case unanswered
    /// Something answered that does not look at logout tokens, or a gateway.
    case elsewhere
    /// The app said that it does not take the token.
    case refused

    /// Nil where the app took it, and where only the capture has no answer.
    init?(_ answer: Answer) {
        guard let status = answer.status else {
            guard let failure = answer.failure, !answer.isUnseen else { return nil }
            switch TransportFailure(failure) {
            case .unreachable, .certificate, .handshake: self = .unreachable
            case .unanswered, nil: self = .unanswered
            }
            return
        }
        guard !(200..<300).contains(status) else { return nil }
        // 400 is the answer to a token that is not right.
        let isElsewhere = (300..<400).contains(status) || Self.statuses.contains(status)
        self = isElsewhere ? .elsewhere : .refused
    }

    private static let statuses: Set<Int> = [401, 403, 404, 405, 502, 503, 504]

    /// Whether nobody said anything of the token.
    var isLost: Bool { self == .unreachable || self == .unanswered }

    var variant: String { isLost ? "undelivered" : "rejected" }

    /// Nil for the rule's own.
    var title: String? {
        switch self {
        case .unreachable: "The logout token did not get to the app: there was no connection to its address"
        case .unanswered: "The app did not answer the logout token"
        case .elsewhere: "The logout token did not get to the app's logout"
        case .refused: nil
        }
    }

    var explanation: String {
        switch self {
        case .unreachable:
            """
            The provider told the app of a logout at the address that it has of the client, and could not connect to it: the app has not seen \
            the token, and its session did not end.
            """
        case .unanswered:
            """
            The provider told the app of a logout, and the connection ended, or was given up, without an answer: whether the app has ended its \
            session the provider does not know.
            """
        case .elsewhere:
            """
            The provider told the app of a logout, and what answers at the address is not what ends sessions: nothing is wrong with the token \
            that the capture can show, and an app that finds a token wrong says 400. The app's session did not end.
            """
        case .refused:
            "The app refused a logout token in which the capture shows nothing wrong, so its session did not end."
        }
    }

    /// Nil for the rule's own.
    var fix: String? {
        switch self {
        case .unreachable:
            """
            See that the app runs, and listens at the host and port of the backchannel_logout_uri that is registered for the client, and that \
            the provider's machine can reach it (localhost is the provider's own machine there, or its container) and trusts its certificate.
            """
        case .unanswered:
            "Look into the app's log at the time of this request, and have it answer before it does what takes long."
        case .elsewhere:
            """
            Compare the backchannel_logout_uri that is registered for the client with where the app takes logouts, and try it from the \
            provider's machine; a gateway in front of it must let it through without a session or a CSRF token.
            """
        case .refused: nil
        }
    }
}
