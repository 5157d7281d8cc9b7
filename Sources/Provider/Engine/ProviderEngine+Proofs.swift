import Captures
import JOSE
import OAuth

/// Proofs that a client holds a key (RFC 9449).
extension ProviderEngine {
    /// What became of the proof of a request.
    enum Proof {
        case none
        /// The thumbprint of its key.
        case valid(String)
        case refused(BuiltAnswer)
    }

    /// How far the clock of a client may be off.
    private static var proofWindow: Duration { .seconds(300) }

    /// Checks the proof of a request (section 4.3).
    ///
    /// `accessToken`: the token sent along, whose hash it has to carry.
    mutating func proof(
        of request: RecordedRequest,
        at role: Endpoints.Role,
        accessToken: String? = nil
    ) -> Proof {
        let sent = request.headers.all("dpop")
        guard !sent.isEmpty else { return .none }
        // Section 4.3: one, and no more.
        func refused(_ words: String) -> Proof {
            .refused(refuseProof(at: role, isForToken: accessToken != nil, words))
        }
        guard sent.count == 1 else { return refused("there are \(sent.count) of them") }
        guard let proof = DPoPProof(of: request, exchange: 0) else { return refused("it is no JWT") }
        if let flaw = flaw(of: proof, request, accessToken) { return refused(flaw) }
        guard let thumbprint = proof.thumbprint else { return refused("its jwk is no key") }
        if dialect.nonceRoles.contains(role) {
            guard let nonce = proof.nonce, state.proofNonces[nonce] != nil else {
                let nonce = fresh("dpop_nonce")
                state.proofNonces[nonce] = true
                return .refused(refuse(.proofNonceNeeded, at: role, headers: [("DPoP-Nonce", nonce)]))
            }
        }
        return .valid(thumbprint)
    }

    /// `isForToken`: whether it came with an access token: a resource says so in its challenge (section 7.1), unless it was seen to
    /// say it otherwise.
    private func refuseProof(at role: Endpoints.Role, isForToken: Bool, _ explanation: String)
        -> BuiltAnswer
    {
        guard isForToken, !dialect.refusals.hasSeen(.proofInvalid, at: role) else {
            return refuse(.proofInvalid, at: role, explanation)
        }
        let words = "error_description=\"the DPoP proof is not valid\""
        let challenge = "DPoP error=\"invalid_dpop_proof\", \(words)"
        var answer = refuse(.proofInvalid, at: role, headers: [("WWW-Authenticate", challenge)], explanation)
        answer.status = 401
        return answer
    }

    /// What is wrong with a proof, for whoever runs the provider; nil where nothing is, and it is used up then.
    private mutating func flaw(of proof: DPoPProof, _ request: RecordedRequest, _ accessToken: String?)
        -> String?
    {
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
        guard let identifier = proof.identifier else { return "jti is not there" }
        let key = "proof " + identifier
        guard state.usedIdentifiers[key] == nil else { return "its jti was used before" }
        state.usedIdentifiers[key] = true
        return nil
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
        guard age <= Self.proofWindow, age >= .zero - Self.proofWindow else {
            return "iat is \(issued), and it is \(now.seconds) here"
        }
        return nil
    }
}
