import OAuth

extension TokenRequest {
    /// What the polls for one consent on another device have in common (RFC 8628, section 3.4; OpenID Connect CIBA, section
    /// 10.1).
    ///
    /// So do the tries with a pre-authorized code, which an issuer may have the wallet wait for, and which takes another PIN after a wrong
    /// one (OpenID for Verifiable Credential Issuance, section 6).
    var polledCode: String? {
        ["device_code", "auth_req_id", "pre-authorized_code"].lazy.compactMap { parameters[$0] }.first
    }

    /// Whether the answer ends the polls; one that went wrong says nothing of the user (RFC 8628, section 3.5).
    var isDecided: Bool {
        answer.error.map { !["authorization_pending", "slow_down"].contains($0.error) } ?? answer.isSuccess
    }
}
