import Captures
import JSON
import OAuth

/// What is done with a token: userinfo (OpenID Connect Core, section 5.3), introspection (RFC 7662), revocation (RFC
/// 7009), resources (RFC 6750).
extension ProviderEngine {
    // MARK: - Userinfo

    mutating func userInfo(_ request: RecordedRequest) -> BuiltAnswer {
        let access: ProviderState.AccessToken
        do throws(Refused) {
            if request.accessTokens.count > 1, !dialect.tolerances.takesSeveralTokens {
                return dialect.refusals.doubledToken
            }
            access = try accessToken(of: request)
        } catch {
            return error.answer
        }
        let grant = access.grant
        // A client's own token is of no user.
        guard let user = grant.user else {
            return dialect.refusals.invalidToken("it is the client's own, of no user")
        }
        if dialect.strictness.keepsUserInfoForOpenID, !grant.scope.spaceDelimited.contains("openid") {
            return dialect.refusals.tokenOutsideOpenID(grant)
        }
        let form = dialect.userInfo(of: user.subject, clients.recordedID(grant.clientID))
        let mint = mint(for: grant.clientID)
        guard let form else {
            var answer = BuiltAnswer.json(JSONObject(), role: .userInfo)
            answer.content = mint.userInfoContent(grant.userInfoClaims)
            return answer
        }
        func filled(_ members: JSONObject, _ origin: RecordedOrigin) -> JSONObject {
            var claims = mint.filler(origin, grant).filled(members)
            for member in user.givenClaims.members { claims[member.name] = member.value }
            return claims
        }
        var answer = BuiltAnswer(like: form.answer, role: .userInfo)
        if let template = form.token {
            let token = mint.unsigned(
                header: template.header,
                claims: filled(template.claims, template.origin),
                envelope: template.envelope
            )
            answer.content = .token(token, mediaType: form.answer.body?.mediaType ?? "application/jwt")
        } else if let members = form.answer.members {
            answer.content = mint.userInfoContent(filled(members, form.origin))
            if case .token = answer.content {
                answer.headers.fields.removeAll { $0.name.lowercased() == "content-type" }
            }
        }
        return answer
    }

    /// The token of a call, valid and bound to who sends it (RFC 6750, section 3.1; RFC 9449, sections 7.1 and 7.2).
    private mutating func accessToken(of request: RecordedRequest) throws(Refused)
        -> ProviderState.AccessToken
    {
        guard let text = request.accessTokens.first else {
            throw Refused(answer: dialect.refusals.missingToken)
        }
        guard let access = state.issued.accessToken(text, at: now) else {
            throw Refused(answer: dialect.refusals.invalidToken(state.whyInvalid(text, at: now)))
        }
        guard let boundKey = access.grant.boundKey else {
            // The scheme says that the token is bound, and this one is to no key (RFC 9449, section 7.1).
            guard request.sendsTokenAsBound, !dialect.tolerances.ignoresProofs else { return access }
            let words = "it is sent as a DPoP token, and is bound to no key"
            throw Refused(answer: dialect.refusals.invalidToken(scheme: "DPoP", words))
        }
        // Whoever got hold of a bound token and sends it as a bearer's is refused, whatever else is there.
        if request.sendsTokenAsBound {
            switch proof(of: request, at: .userInfo, accessToken: text) {
            case .valid(let thumbprint) where thumbprint == boundKey: return access
            case .refused(let answer): throw Refused(answer: answer)
            case .none:
                throw Refused(
                    answer: dialect.refusals.invalidToken(scheme: "DPoP", "the DPoP proof is missing")
                )
            case .valid: break
            }
            let words = "it is bound to another key than that of the DPoP proof"
            throw Refused(answer: dialect.refusals.invalidToken(scheme: "DPoP", words))
        }
        let words = "it is bound to a key, and not sent as a DPoP token with a proof"
        throw Refused(answer: dialect.refusals.invalidToken(scheme: "DPoP", words))
    }

    // MARK: - Introspection and revocation

    mutating func introspect(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        do throws(Refused) {
            _ = try authenticate(form, request, at: .introspection)
        } catch {
            return error.answer
        }
        guard let text = form.first("token") else { return refuse(.parameterMissing, at: .introspection) }
        let lifetime = configuration.tokenLifetime
        guard let found = state.issued.introspected(text, at: now, lifetime: lifetime) else {
            // RFC 7662, section 2.2: nothing more is said of a token that is none.
            return dialect.inactive.map { BuiltAnswer(like: $0, role: .introspection) }
                ?? .json(["active": false], role: .introspection)
        }
        let forms = dialect.introspections
        let recordedID = clients.recordedID(found.grant.clientID)
        guard let form = forms.first(where: { $0.clientID == recordedID }) ?? forms.first,
            let members = form.answer.members
        else { return .json(found.introspection(by: configuration.issuerIdentifier), role: .introspection) }
        var answer = BuiltAnswer(like: form.answer, role: .introspection)
        var filler = mint(for: found.grant.clientID).filler(form.origin, found.grant)
        filler.token = found
        answer.content = .object(filler.filled(members))
        return answer
    }

    /// RFC 7009, sections 2.1 and 2.2: another client's token is refused, and an unknown one is no error.
    mutating func revoke(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        var form = form
        if dialect.tolerances.revokesForAnybody, !form.contains("token") {
            form = QueryItems(items: request.url.queryItems.items + form.items)
        }
        let client: ProviderConfiguration.Client?
        do throws(Refused) {
            client = try revoker(form, request)
        } catch {
            return error.answer
        }
        guard let token = form.first("token") else { return refuse(.parameterMissing, at: .revocation) }
        if let client, let grant = state.issued.grant(of: token), !mayRevoke(grant, client) {
            return refuse(
                .tokenOfAnotherClient,
                at: .revocation,
                "the token is \(grant.clientID)'s, not \(client.id)'s"
            )
        }
        state.issued.revoke(token, at: now)
        return dialect.revocation.map { BuiltAnswer(like: $0, role: .revocation) }
            ?? .json(JSONObject(), role: .revocation)
    }

    /// The client of a revocation; nil where it does not say who it is, and the recorded provider took that.
    private mutating func revoker(_ form: QueryItems, _ request: RecordedRequest) throws(Refused)
        -> ProviderConfiguration.Client?
    {
        if dialect.tolerances.revokesForAnybody, ClientAuthentication(of: request, form).clientID == nil {
            return nil
        }
        return try authenticate(form, request, at: .revocation)
    }

    /// Whether a client may end a grant: its own, or one whose refresh tokens it may use.
    private func mayRevoke(_ grant: ProviderState.Grant, _ client: ProviderConfiguration.Client) -> Bool {
        mayRefresh(grant, client) || dialect.tolerances.revokesTokensOfOthers
    }

    // MARK: - Resources

    /// As recorded where the token is valid.
    mutating func callResource(_ request: RecordedRequest) -> BuiltAnswer? {
        let there = dialect.resources.filter { $0.path == request.url.path }
        guard let resource = there.first(where: { $0.method == request.method }) ?? there.first else {
            return nil
        }
        let access: ProviderState.AccessToken
        do throws(Refused) {
            access = try accessToken(of: request)
        } catch {
            var answer = error.answer
            let isAlwaysRefused = resource.answer.status == 401
            if let refused = resource.refused ?? (isAlwaysRefused ? resource.answer : nil) {
                let headers = answer.headers
                answer = BuiltAnswer(like: refused)
                if !answer.headers.contains("www-authenticate"),
                    let challenge = headers.first("www-authenticate")
                {
                    answer.headers.append("WWW-Authenticate", challenge)
                }
            }
            return answer
        }
        var answer = BuiltAnswer(like: resource.answer)
        if let members = resource.answer.members {
            let mint = mint(for: access.grant.clientID)
            answer.content = .object(mint.filler(resource.origin, access.grant).filled(members))
        }
        return answer
    }
}
