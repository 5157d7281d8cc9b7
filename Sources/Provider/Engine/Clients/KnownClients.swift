/// The clients that a provider knows: those that it was told of, those that registered themselves, and anybody where nobody is turned away.
///
/// Asks none of them for a proof: that is ``ClientAuthenticator``'s.
struct KnownClients {
    let configured: [ProviderConfiguration.Client]
    private let registrations: LimitedTable<ClientRegistration>
    private let policy: ProviderPolicy
    /// Whether a registration was recorded: what the provider took of its clients it takes in any way then.
    private let isRegistrationRecorded: Bool

    /// `registrations`: those of clients that registered themselves, by `client_id`.
    init(_ context: ProviderContext, registrations: LimitedTable<ClientRegistration>) {
        configured = context.configuration.clients
        self.registrations = registrations
        policy = context.policy
        isRegistrationRecorded = context.dialect.registration != nil
    }

    /// The client of a name; nil where there is none, or none of that name.
    func client(_ id: String?) -> ProviderConfiguration.Client? {
        guard let id, !id.isEmpty else { return nil }
        let known = configured.first { $0.id == id } ?? registrations[id]?.client
        if let known { return known }
        guard policy.acceptsUnknownClients else { return nil }
        var client = ProviderConfiguration.Client(
            id: id,
            redirectURIs: policy.redirectURIs,
            requiresPKCE: false
        )
        client.acceptsLocalRedirects = true
        client.acceptsAnySecret = true
        return client
    }

    /// The recorded client whose answers and pages are a client's.
    func recordedID(_ clientID: String) -> String {
        registrations[clientID]?.client.standsFor ?? clientID
    }

    /// What a client is held to that registered at this provider; nil of others.
    func registration(of client: ProviderConfiguration.Client) -> ClientRegistration? {
        isRegistrationRecorded ? nil : registrations[client.id]
    }
}
