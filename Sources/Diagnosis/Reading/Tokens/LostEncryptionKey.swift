import Captures
import Flows
import JOSE
import OAuth

/// The key that an ID token is encrypted to and that none of the app's own key sets has, where the app refused it (RFC 7516, section 4.1.6).
struct LostEncryptionKey {
    let evidence: [Evidence]
    /// That brought the token.
    let exchange: Int?

    init?(of delivered: DeliveredIDToken, in flow: Flow) {
        let token = delivered.idToken.token
        guard token.form == .encrypted, let kid = token.keyID, let set = flow.appKeySets.last,
            !flow.appKeySets.contains(where: { $0.holds(kid) }), !flow.wentOn(after: delivered),
            flow.refusedCallback(of: delivered) != nil
        else { return nil }
        evidence = [
            Evidence(
                place: delivered.idToken.place(ofHeader: "kid"),
                value: Masking.shown(kid, of: "kid"),
                note: "the key it is encrypted to"
            ), set.appEvidence,
        ]
        exchange = delivered.idToken.place.exchange
    }
}
