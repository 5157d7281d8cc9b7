import Captures
import JSON
import OAuth

/// Token responses in the form of the dialect (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3).
extension ProviderEngine {
    /// What a token response is made for.
    private struct Issue {
        let grant: ProviderState.Grant
        let form: ProviderDialect.Tokens
        /// The refresh token that was used; nil in the first response of a login.
        let refreshToken: String?
        /// What a refresh token stands for: all that was granted, also where the other tokens are for less.
        let lasting: ProviderState.Grant
        /// What ID tokens carry the hash of and the answer does not hold.
        let hashed: [String: String]

        private let scopes: Set<String>
        private let recordedScopes: Set<String>

        init(
            _ grant: ProviderState.Grant,
            _ form: ProviderDialect.Tokens,
            refreshed: (token: String, lasting: ProviderState.Grant, earlierUses: Int)?,
            hashed: [String: String]
        ) {
            self.grant = grant
            self.form = form
            refreshToken = refreshed?.token
            lasting = refreshed?.lasting ?? grant
            self.hashed = hashed
            scopes = Set(grant.scope.spaceDelimited)
            recordedScopes = Set(form.origin.scope.spaceDelimited)
        }

        /// Whether a scope by which the recorded client asked for something was not granted now.
        func lacks(_ scope: String) -> Bool { recordedScopes.contains(scope) && !scopes.contains(scope) }

        /// Whether offline access, which is asked for by name (OpenID Connect Core, section 11), was then, and not in this login.
        var lacksOfflineAccess: Bool {
            let scope = "offline_access"
            return recordedScopes.contains(scope) && !lasting.scope.spaceDelimited.contains(scope)
        }

        /// Seconds, where the recorded answer says them.
        var lifetime: Int64? {
            let member = form.answer.members?["expires_in"]
            return member?.int ?? member?.string.flatMap { Int64($0) }
        }
    }

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
                recordedID(grant.clientID),
                at: askedEndpoint,
                earlierUses: refreshed?.earlierUses ?? 0
            ) ?? ProviderDialect.Tokens.standard
        if form.answer.members == nil {
            if policy.isAsRecorded, form.answer.body != nil {
                return BuiltAnswer(like: form.answer, role: .token)
            }
            form.answer.members = ProviderDialect.Tokens.standard.answer.members
        }
        let issue = Issue(grant, form, refreshed: refreshed, hashed: hashed)
        let members = form.answer.members?.members ?? []
        var answer = BuiltAnswer(like: form.answer, role: .token)
        answer.content = .tokens(members.flatMap { self.members($0, of: issue) }, isForm: form.answer.isForm)
        return answer
    }

    /// What stands for a recorded member; nothing where it is not for this grant.
    private func members(_ recorded: JSONObject.Member, of issue: Issue) -> [BuiltAnswer.Member] {
        let (grant, form) = (issue.grant, issue.form)
        let mint = mint(for: grant.clientID)
        switch recorded.name {
        case "access_token":
            return [mint.accessToken(form.accessToken, grant, lifetime: issue.lifetime).member]
        case "refresh_token":
            if issue.lacksOfflineAccess { return [] }
            if form.keepsRefreshToken, let kept = issue.refreshToken {
                return [.init(recorded.name, text: kept)]
            }
            return [mint.refreshToken(form.refreshToken, issue.lasting)]
        case "id_token":
            if issue.lacks("openid") { return [] }
            let token = mint.idToken(
                form.idToken,
                grant,
                origin: form.origin,
                isFirst: issue.refreshToken == nil,
                hashed: issue.hashed
            )
            return token.map { [$0] } ?? []
        case "scope": return scope(recorded, form, grant)
        case "token_type": return [.init(recorded.name, text: tokenType(like: recorded.value, grant))]
        case "error", "error_description", "error_uri": return []
        default: return other(recorded, form, grant)
        }
    }

    /// As the provider writes it, where it is the same; without any there is no member for it (RFC 6749, section 3.3).
    private func scope(
        _ recorded: JSONObject.Member,
        _ form: ProviderDialect.Tokens,
        _ grant: ProviderState.Grant
    ) -> [BuiltAnswer.Member] {
        if grant.scope == form.origin.grantedScope {
            if case .null = recorded.value { return [] }
            return [.init(recorded.name, .json(recorded.value))]
        }
        return grant.scope.isEmpty ? [] : [.init(recorded.name, text: grant.scope)]
    }

    /// By what the access token is bound to (RFC 9449, section 5); a bearer's as the provider writes it.
    private func tokenType(like recorded: JSONValue, _ grant: ProviderState.Grant) -> String {
        guard grant.boundKey == nil else { return "DPoP" }
        let type = recorded.string ?? "Bearer"
        return type == "DPoP" ? "Bearer" : type
    }

    /// Members of no standard: as they were recorded, with this login's values.
    private func other(
        _ member: JSONObject.Member,
        _ form: ProviderDialect.Tokens,
        _ grant: ProviderState.Grant
    ) -> [BuiltAnswer.Member] {
        if member.name == "session_state", let text = member.value.string {
            return [.init(member.name, text: grant.values[text] ?? ValueTemplate(like: text).make(random))]
        }
        let filled = mint(for: grant.clientID).filler(form.origin, grant).filled(JSONObject([member]))
        return filled.members.map { .init($0.name, .json($0.value)) }
    }
}
