import Captures
import JSON
import OAuth

/// Whether a token request fits the grant that its code or refresh token stands for, and what of the grant it asks for (RFC 6749, sections
/// 4.1.3 and 6; RFC 7636, section 4.6; RFC 8707, section 2.2).
///
/// Whether the code or token still counts is not asked here: that is ``IssuedTokens``'.
struct GrantCheck {
    private let dialect: ProviderDialect

    init(_ dialect: ProviderDialect) { self.dialect = dialect }

    // MARK: - Codes

    /// RFC 6749, section 4.1.3: needed where the authorization request had one, and then equal.
    ///
    /// `registered`: the client's, any of which may be sent where the request had none.
    func refusal(ofRedirectURI sent: String?, _ grant: ProviderState.Grant, registered: [String]) -> Refusal?
    {
        guard !grant.isForeign else { return nil }
        guard let expected = grant.redirectURI else {
            return sent.map { registered.contains(bytesOf: $0) } ?? true ? nil : .redirectURIDiffers
        }
        return expected.equalsBytes(of: sent) ? nil : .redirectURIDiffers
    }

    /// RFC 7636, section 4.6: equal to the letter, or refused.
    func refusal(ofVerifier verifier: String?, _ grant: ProviderState.Grant) -> Refusal? {
        guard !grant.isForeign else { return nil }
        guard let challenge = grant.challenge, !challenge.isEmpty else {
            return verifier == nil || dialect.tolerances.ignoresNeedlessVerifiers ? nil : .verifierUnexpected
        }
        guard let verifier, !verifier.isEmpty else { return .verifierMissing }
        guard CodeChallenge.isVerifier(verifier) || dialect.tolerances.takesAnyVerifier else {
            return .verifierMalformed
        }
        let isHashed = grant.challengeMethod?.uppercased() == "S256"
        if !isHashed, verifier == challenge { return nil }
        let mayBeHashed = isHashed || grant.challengeMethod == nil && dialect.tolerances.assumesS256
        return mayBeHashed && CodeChallenge.s256(of: verifier) == challenge ? nil : .verifierWrong
    }

    // MARK: - What is asked for

    /// What the access token is for: one of what the login was for, where it named some (RFC 8707, section 2.2); the first where the
    /// request names none.
    ///
    /// - Throws: what such a request is refused for.
    func limited(_ grant: ProviderState.Grant, to asked: String?) throws(Refusal) -> ProviderState.Grant {
        guard let asked, !asked.isEmpty else { return grant }
        var limited = grant
        // What a recorded provider makes of others nobody saw.
        guard dialect.strictness.checksResources else {
            limited.resource = grant.resource ?? asked
            return limited
        }
        guard RecordedURL(asked).isAbsoluteWithoutFragment else { throw .resourceMalformed }
        guard grant.resources.isEmpty || grant.resources.contains(bytesOf: asked) else {
            throw .resourceNotGranted
        }
        limited.resource = asked
        return limited
    }

    /// Leaves of a grant what a refresh asks for (RFC 6749, section 6; RFC 8707, section 2.2).
    ///
    /// - Throws: what such a request is refused for.
    func narrowed(_ grant: ProviderState.Grant, to form: QueryItems) throws(Refusal) -> ProviderState.Grant {
        var narrowed = grant
        if let asked = form.first("scope"), !asked.isEmpty, !grant.isForeign {
            let had = Set(grant.scope.spaceDelimited)
            let granted = dialect.granted(asked)
            guard had.isSuperset(of: granted.spaceDelimited) else { throw .scopeTooWide }
            narrowed.scope = granted
        }
        return dialect.strictness.checksResources
            ? try limited(narrowed, to: form.first("resource")) : narrowed
    }
}
