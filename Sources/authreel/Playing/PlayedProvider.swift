import Captures
import JOSE
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
    let respond: @Sendable (RecordedRequest, Timestamp) -> RecordedResponse

    /// Plays captures.
    ///
    /// - Throws: ``ProviderError`` when none of them holds a provider.
    init(captures: [Capture], base: String, options: RecordedProviderOptions) throws {
        let provider = try RecordedProvider(captures: captures, baseURL: base, options: options)
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
        respond = { provider.respond(to: $0, at: $1) }
    }

    /// The built-in provider, for whoever the options name; without clients for everybody on this machine.
    init(builtInAt base: String, options: RecordedProviderOptions) throws {
        let issuer = options.issuer.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? base
        var remarks: [String] = []
        let clients = options.clients.map { client in
            var known = ProviderConfiguration.Client(
                id: client.id,
                secret: client.secret,
                redirectURIs: options.redirectURIs,
                requiresPKCE: false
            )
            known.acceptsLocalRedirects = options.redirectURIs.isEmpty
            known.keys = options.clientKeys[client.id] ?? []
            if client.secret == nil, !known.keys.isEmpty { known.authenticationMethods = ["private_key_jwt"] }
            return known
        }
        var policy = ProviderPolicy()
        policy.autoLogin = options.autoLogin
        policy.faults = options.faults
        if clients.isEmpty {
            policy.acceptsUnknownClients = true
            policy.redirectURIs = options.redirectURIs
            remarks.append(
                "any client id is taken, with any secret and any redirect URI on this machine: --client ID:SECRET names yours"
            )
        } else if options.redirectURIs.isEmpty {
            remarks.append("any redirect URI on this machine is taken: --redirect-uri URI names yours")
        }
        let named =
            options.users.isEmpty ? [("alice", "wonderland")] : options.users.map { ($0.name, $0.password) }
        let configuration = ProviderConfiguration(
            issuer: issuer,
            clients: clients,
            users: named.map(Self.user),
            keys: [
                .init(id: "rs256", algorithm: .rs256, key: try PrivateKey.generate(.rsa(bits: 2048))),
                .init(id: "es256", algorithm: .es256, key: try PrivateKey.generate(.elliptic(.p256))),
            ]
        )
        let provider = BuiltInProvider(configuration, policy: policy)
        issuers = [
            Issuer(
                identifier: issuer,
                discovery: issuer + "/.well-known/openid-configuration",
                clients: clients,
                users: configuration.users,
                remarks: remarks
            )
        ]
        respond = { provider.respond(to: $0, at: $1) }
    }

    private static func user(_ name: String, _ password: String) -> ProviderConfiguration.User {
        ProviderConfiguration.User(
            name: name,
            password: password,
            subject: name,
            fullName: name.prefix(1).uppercased() + name.dropFirst(),
            email: name.contains("@") ? name : "\(name)@mail.example"
        )
    }
}
