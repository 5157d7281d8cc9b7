import Captures

/// What a provider remembers between requests.
///
/// A value: who holds it decides about threads. Every table is bounded, since anybody may fill it.
struct ProviderState: Sendable {
    /// What a code, a refresh token or an access token stands for.
    struct Grant: Sendable {
        var clientID: String
        var redirectURI: String?
        /// Nil where the client acts for itself.
        var user: ProviderConfiguration.User?
        var scope: String
        var nonce: String?
        var challenge: String?
        /// Nil where the request named none.
        var challengeMethod: String?
        var resource: String?
        /// All that the login was for (RFC 8707, section 2.1); empty where it named none.
        var resources: [String] = []
        var acrValues: String?
        var maxAge: Int64?
        /// Nil where the login asked for none by name.
        var claims: ClaimsRequest?
        var signedInAt: Timestamp
        /// Tokens of one login share it: a code or refresh token that is used twice ends them all (RFC 9700,
        /// section 4.14).
        var family: String
        /// Thumbprint of the key that tokens are bound to (RFC 9449, section 6.1).
        var boundKey: String?
        /// The session it belongs to; nil where no browser took part.
        var session: String?
        /// What was recorded of the login, by what stands for it in this one: `sid`, say.
        var values: [String: String] = [:]
        /// Whether nobody knows which challenge its login had: it began before the recording did.
        var isForeign = false
    }

    struct Code: Sendable {
        var grant: Grant
        var issuedAt: Timestamp
        var isUsed = false
    }

    struct RefreshToken: Sendable {
        var grant: Grant
        /// How often it brought tokens.
        var uses = 0
        var isUsed = false
    }

    struct AccessToken: Sendable {
        var grant: Grant
        var issuedAt: Timestamp
        var expiresAt: Timestamp
        /// What a signed one says, so that others say the same.
        var identifier: String?
    }

    struct Session: Sendable {
        /// A client that had an ID token in it.
        struct Reader: Sendable, Hashable {
            var clientID: String
            /// The `sid` of the token.
            var sessionName: String?
        }

        var user: ProviderConfiguration.User
        var signedInAt: Timestamp
        /// What was recorded, by what stands for it.
        var values: [String: String] = [:]
        private(set) var readers: [Reader] = []

        init(user: ProviderConfiguration.User, signedInAt: Timestamp, values: [String: String] = [:]) {
            self.user = user
            self.signedInAt = signedInAt
            self.values = values
        }

        mutating func add(_ reader: Reader) {
            readers.removeAll { $0.clientID == reader.clientID }
            if readers.count < 100 { readers.append(reader) }
        }
    }

    /// A pushed authorization request (RFC 9126, section 2.2).
    struct PushedRequest: Sendable {
        var clientID: String
        var parameters: RequestParameters
        var expiresAt: Timestamp
        var isUsed = false
    }

    var transactions = TransactionTable()
    var pushedRequests = LimitedTable<PushedRequest>(limit: 1000)
    var issued = IssuedTokens()
    var sessions = BrowserSessions()
    var devices = LimitedTable<DeviceGrant>()
    /// By `auth_req_id`.
    var backchannelRequests = LimitedTable<DeviceGrant>()
    var usedIdentifiers = UsedIdentifiers()
    var proofNonces = LimitedTable<Bool>()
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
