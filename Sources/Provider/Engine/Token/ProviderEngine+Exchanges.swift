import Captures
import JOSE
import OAuth

/// Tokens for a token (RFC 8693) or for a signed statement (RFC 7523, section 2.1; what Entra calls on behalf of), where the recording
/// has such a grant.
extension ProviderEngine {
    /// Who is meant by a token; nobody where a client acts for itself.
    private struct Subject { var user: ProviderConfiguration.User? }

    /// Whether a grant of this kind was recorded.
    func exchanges(_ grantType: String) -> Bool {
        GrantType.exchanged[grantType] != nil && dialect.tokens.contains { $0.grantType == grantType }
    }

    mutating func exchange(
        _ form: QueryItems,
        _ grantType: String,
        _ client: ProviderConfiguration.Client,
        _ boundKey: String?
    ) -> BuiltAnswer {
        guard let text = GrantType.exchanged[grantType].flatMap({ form.first($0) }), !text.isEmpty else {
            return refuse(.parameterMissing, at: .token)
        }
        guard let subject = subject(of: text, grantType, client) else {
            let isStatement = grantType == GrantType.jwtBearer
            return refuse(isStatement ? .assertionInvalid : .subjectTokenInvalid, at: .token)
        }
        let grant = ProviderState.Grant(
            clientID: client.id,
            user: subject.user,
            scope: dialect.granted(form.first("scope") ?? state.issued.accessTokens[text]?.grant.scope ?? ""),
            resource: form.first("resource") ?? form.first("audience"),
            signedInAt: now,
            family: context.identifier(),
            boundKey: boundKey
        )
        return issue(grant, grantType)
    }

    /// The client that makes a statement and names itself nowhere else (RFC 7523, section 3).
    func author(of form: QueryItems) -> ProviderConfiguration.Client? {
        guard form.first("grant_type") == GrantType.jwtBearer, exchanges(GrantType.jwtBearer),
            let issuer = form.first("assertion").flatMap({ JSONWebToken.parse($0) })?.issuer
        else { return nil }
        return clients.client(issuer) ?? ProviderConfiguration.Client(id: issuer, redirectURIs: [])
    }

    /// Nil where a token is none, or none any more.
    private func subject(of text: String, _ grantType: String, _ client: ProviderConfiguration.Client)
        -> Subject?
    {
        if let access = state.issued.accessToken(text, at: now) { return Subject(user: access.grant.user) }
        guard state.issued.accessTokens[text] == nil, let token = JSONWebToken.parse(text),
            token.claims != nil,
            token.expiresAt.map({ $0 > now.seconds }) ?? true
        else { return nil }
        if let user = configuration.user(subject: token.subject) {
            return Subject(user: user)
        }
        guard !(token.issuer.map(context.names.contains) ?? false) else { return nil }
        // Another issuer's or the client's own, whose signature nobody here can judge.
        if token.subject == nil || token.subject == token.issuer { return Subject(user: nil) }
        let recorded = dialect.tokens(for: grantType, clients.recordedID(client.id), at: askedEndpoint)
        return Subject(user: configuration.user(subject: recorded?.origin.subject))
    }
}
