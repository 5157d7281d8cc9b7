import Captures

extension ProviderState {
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
}
