import Captures

/// What was given out for grants: codes, refresh tokens and access tokens, and which of them still count.
///
/// Whether who brings one may is not asked here: that is between the grant and the client.
struct IssuedTokens: Sendable {
    var codes = LimitedTable<ProviderState.Code>()
    var refreshTokens = LimitedTable<ProviderState.RefreshToken>()
    var accessTokens = LimitedTable<ProviderState.AccessToken>()
    /// Families of grants that ended before their time.
    private var revokedFamilies = LimitedTable<Bool>()

    /// What a refresh token or an access token stands for, whether or not it counts.
    func grant(of token: String) -> ProviderState.Grant? {
        refreshTokens[token]?.grant ?? accessTokens[token]?.grant
    }

    /// An access token that counts; nil of one that ran out, was revoked, or was never given out.
    func accessToken(_ text: String, at now: Timestamp) -> ProviderState.AccessToken? {
        guard let access = accessTokens[text], access.expiresAt > now, !isRevoked(access.grant) else {
            return nil
        }
        return access
    }

    /// What introspection tells of a token that counts (RFC 7662, section 2.2): of a refresh token, for which no end is known, as of an
    /// access token that it would bring now.
    ///
    /// `lifetime`: of that one, in seconds.
    func introspected(_ text: String, at now: Timestamp, lifetime: Int64) -> ProviderState.AccessToken? {
        if let access = accessToken(text, at: now) { return access }
        guard let refresh = refreshTokens[text], !refresh.isUsed, !isRevoked(refresh.grant) else {
            return nil
        }
        return ProviderState.AccessToken(
            grant: refresh.grant,
            issuedAt: now,
            expiresAt: now + .seconds(lifetime)
        )
    }

    // MARK: - Ending

    /// Whether all that came of a login has ended, this grant among it.
    func isRevoked(_ grant: ProviderState.Grant) -> Bool { revokedFamilies[grant.family] != nil }

    /// Ends all that came of the login of a grant (RFC 6749, section 4.1.2; RFC 9700, section 4.14.2).
    mutating func revoke(allOf grant: ProviderState.Grant) { revokedFamilies[grant.family] = true }

    /// Ends a token: a refresh token with all that came of its login, an access token alone (RFC 7009, section 2.1).
    mutating func revoke(_ token: String, at now: Timestamp) {
        if let refresh = refreshTokens[token] { revoke(allOf: refresh.grant) }
        // It stays known as one that was.
        if accessTokens[token] != nil { accessTokens[token]?.expiresAt = now }
    }
}
