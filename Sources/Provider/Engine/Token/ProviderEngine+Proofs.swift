import Captures
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
            .refused(dialect.refusals.invalidProof(at: role, isForToken: accessToken != nil, words))
        }
        guard sent.count == 1 else { return refused("there are \(sent.count) of them") }
        guard let proof = DPoPProof(of: request, exchange: 0) else { return refused("it is no JWT") }
        let check = DPoPProofCheck(context)
        if let flaw = check.flaw(of: proof, with: request, accessToken: accessToken) { return refused(flaw) }
        guard state.usedIdentifiers.use(proof) else { return refused("its jti was used before") }
        guard let thumbprint = proof.thumbprint else { return refused("its jwk is no key") }
        if dialect.nonceRoles.contains(role), !state.proofNonces.accepts(proof.nonce) {
            let nonce = context.fresh("dpop_nonce")
            state.proofNonces.give(nonce)
            return .refused(refuse(.proofNonceNeeded, at: role, headers: [("DPoP-Nonce", nonce)]))
        }
        return .valid(thumbprint)
    }
}
