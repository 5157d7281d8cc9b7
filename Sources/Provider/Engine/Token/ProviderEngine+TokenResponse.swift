import OAuth

/// Token responses in the form of the dialect (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3).
extension ProviderEngine {
    /// A token response in the form of the dialect.
    ///
    /// `refreshed`: the refresh token that was used, what it stands for, and how often it had been before.
    /// `hashed`: what ID tokens carry the hash of and the answer does not hold.
    mutating func issue(
        _ grant: ProviderState.Grant,
        _ grantType: String,
        refreshed: (token: String, lasting: ProviderState.Grant, earlierUses: Int)? = nil,
        hashed: [String: String] = [:]
    ) -> BuiltAnswer {
        var form =
            dialect.tokens(
                for: grantType,
                clients.recordedID(grant.clientID),
                at: askedEndpoint,
                earlierUses: refreshed?.earlierUses ?? 0
            ) ?? ProviderDialect.Tokens.standard
        if form.answer.members == nil {
            if policy.isAsRecorded, form.answer.body != nil {
                return BuiltAnswer(like: form.answer, role: .token)
            }
            form.answer.members = ProviderDialect.Tokens.standard.answer.members
        }
        let builder = TokenResponseBuilder(
            grant,
            form,
            mint(for: grant.clientID),
            refreshed: refreshed,
            hashed: hashed
        )
        var answer = BuiltAnswer(like: form.answer, role: .token)
        answer.content = .tokens(builder.members, isForm: form.answer.isForm)
        return answer
    }
}
