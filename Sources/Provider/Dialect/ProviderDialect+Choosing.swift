import JSON
import OAuth

/// Which of the recorded answers goes with a request.
extension ProviderDialect {
    /// The answer to a grant: of this client, else of another one, at this endpoint, else at another one; for what was never recorded
    /// that of a code.
    ///
    /// `earlierUses`: how often the refresh token brought tokens before; what was not recorded so often is answered as
    /// the last time.
    func tokens(for grantType: String, _ clientID: String, at endpoint: String?, earlierUses: Int = 0)
        -> Tokens?
    {
        let same = Self.preferred(tokens.filter { $0.grantType == grantType }) { $0.endpoint == endpoint }
        let form =
            same.first { $0.clientID == clientID } ?? same.first { $0.clientID == nil } ?? same.first
        if let form {
            let own = same.filter { $0.clientID == form.clientID && $0.endpoint == form.endpoint }
            return own.filter { $0.earlierUses <= earlierUses }.max { $0.earlierUses < $1.earlierUses }
                ?? form
        }
        // A refresh or a device's grant brings what a code does.
        let codes = Self.preferred(tokens.filter { $0.grantType == "authorization_code" }) {
            $0.endpoint == endpoint
        }
        return codes.first { $0.clientID == clientID } ?? codes.first ?? tokens.first
    }

    /// Whether a grant that needs no user was seen or is advertised.
    func allows(_ grantType: String) -> Bool {
        tokens.contains { $0.grantType == grantType }
            || metadata.members?["grant_types_supported"]?.array?.contains(.string(grantType)) ?? false
    }

    /// How the same request was answered: of this client and response type, else of another client.
    ///
    /// `clientID`: of the recording.
    func authorization(for login: PendingLogin, _ clientID: String) -> Authorization? {
        let same = authorizations.filter { Self.isSame($0.responseType, login.responseType) }
        let own = same.filter { $0.clientID == clientID }
        let list = Self.preferred(own.isEmpty ? same : own) { $0.endpoint == login.endpoint }
        return list.first { $0.askedMode == login.responseMode } ?? list.first
    }

    /// What userinfo told of a user: to this client, else to another; else what it told of another user.
    ///
    /// `clientID`: of the recording.
    func userInfo(of subject: String, _ clientID: String) -> Claims? {
        let own = userInfo.filter { $0.origin.subject == subject }
        let forms = own.isEmpty ? userInfo : own
        return forms.first { $0.clientID == clientID } ?? forms.first
    }

    /// Whether the provider names itself in every response (RFC 9207, section 3): it says so, or was seen to.
    var namesIssuer: Bool {
        wasSeenToNameItself
            || metadata.members?["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// Response types are sets (RFC 6749, section 3.1.1).
    func supports(responseType: String) -> Bool {
        if authorizations.contains(where: { Self.isSame($0.responseType, responseType) }) { return true }
        guard let supported = metadata.members?["response_types_supported"]?.array else {
            return authorizations.isEmpty ? Self.isSame(responseType, "code") : false
        }
        return supported.compactMap(\.string).contains { Self.isSame($0, responseType) }
    }

    /// By the metadata where they say, by RFC 7636, section 4.2 else; and what was taken.
    func supports(challengeMethod: String) -> Bool {
        if tolerances.challengeMethods.contains(challengeMethod) { return true }
        guard let supported = metadata.members?["code_challenge_methods_supported"]?.array else {
            return ["S256", "plain"].contains(challengeMethod)
        }
        return supported.contains(.string(challengeMethod))
    }

    func supports(responseMode: String) -> Bool {
        if authorizations.contains(where: { $0.askedMode == responseMode || $0.mode.rawValue == responseMode }
        ) {
            return true
        }
        guard let supported = metadata.members?["response_modes_supported"]?.array else {
            // The default of the metadata (RFC 8414, section 2).
            return ["query", "fragment", "form_post"].contains(responseMode)
        }
        return supported.contains(.string(responseMode))
    }

    /// Whether a response of this type was seen in a query, or one that was asked for so and came by another way.
    func takesQuery(_ responseMode: String, for responseType: String) -> Bool {
        authorizations.contains {
            Self.isSame($0.responseType, responseType) && ($0.mode == .query || $0.askedMode == responseMode)
        }
    }

    /// What is granted of what is asked for.
    func granted(_ scope: String) -> String {
        guard !withheldScopes.isEmpty else { return scope }
        return scope.spaceDelimited.filter { !withheldScopes.contains($0) }.joined(separator: " ")
    }

    /// Those first that a condition holds for; else in the order in which they are.
    private static func preferred<Form>(_ forms: [Form], where isPreferred: (Form) -> Bool) -> [Form] {
        forms.filter(isPreferred) + forms.filter { !isPreferred($0) }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        Set(left.spaceDelimited) == Set(right.spaceDelimited)
    }
}
