import Captures
import JOSE
import JSON
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
        guard sent.count == 1, let proof = DPoPProof(of: request, exchange: 0),
            isValid(proof, request, accessToken),
            let thumbprint = proof.thumbprint
        else { return .refused(refuseProof(at: role, isForToken: accessToken != nil)) }
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
    private func refuseProof(at role: Endpoints.Role, isForToken: Bool) -> BuiltAnswer {
        guard isForToken, !dialect.refusals.hasSeen(.proofInvalid, at: role) else {
            return refuse(.proofInvalid, at: role)
        }
        let words = "error_description=\"the DPoP proof is not valid\""
        let challenge = "DPoP error=\"invalid_dpop_proof\", \(words)"
        var answer = refuse(.proofInvalid, at: role, headers: [("WWW-Authenticate", challenge)])
        answer.status = 401
        return answer
    }

    private mutating func isValid(_ proof: DPoPProof, _ request: RecordedRequest, _ accessToken: String?)
        -> Bool
    {
        guard proof.token.type == "dpop+jwt", proof.isSignedByItsKey == true, proof.key?.holdsSecret == false,
            proof.method == request.method,
            let url = proof.url, RecordedURL(url).path == request.url.path, isOwnOrigin(url),
            let issued = proof.token.issuedAt,
            let identifier = proof.identifier
        else { return false }
        let age = now - Timestamp(seconds: issued)
        guard age <= Self.proofWindow, age >= .zero - Self.proofWindow else { return false }
        if let accessToken, proof.accessTokenHash != DPoPProof.hash(ofAccessToken: accessToken) {
            return false
        }
        let key = "proof " + identifier
        guard state.usedIdentifiers[key] == nil else { return false }
        state.usedIdentifiers[key] = true
        return true
    }
}
