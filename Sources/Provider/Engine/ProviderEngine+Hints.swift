import JOSE

/// ID tokens that come back to say who is meant (OpenID Connect Core, section 3.1.2.1; RP-Initiated Logout, section 2; CIBA, section
/// 7.1).
extension ProviderEngine {
    /// Why a hint is none of this provider's tokens; nil of one that is, however long ago it ran out.
    func flaw(ofHint token: JSONWebToken) -> String? {
        // What was issued here counts, whatever a fault had it say.
        if state.sessions.id(knownBy: token.text) != nil { return nil }
        if let issuer = token.issuer, !names.contains(issuer) { return "the id_token_hint is of \(issuer)" }
        return switch token.verify(keys: publicKeys).outcome {
        case .valid: nil
        case .encrypted: "the id_token_hint is encrypted, and was not issued in this run"
        case .unsigned: "the id_token_hint is not signed"
        case .unknownKey: "the id_token_hint is signed by none of the keys, which are new in every run"
        default: "the signature of the id_token_hint is not valid"
        }
    }

    /// Whether whom a hint names counts: a token that anybody could have made names nobody.
    ///
    /// Of a recorded provider a token of the recording's time is taken, whose keys are not had.
    func isForgedHint(_ text: String) -> Bool {
        guard dialect.checksOpenIDRequests else { return false }
        return JSONWebToken.parse(text).map { flaw(ofHint: $0) != nil } ?? true
    }
}
