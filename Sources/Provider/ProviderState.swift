import Captures

/// What a provider remembers between requests.
///
/// A value: who holds it decides about threads.
struct ProviderState: Sendable {
    /// An authorization request that waits for the user.
    struct Pending: Sendable {
        var clientID: String
        var redirectURI: String
        var scope: String
        var state: String?
        var nonce: String?
        var challenge: String?
        var challengeMethod: String
        var responseMode: String
    }

    /// What a code, a refresh token or an access token stands for.
    struct Grant: Sendable {
        var clientID: String
        var redirectURI: String
        var user: ProviderConfiguration.User
        var scope: String
        var nonce: String?
        var challenge: String?
        var challengeMethod: String
        var signedInAt: Timestamp
        /// Tokens of one login share it: a code or refresh token that is used twice ends them all (RFC 9700,
        /// section 4.14).
        var family: String
    }

    struct Code: Sendable {
        var grant: Grant
        var issuedAt: Timestamp
        var isUsed = false
    }

    struct RefreshToken: Sendable {
        var grant: Grant
        var isUsed = false
    }

    struct AccessToken: Sendable {
        var grant: Grant
        var expiresAt: Timestamp
    }

    struct Session: Sendable {
        var user: ProviderConfiguration.User
        var signedInAt: Timestamp
    }

    var pending: [String: Pending] = [:]
    var codes: [String: Code] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    var accessTokens: [String: AccessToken] = [:]
    var sessions: [String: Session] = [:]
    var revokedFamilies: Set<String> = []
}
