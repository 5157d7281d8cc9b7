import Captures

extension ProviderState {
    /// A pushed authorization request (RFC 9126, section 2.2).
    struct PushedRequest: Sendable {
        var clientID: String
        var parameters: RequestParameters
        var expiresAt: Timestamp
        var isUsed = false
    }
}
