import Captures

/// What a provider remembers between requests.
///
/// A value: who holds it decides about threads. Every table is bounded, since anybody may fill it.
struct ProviderState: Sendable {
    var transactions = TransactionTable()
    var pushedRequests = PushedRequests()
    var issued = IssuedTokens()
    var sessions = BrowserSessions()
    var devices = LimitedTable<DeviceGrant>()
    /// By `auth_req_id`.
    var backchannelRequests = LimitedTable<DeviceGrant>()
    var usedIdentifiers = UsedIdentifiers()
    var proofNonces = ProofNonces()
    /// By `client_id`.
    var registrations = LimitedTable<ClientRegistration>(limit: 1000)
    var counts = CallCounts()

    /// Why an access token is none that counts, for whoever runs the provider.
    func whyInvalid(_ text: String, at now: Timestamp) -> String {
        guard let access = issued.accessTokens[text] else {
            if issued.refreshTokens[text] != nil { return "it is a refresh token" }
            return sessions.id(knownBy: text) == nil ? "no such token was issued" : "it is an ID token"
        }
        if issued.isRevoked(access.grant) { return "all that was issued with it was revoked" }
        return "it was revoked or ran out at \(access.expiresAt.seconds), and it is \(now.seconds) here"
    }

    /// The state of a provider that begins anew, for clients that go on.
    ///
    /// Codes, tokens and sessions are gone. What a running client keeps for good stays: its registration, and the nonce for
    /// its proofs (RFC 9449, section 8).
    func begunAnew(from first: ProviderState) -> ProviderState {
        var state = first
        state.registrations = registrations
        state.proofNonces = proofNonces
        return state
    }
}
