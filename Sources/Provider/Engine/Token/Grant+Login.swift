extension ProviderState.Grant {
    /// What a login is granted.
    ///
    /// `scope`: of what it asks for. `id`: of the session. `family`: what all tokens of the login share.
    init(
        _ login: PendingLogin,
        scope: String,
        in session: ProviderState.Session,
        called id: String,
        family: String
    ) {
        self.init(
            clientID: login.clientID,
            redirectURI: login.parameters.value("redirect_uri"),
            user: session.user,
            scope: scope,
            nonce: login.nonce,
            challenge: login.challenge,
            challengeMethod: login.challengeMethod,
            resource: login.resource,
            resources: login.resources,
            acrValues: login.acrValues,
            maxAge: login.maxAge,
            claims: login.claims,
            signedInAt: session.signedInAt,
            family: family,
            boundKey: login.boundKey,
            session: id,
            values: session.values
        )
    }
}
