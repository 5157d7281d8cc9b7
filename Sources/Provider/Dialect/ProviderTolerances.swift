/// What a recorded provider was seen to take that the specifications refuse: it is taken again.
struct ProviderTolerances: Sendable {
    /// Whether a client was taken that proved who it is in more than one way (RFC 6749, section 2.3); the first of them counts then.
    var takesSeveralClientProofs = false
    /// Whether a client was taken whose `client_id` was another than that of its Basic credentials; those count then.
    var takesOtherClientNames = false
    /// Whether userinfo was told to a request that had its access token in more than one place (RFC 6750, section 2); the header
    /// counts then.
    var takesSeveralTokens = false
    /// Spellings of `code_challenge_method` that were taken besides those of RFC 7636.
    var challengeMethods: Set<String> = []
    /// Whether a challenge without a method, which is the verifier itself (RFC 7636, section 4.3), was taken where it is the verifier's
    /// hash; it may be either then.
    var assumesS256 = false
    /// Whether a `code_verifier` of another length or alphabet than RFC 7636, section 4.1 has was taken.
    var takesAnyVerifier = false
    /// Whether a `code_verifier` was taken for a code that was asked for without a challenge.
    var ignoresNeedlessVerifiers = false
    /// Clients that refresh tokens of another one are taken from, by the client they were issued to.
    var refreshTokenSharers: [String: Set<String>] = [:]
    /// Whether a client had another one's token revoked, which RFC 7009, section 2.1 refuses.
    var revokesTokensOfOthers = false
    /// Whether a token was revoked for a client that did not say who it is; its form may stand in the query then.
    var revokesForAnybody = false
    /// Who may speak for a client in an assertion, besides the client.
    var assertionIssuers: Set<String> = []
    /// Whether a client may have its tokens unsigned (OpenID Connect Registration, section 2).
    var allowsUnsigned = false
    /// Whether a request without `response_type` was taken for one of a code.
    var assumesCode = false
    /// Whether what stands beside a `request_uri` was taken where it had not been pushed.
    var mergesOuterParameters = false
    /// Whether a `request_uri` was taken without the `client_id` that belongs beside it.
    var takesRequestURIsAlone = false
    /// Whether a pushed request was taken again after it had been answered.
    var reusesRequestURIs = false
    /// Parameters that were taken more than once in one request.
    var repeatedParameters: Set<String> = []
    /// Whether `prompt=none` was taken with other values.
    var takesPromptsBesideNone = false
    /// Whether an object of JSON was taken where the specifications have a form.
    var takesJSON = false
    /// Whether proofs of a key are passed over and tokens bound to none.
    var ignoresProofs = false

    /// Whether a client may use the refresh tokens of another one, as RFC 6749, section 6 forbids and some providers do
    /// for clients of one family.
    ///
    /// Both of the recording.
    func takesRefreshTokens(of holder: String, from client: String) -> Bool {
        refreshTokenSharers[holder]?.contains(client) ?? false
    }
}
