/// What looks at a request, or makes an answer, with what the provider knows at the moment.
extension ProviderEngine {
    /// Whom this provider knows.
    var clients: KnownClients { KnownClients(context, registrations: state.registrations) }

    var hintCheck: IDTokenHintCheck { IDTokenHintCheck(context, sessions: state.sessions) }

    func requestCheck(for client: ProviderConfiguration.Client) -> AuthorizationRequestCheck {
        AuthorizationRequestCheck(
            for: client,
            registration: clients.registration(of: client),
            dialect,
            hints: hintCheck
        )
    }

    func requestObjects(of client: ProviderConfiguration.Client) -> RequestObjectReader {
        RequestObjectReader(for: client, registration: clients.registration(of: client), context)
    }

    func requestedUser(of login: PendingLogin) -> RequestedUser {
        RequestedUser(of: login, context, sessions: state.sessions)
    }

    /// What makes the tokens of a client.
    func mint(for clientID: String) -> TokenMint {
        TokenMint(for: clientID, clients.client(clientID), context)
    }

    func response(to login: PendingLogin) -> AuthorizationResponseBuilder {
        AuthorizationResponseBuilder(
            for: login,
            of: clients.recordedID(login.clientID),
            context,
            mint(for: login.clientID)
        )
    }
}
