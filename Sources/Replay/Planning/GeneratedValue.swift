/// What a client makes up for each login.
package enum GeneratedValue: String, Sendable, Hashable {
    case state
    case nonce
    case codeVerifier = "code_verifier"
    case codeChallenge = "code_challenge"
    case clientAssertion = "client_assertion"
    /// What a client is granted tokens for (RFC 7523, section 2.1); sent as recorded where its key is not given.
    case grantAssertion = "assertion"
    case requestObject = "request"
    case dpopProof = "DPoP"
    case dpopThumbprint = "dpop_jkt"

    /// Whether it is a token with claims of its own, signed by the client.
    var isSignedClaims: Bool {
        switch self {
        case .clientAssertion, .grantAssertion, .requestObject: true
        default: false
        }
    }
}
