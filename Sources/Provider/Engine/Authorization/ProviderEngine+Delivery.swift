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
        response(to: login).answer(error: error, mode: mode)
    }

    /// Issues what was asked for.
    mutating func deliver(_ login: PendingLogin, in session: String) -> BuiltAnswer {
        guard let signedIn = state.sessions[session] else { return deliver(.loginRequired, to: login) }
        let builder = response(to: login)
        let form = builder.form
        let grant = ProviderState.Grant(
            login,
            scope: dialect.granted(login.scope),
            in: signedIn,
            called: session,
            family: context.identifier()
        )
        let types = Set(login.responseType.spaceDelimited)
        var issued: [String: BuiltAnswer.Member] = [:]
        if types.contains("code") {
            let code = ProviderState.Code(grant: grant, issuedAt: now)
            issued["code"] = .init("code", text: context.fresh("code"), memory: .code(code))
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
            let claims = form == nil && types == ["id_token"] ? grant.userInfoClaims : [:]
            issued["id_token"] = mint(for: grant.clientID).idToken(
                form?.idToken,
                grant,
                origin: form?.origin,
                isFirst: true,
                adding: hashes,
                claims: claims
            )
        }
        return builder.answer(with: issued, for: grant)
    }
}
