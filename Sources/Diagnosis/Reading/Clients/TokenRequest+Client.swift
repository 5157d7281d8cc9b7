import OAuth

extension TokenRequest {
    /// Refused for its client or its code, not for load or a proof.
    var isRefusedToClient: Bool {
        isGrantRefused || isRefused(with: "invalid_client")
            || answer.status == 401
                && !isRefused(with: "use_dpop_nonce", "invalid_dpop_proof")
    }
}
