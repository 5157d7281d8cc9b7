import Captures
import OAuth

/// What a token endpoint says that this client may not have, under a name that the specification gives to something else.
///
/// `unsupported_grant_type`, `unauthorized_client` and `invalid_scope` (RFC 6749, section 5.2) have rules of their own. A provider that says
/// the same with `invalid_request`, or with an API's `insufficient_scope`, is told by its words, with its refusal.
enum ClientLimit {
    case grant
    case scope

    /// Nil of answers whose name says it, and of words that speak of something else.
    init?(_ answer: Answer) {
        guard let error = answer.error?.error else { return nil }
        let text = (answer.error?.description ?? "").lowercased()
        switch error {
        case "insufficient_scope": self = .scope
        case "invalid_request" where Self.refusesGrant(text): self = .grant
        case "invalid_request" where RefusalWording.refusedScope(in: text) != nil: self = .scope
        default: return nil
        }
    }

    /// What was sent that the client may not have.
    func evidence(of request: TokenRequest) -> [Evidence] {
        switch self {
        case .grant: request.parameters.parameter("grant_type").map { [Evidence($0)] } ?? []
        case .scope: request.parameters.parameter("scope").map { [Evidence($0)] } ?? []
        }
    }

    var words: Violation.Words {
        switch self {
        case .grant:
            Violation.Words(
                title: "The provider says that this client may not use the grant",
                explanation: """
                    The provider knows the client and the grant, and says that the one may not use the other. What came with it, a code for one, was not looked at.
                    """,
                fix: """
                    Enable the grant for the client at the provider: in its settings, or by the member grant_types of its registration (RFC 7591, section 2), which is authorization_code \
                    alone where it is left out. Refreshes need refresh_token among them.
                    """
            )
        case .scope:
            Violation.Words(
                title: "The provider says that it does not give this client the scope",
                explanation: """
                    The provider took the request for one that it can read, and says that a scope of it is none that this client may have. A token request that names a scope asks for \
                    it anew, be it one that the login did not ask for.
                    """,
                fix: """
                    Leave scope out of the exchange and of refreshes, or ask for a part of what the login was granted; have a scope that the client needs added to its registration, and \
                    ask for it by a new login.
                    """
            )
        }
    }

    /// Whether a text, in lower case, says that a grant is not for this client.
    private static func refusesGrant(_ text: String) -> Bool {
        grants.contains(where: text.containsBytes) && refusals.contains(where: text.containsBytes)
    }

    private static let grants = ["grant type", "grant_type"]
    private static let refusals = [
        "not allowed", "n't allowed", "not permitted", "not enabled", "not authorized", "not authorised",
    ]
}
