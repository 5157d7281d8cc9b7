import JSON
import OAuth

/// Makes the members of one token response, in the order and the form of a recorded one (RFC 6749, section 5.1; OpenID Connect Core,
/// section 3.1.3.3).
struct TokenResponseBuilder {
    private let grant: ProviderState.Grant
    private let form: ProviderDialect.Tokens
    private let mint: TokenMint
    /// The refresh token that was used; nil in the first response of a login.
    private let refreshToken: String?
    /// What a refresh token stands for: all that was granted, also where the other tokens are for less.
    private let lasting: ProviderState.Grant
    /// What ID tokens carry the hash of and the answer does not hold.
    private let hashed: [String: String]

    private let scopes: Set<String>
    private let recordedScopes: Set<String>

    init(
        _ grant: ProviderState.Grant,
        _ form: ProviderDialect.Tokens,
        _ mint: TokenMint,
        refreshed: (token: String, lasting: ProviderState.Grant, earlierUses: Int)?,
        hashed: [String: String]
    ) {
        self.grant = grant
        self.form = form
        self.mint = mint
        refreshToken = refreshed?.token
        lasting = refreshed?.lasting ?? grant
        self.hashed = hashed
        scopes = Set(grant.scope.spaceDelimited)
        recordedScopes = Set(form.origin.scope.spaceDelimited)
    }

    /// Whether a scope by which the recorded client asked for something was not granted now.
    private func lacks(_ scope: String) -> Bool { recordedScopes.contains(scope) && !scopes.contains(scope) }

    /// Whether offline access, which is asked for by name (OpenID Connect Core, section 11), was then, and not in this login.
    private var lacksOfflineAccess: Bool {
        let scope = "offline_access"
        return recordedScopes.contains(scope) && !lasting.scope.spaceDelimited.contains(scope)
    }

    /// Seconds, where the recorded answer says them.
    private var lifetime: Int64? {
        let member = form.answer.members?["expires_in"]
        return member?.int ?? member?.string.flatMap { Int64($0) }
    }

    /// What the response holds.
    var members: [BuiltAnswer.Member] {
        (form.answer.members?.members ?? []).flatMap { members(for: $0) }
    }

    /// What stands for a recorded member; nothing where it is not for this grant.
    private func members(for recorded: JSONObject.Member) -> [BuiltAnswer.Member] {
        switch recorded.name {
        case "access_token":
            return [mint.accessToken(form.accessToken, grant, lifetime: lifetime).member]
        case "refresh_token":
            if lacksOfflineAccess { return [] }
            if form.keepsRefreshToken, let kept = refreshToken {
                return [.init(recorded.name, text: kept)]
            }
            return [mint.refreshToken(form.refreshToken, lasting)]
        case "id_token":
            if lacks("openid") { return [] }
            let token = mint.idToken(
                form.idToken,
                grant,
                origin: form.origin,
                isFirst: refreshToken == nil,
                hashed: hashed
            )
            return token.map { [$0] } ?? []
        case "scope": return scope(recorded)
        case "token_type": return [.init(recorded.name, text: tokenType(like: recorded.value))]
        case "error", "error_description", "error_uri": return []
        default: return other(recorded)
        }
    }

    /// As the provider writes it, where it is the same; without any there is no member for it (RFC 6749, section 3.3).
    private func scope(_ recorded: JSONObject.Member) -> [BuiltAnswer.Member] {
        if grant.scope == form.origin.grantedScope {
            if case .null = recorded.value { return [] }
            return [.init(recorded.name, .json(recorded.value))]
        }
        return grant.scope.isEmpty ? [] : [.init(recorded.name, text: grant.scope)]
    }

    /// By what the access token is bound to (RFC 9449, section 5); a bearer's as the provider writes it.
    private func tokenType(like recorded: JSONValue) -> String {
        guard grant.boundKey == nil else { return "DPoP" }
        let type = recorded.string ?? "Bearer"
        return type == "DPoP" ? "Bearer" : type
    }

    /// Members of no standard: as they were recorded, with this login's values.
    private func other(_ member: JSONObject.Member) -> [BuiltAnswer.Member] {
        if member.name == "session_state", let text = member.value.string {
            return [
                .init(member.name, text: grant.values[text] ?? ValueTemplate(like: text).make(mint.random))
            ]
        }
        let filled = mint.filler(form.origin, grant).filled(JSONObject([member]))
        return filled.members.map { .init($0.name, .json($0.value)) }
    }
}
