import Captures
import JOSE
import JSON
import LibCrypto
import Provider

/// The provider that a mock plays: one of captures, or the built-in one.
struct PlayedProvider: Sendable {
    /// One issuer, as it is told of at the start.
    struct Issuer: Sendable {
        /// Nil for the built-in one.
        var recorded: String?
        var identifier: String
        var discovery: String
        var clients: [ProviderConfiguration.Client]
        var users: [ProviderConfiguration.User]
        var remarks: [String]
    }

    let issuers: [Issuer]
    /// Where further hosts of the recording are played: a resource's, say, whose address no metadata name.
    let hosts: [(recorded: String, played: String)]
    let answer: @Sendable (RecordedRequest, Timestamp) -> ProviderAnswer
    private let again: @Sendable ([Fault], [Fault]) -> PlayedProvider

    /// The same with the same keys and registered clients, begun anew with other faults; `probes` are only asked whether
    /// they would have found an occasion.
    func begunAnew(breaking faults: [Fault], probing probes: [Fault]) -> PlayedProvider {
        again(faults, probes)
    }

    /// Plays captures.
    ///
    /// - Throws: ``ProviderError`` when none of them holds a provider.
    init(captures: [Capture], base: String, options: RecordedProviderOptions) throws {
        self.init(try RecordedProvider(captures: captures, baseURL: base, options: options))
    }

    private init(_ provider: RecordedProvider) {
        issuers = provider.issuers.map { issuer in
            Issuer(
                recorded: issuer.recorded,
                identifier: issuer.identifier,
                discovery: issuer.discovery,
                clients: issuer.clients,
                users: issuer.users,
                remarks: issuer.remarks
            )
        }
        hosts = provider.furtherHosts
        answer = { provider.answer(to: $0, at: $1) }
        again = { PlayedProvider(provider.begunAnew(breaking: $0, probing: $1)) }
    }

    /// The built-in provider, for whoever the options name; without clients for everybody on this machine.
    init(builtInAt base: String, options: RecordedProviderOptions) throws {
        let issuer = options.issuer?.withoutSlash ?? base
        let clients = options.clients.map { Self.client($0, options) }
        var policy = ProviderPolicy()
        policy.autoLogin = options.autoLogin
        policy.faults = options.faults
        policy.logout = options.logout
        policy.acceptsUnknownClients = clients.isEmpty
        if clients.isEmpty { policy.redirectURIs = options.redirectURIs }
        let named =
            options.users.isEmpty ? [("alice", "wonderland")] : options.users.map { ($0.name, $0.password) }
        var users = named.map(Self.user)
        for claim in options.claims { claim.give(to: &users) }
        let configuration = ProviderConfiguration(
            issuer: issuer,
            clients: clients,
            users: users,
            keys: [
                .init(algorithm: .rs256, key: try PrivateKey.generate(.rsa(bits: 2048))),
                .init(algorithm: .es256, key: try PrivateKey.generate(.elliptic(.p256))),
            ]
        )
        let issued = Issuer(
            identifier: issuer,
            discovery: issuer + "/.well-known/openid-configuration",
            clients: clients,
            users: configuration.users,
            remarks: Self.remarks(on: options)
        )
        self.init(BuiltInProvider(configuration, policy: policy), issued)
    }

    private init(_ provider: BuiltInProvider, _ issuer: Issuer) {
        issuers = [issuer]
        hosts = []
        answer = { provider.answer(to: $0, at: $1) }
        again = { PlayedProvider(provider.begunAnew(breaking: $0, probing: $1), issuer) }
    }

    private static func client(
        _ named: RecordedProviderOptions.Client,
        _ options: RecordedProviderOptions
    ) -> ProviderConfiguration.Client {
        var client = ProviderConfiguration.Client(
            id: named.id,
            secret: named.secret,
            redirectURIs: options.redirectURIs,
            requiresPKCE: false
        )
        client.acceptsLocalRedirects = options.redirectURIs.isEmpty
        client.acceptsOwnOriginsAfterLogout = true
        client.keys = options.clientKeys[named.id] ?? []
        if named.secret == nil, !client.keys.isEmpty { client.authenticationMethods = ["private_key_jwt"] }
        return client
    }

    /// What is taken because nobody was named.
    private static func remarks(on options: RecordedProviderOptions) -> [String] {
        if options.clients.isEmpty {
            return [
                "any client id is taken, with any secret and any redirect URI on this machine: --client ID:SECRET names yours"
            ]
        }
        guard options.redirectURIs.isEmpty else { return [] }
        return ["any redirect URI on this machine is taken: --redirect-uri URI names yours"]
    }

    private static func user(_ name: String, _ password: String) -> ProviderConfiguration.User {
        var user = ProviderConfiguration.User(
            name: name,
            password: password,
            subject: name,
            fullName: name.prefix(1).uppercased() + name.dropFirst(),
            email: name.contains("@") ? name : "\(name)@mail.example"
        )
        // What applications show of somebody, and many cannot do without.
        user.claims["preferred_username"] = .string(name)
        return user
    }
}
