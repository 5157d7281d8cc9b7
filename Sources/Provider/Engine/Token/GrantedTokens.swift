import Captures

extension ProviderState {
    /// An authorization code (RFC 6749, section 1.3.1).
    struct Code: Sendable {
        var grant: Grant
        var issuedAt: Timestamp
        var isUsed = false
    }

    /// A refresh token (RFC 6749, section 1.5).
    struct RefreshToken: Sendable {
        var grant: Grant
        /// How often it brought tokens.
        var uses = 0
        var isUsed = false
    }

    /// An access token (RFC 6749, section 1.4).
    struct AccessToken: Sendable {
        var grant: Grant
        var issuedAt: Timestamp
        var expiresAt: Timestamp
        /// What a signed one says, so that others say the same.
        var identifier: String?
    }
}
