import Captures
import JOSE
import OAuth

/// Proofs that a client holds a key: what is wrong with one (RFC 9449, section 4.3).
///
/// Remembers nothing: whether its `jti` was used before, and its nonce given out, is for whoever keeps those.
struct DPoPProofCheck {
    private let names: ProviderNames
    private let now: Timestamp

    /// How far the clock of a client may be off.
    private static var window: Duration { .seconds(300) }

    init(_ context: ProviderContext) {
        names = context.names
        now = context.now
    }

    /// What is wrong, for whoever runs the provider; nil where nothing is.
    ///
    /// `accessToken`: the token sent along, whose hash it has to carry.
    func flaw(of proof: DPoPProof, with request: RecordedRequest, accessToken: String?) -> String? {
        if let flaw = flawInItself(proof) { return flaw }
        guard proof.method == request.method else {
            return "htm is \(proof.method ?? "not there"), not \(request.method)"
        }
        guard let url = proof.url, RecordedURL(url).path == request.url.path, names.isOfOrigin(url) else {
            return "htu is \(proof.url ?? "not there"), and the request goes to \(request.url.path)"
        }
        if let accessToken, proof.accessTokenHash != DPoPProof.hash(ofAccessToken: accessToken) {
            return "ath is \(proof.accessTokenHash == nil ? "not there" : "of another access token")"
        }
        return proof.identifier == nil ? "jti is not there" : nil
    }

    /// What is wrong with it whatever it is sent with: its form, key, signature and time.
    private func flawInItself(_ proof: DPoPProof) -> String? {
        guard proof.token.type == "dpop+jwt" else {
            return "typ is \(proof.token.type ?? "not there"), not dpop+jwt"
        }
        guard let key = proof.key else { return "jwk is not there" }
        guard !key.holdsSecret else { return "its jwk is a private key" }
        guard proof.isSignedByItsKey == true else { return "its signature is not by its jwk" }
        guard let issued = proof.token.issuedAt else { return "iat is not there" }
        let age = now - Timestamp(seconds: issued)
        guard age <= Self.window, age >= .zero - Self.window else {
            return "iat is \(issued), and it is \(now.seconds) here"
        }
        return nil
    }
}
