import Captures
import Flows
import JOSE
import JSON
import OAuth

/// How an ID token is encrypted (RFC 7516, section 3.1).
extension DeliveredIDToken {
    /// As it was delivered: the token itself, or what it was encrypted in.
    var outermost: JSONWebToken { idToken.envelope ?? idToken.token }

    /// What the client registered where the token is encrypted in another way; nil where it is not, and where no registration is in the
    /// capture.
    func otherEncryption(in flow: Flow) -> [Evidence]? {
        let token = outermost
        guard token.form == .encrypted, let exchange = idToken.place.exchange,
            let client = clients.lazy.compactMap({
                RegisteredClient.of($0.value, before: exchange, in: flow)
            }).first
        else { return nil }
        let names = [
            ("alg", "id_token_encrypted_response_alg"), ("enc", "id_token_encrypted_response_enc"),
        ]
        let differing = names.compactMap { name, member -> Evidence? in
            guard let seen = token.header?[name]?.string, let stated = client.evidence(member),
                stated.value != seen
            else { return nil }
            return client.evidence(
                member,
                note: "what the client registered; the token has \(Masking.shown(seen, of: name))"
            )
        }
        return differing.isEmpty ? nil : differing
    }
}
