import JOSE

/// ID tokens that come back to say who is meant: whether they are this provider's (OpenID Connect Core, section 3.1.2.1; RP-Initiated
/// Logout, section 2; CIBA, section 7.1).
///
/// Does not mind how long ago one ran out, and looks for no user.
struct IDTokenHintCheck {
    private let names: ProviderNames
    private let configuration: ProviderConfiguration
    private let sessions: BrowserSessions
    private let refusesForgeries: Bool

    init(_ context: ProviderContext, sessions: BrowserSessions) {
        names = context.names
        configuration = context.configuration
        self.sessions = sessions
        refusesForgeries = context.dialect.strictness.checksRequestedUsers
    }

    /// Why a hint is none of this provider's tokens; nil of one that is.
    func flaw(of token: JSONWebToken) -> String? {
        // What was issued here counts, whatever a fault had it say.
        if sessions.id(knownBy: token.text) != nil { return nil }
        if let issuer = token.issuer, !names.contains(issuer) { return "the id_token_hint is of \(issuer)" }
        return switch token.verify(keys: configuration.publicKeys).outcome {
        case .valid: nil
        case .encrypted: "the id_token_hint is encrypted, and was not issued in this run"
        case .unsigned: "the id_token_hint is not signed"
        case .unknownKey: "the id_token_hint is signed by none of the keys, which are new in every run"
        default: "the signature of the id_token_hint is not valid"
        }
    }

    /// Whether a hint says nothing of who is meant: a token that anybody could have made names nobody.
    ///
    /// Of a recorded provider a token of the recording's time is taken, whose keys are not had.
    func isForged(_ text: String) -> Bool {
        refusesForgeries && (JSONWebToken.parse(text).map { flaw(of: $0) != nil } ?? true)
    }
}
