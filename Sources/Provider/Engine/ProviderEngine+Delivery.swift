import Captures
import JOSE
import JSON
import OAuth

/// Authorization responses: what goes back to the redirect URI (RFC 6749, section 4.1.2; OAuth 2.0 Multiple Response
/// Types, section 5; RFC 9207).
extension ProviderEngine {
    /// Tells the client why nothing came of its request.
    func deliver(_ refusal: Refusal, to login: PendingLogin) -> BuiltAnswer {
        deliver(dialect.refusals.parameters(of: refusal), to: login)
    }

    /// An error in the words of the recording.
    ///
    /// `mode`: where it was seen; nil by the rules.
    func deliver(
        _ error: [(String, String)],
        to login: PendingLogin,
        mode: AuthorizationResponse.Mode? = nil
    ) -> BuiltAnswer {
        let form = dialect.authorization(for: login, recordedID(login.clientID))
        var parameters = error.map { BuiltAnswer.Member($0.0, text: $0.1) }
        if let state = login.state { parameters.append(.init("state", text: state)) }
        // RFC 9207, section 2.
        if form?.parameters.contains(where: { $0.name == "iss" }) ?? dialect.namesIssuer {
            parameters.append(.init("iss", text: configuration.issuerIdentifier))
        }
        return response(parameters, login, form, mode)
    }

    /// Issues what was asked for.
    mutating func deliver(_ login: PendingLogin, in session: String) -> BuiltAnswer {
        guard let signedIn = state.sessions[session] else { return deliver(.loginRequired, to: login) }
        let form = dialect.authorization(for: login, recordedID(login.clientID))
        let grant = grant(of: login, signedIn, session)
        let types = Set(login.responseType.spaceDelimited)
        var issued: [String: BuiltAnswer.Member] = [:]
        if types.contains("code") {
            let code = ProviderState.Code(grant: grant, issuedAt: now)
            issued["code"] = .init("code", text: fresh("code"), memory: .code(code))
        }
        if types.contains("token") {
            let access = mint(for: grant.clientID).accessToken(form?.accessToken, grant)
            issued["access_token"] = access.member
            issued["token_type"] = .init("token_type", text: "Bearer")
            issued["expires_in"] = .init("expires_in", text: String(access.lifetime))
        }
        if types.contains("id_token"), grant.scope.spaceDelimited.contains("openid") {
            var hashes: [(claim: String, member: String)] = []
            if types.contains("code") { hashes.append(("c_hash", "code")) }
            if types.contains("token") { hashes.append(("at_hash", "access_token")) }
            // Whoever gets no access token has nowhere else to ask (OpenID Connect Core, section 5.4).
            let claims = form == nil && types == ["id_token"] ? userInfoClaims(of: grant) : [:]
            issued["id_token"] = mint(for: grant.clientID).idToken(
                form?.idToken,
                grant,
                origin: form?.origin,
                isFirst: true,
                adding: hashes,
                claims: claims
            )
        }
        return response(parameters(issued, login, grant, form), login, form)
    }

    private mutating func grant(of login: PendingLogin, _ session: ProviderState.Session, _ id: String)
        -> ProviderState.Grant
    {
        ProviderState.Grant(
            clientID: login.clientID,
            redirectURI: login.parameters.value("redirect_uri"),
            user: session.user,
            scope: dialect.granted(login.scope),
            nonce: login.nonce,
            challenge: login.challenge,
            challengeMethod: login.challengeMethod,
            resource: login.resource,
            resources: login.resources,
            acrValues: login.acrValues,
            maxAge: login.maxAge,
            claims: login.claims,
            signedInAt: session.signedInAt,
            family: identifier(),
            boundKey: login.boundKey,
            session: id,
            values: session.values
        )
    }

    /// In the recorded order, with what else the request makes necessary behind.
    private func parameters(
        _ issued: [String: BuiltAnswer.Member],
        _ login: PendingLogin,
        _ grant: ProviderState.Grant,
        _ form: ProviderDialect.Authorization?
    ) -> [BuiltAnswer.Member] {
        var parameters: [BuiltAnswer.Member] = []
        var rest = issued
        for (name, value) in form?.parameters ?? [] {
            switch name {
            case "state": if let state = login.state { parameters.append(.init(name, text: state)) }
            case "iss": parameters.append(.init(name, text: configuration.issuerIdentifier))
            case "code", "access_token", "id_token":
                if let member = rest.removeValue(forKey: name) { parameters.append(member) }
            // As the provider writes them, where a token comes along at all.
            case "token_type", "expires_in":
                if rest.removeValue(forKey: name) != nil { parameters.append(.init(name, text: value)) }
            case "session_state":
                parameters.append(
                    .init(name, text: grant.values[value] ?? ValueTemplate(like: value).make(random))
                )
            case "scope": parameters.append(.init(name, text: grant.scope))
            case "client_id": parameters.append(.init(name, text: login.clientID))
            case "error", "error_description", "error_uri", "error_subtype": break
            default:
                parameters.append(
                    .init(name, text: grant.values[value] ?? dialect.addresses.rewritten(value))
                )
            }
        }
        for name in ["code", "access_token", "token_type", "expires_in", "id_token"] {
            if let member = rest.removeValue(forKey: name) { parameters.append(member) }
        }
        if let state = login.state, !parameters.contains(where: { $0.name == "state" }) {
            parameters.append(.init("state", text: state))
        }
        // RFC 9207, section 2.
        if form == nil, dialect.namesIssuer {
            parameters.append(.init("iss", text: configuration.issuerIdentifier))
        }
        return parameters
    }

    private func response(
        _ parameters: [BuiltAnswer.Member],
        _ login: PendingLogin,
        _ form: ProviderDialect.Authorization?,
        _ recorded: AuthorizationResponse.Mode? = nil
    ) -> BuiltAnswer {
        let mode = recorded ?? mode(of: login, form)
        var authorization = BuiltAnswer.Authorization(
            parameters: parameters,
            target: login.redirectURI,
            mode: mode
        )
        if login.responseMode?.hasSuffix("jwt") ?? isSignedUnasked(form) {
            authorization.envelope = envelope(form?.envelope, login)
        }
        var answer = BuiltAnswer(
            mode == .formPost ? 200 : 302,
            .authorization(authorization),
            role: .authorization
        )
        if let form, form.mode == mode {
            answer.status = form.answer.status
            answer.headers = form.answer.headers
            if mode == .formPost, let body = form.answer.body {
                var values =
                    form.sealed.map { [(old: $0, name: "response")] }
                    ?? form.parameters.map { (old: $0.value, name: $0.name) }
                if let target = form.origin.redirectURI { values.append((target, "redirect_uri")) }
                let names = Set(form.parameters.map(\.name))
                let isSealedAlike = (form.envelope == nil) == (authorization.envelope == nil)
                // Another set of fields needs a page of its own.
                if isSealedAlike, names == Set(parameters.map(\.name)),
                    form.origin.redirectURI == login.redirectURI
                {
                    authorization.page = (body, values)
                }
            }
            answer.content = .authorization(authorization)
        } else {
            answer.headers.append("Cache-Control", "no-store")
        }
        return answer
    }

    /// As this provider did when it was asked so; else as asked for, else as this provider does, else as the response type wants it.
    private func mode(of login: PendingLogin, _ form: ProviderDialect.Authorization?)
        -> AuthorizationResponse.Mode
    {
        if let form, policy.isAsRecorded || form.askedMode == login.responseMode { return form.mode }
        switch login.responseMode {
        case "query", "query.jwt": return .query
        case "fragment", "fragment.jwt": return .fragment
        case "form_post", "form_post.jwt": return .formPost
        default: break
        }
        if let form, form.askedMode == nil || login.responseMode == "jwt" { return form.mode }
        let types = login.responseType.spaceDelimited
        guard dialect.supports(responseType: login.responseType) else { return .query }
        return types.contains("token") || types.contains("id_token") ? .fragment : .query
    }

    /// Whether who names no mode gets a signed answer: as in the recording, where nobody had asked for one either.
    private func isSignedUnasked(_ form: ProviderDialect.Authorization?) -> Bool {
        guard let form, form.envelope != nil else { return false }
        return form.askedMode == nil || policy.isAsRecorded
    }

    /// JWT Secured Authorization Response Mode, section 2.1.
    private func envelope(_ template: TokenTemplate?, _ login: PendingLogin) -> UnsignedToken? {
        let claims: JSONObject = [
            "iss": .string(configuration.issuerIdentifier),
            "aud": audience(like: template, login),
            "exp": JSONValue(now.seconds + 600),
        ]
        let asked = client(login.clientID)?.authorizationAlgorithm
        let mint = mint(for: login.clientID)
        return mint.unsigned(
            header: template?.header ?? asked.map { mint.standardHeader($0) } ?? mint.standardHeader,
            claims: claims,
            envelope: client(login.clientID)?.envelopes["authorization"]
        )
    }

    /// Alone, in a list, or among others, as recorded (RFC 7519, section 4.1.3); always with the client that asked.
    private func audience(like template: TokenTemplate?, _ login: PendingLogin) -> JSONValue {
        let own = JSONValue.string(login.clientID)
        guard let template, let recorded = template.claims["aud"]?.array else { return own }
        var names: [JSONValue] = []
        for name in recorded.map({ $0.string == template.origin.clientID ? own : $0 })
        where !names.contains(name) {
            names.append(name)
        }
        return .array(names.contains(own) ? names : [own])
    }
}
