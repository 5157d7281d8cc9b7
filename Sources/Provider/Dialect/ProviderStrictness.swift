/// What the specifications want of clients, and a recorded provider is not held to: what it makes of those who do not do so nobody saw.
struct ProviderStrictness: Sendable {
    /// Whether a client that acts for itself, asks about tokens or has a user asked elsewhere has to prove who it is (RFC 6749,
    /// section 4.4), and to name the kind of its assertion.
    var needsClientProof = false
    /// Whether a logout has to name its client before it may name an address, with a token of this provider if it has one.
    var needsLogoutClient = false
    /// Whether a token request by GET is refused (RFC 6749, section 3.2).
    var takesTokenRequestsByPostOnly = false
    /// Whether requests for an ID token are held to what OpenID Connect wants of them: the scope `openid`, a redirect URI, parameters
    /// that can be read, and a nonce where it comes by way of the browser (Core, sections 3.1.2.1, 3.2.2.1, 3.3.2.11 and 5.5).
    var checksOpenIDRequests = false
    /// Whether a request that names its user is held to a token that was issued here, and to the `sub` in its `claims` (OpenID Connect
    /// Core, sections 3.1.2.2 and 5.5.1); of a recorded provider the users are known only as far as they were recorded.
    var checksRequestedUsers = false
    /// Whether `prompt=select_account` has a known browser asked again (OpenID Connect Core, section 3.1.2.1); what a recorded
    /// provider does its pages show.
    var asksToSelectAccount = false
    /// Whether userinfo refuses access tokens of logins that are none of OpenID Connect (Core, section 5.3).
    var keepsUserInfoForOpenID = false
    /// Whether tokens are for what a login or a token request names of a login's resources, and for no other (RFC 8707, section 2).
    var checksResources = false
    /// Whether request objects are held to the audience that they name, and to have no other in them (RFC 9101, section 4).
    var checksRequestObjects = false

    /// All of it, as the built-in provider has it.
    static let full = ProviderStrictness(
        needsClientProof: true,
        needsLogoutClient: true,
        takesTokenRequestsByPostOnly: true,
        checksOpenIDRequests: true,
        checksRequestedUsers: true,
        asksToSelectAccount: true,
        keepsUserInfoForOpenID: true,
        checksResources: true,
        checksRequestObjects: true
    )
}
