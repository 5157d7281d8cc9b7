import Captures
import JOSE
import JSON
import LibCrypto

/// The built-in provider as whoever develops an application wants it.
extension ProviderConfiguration {
    /// Knows those whom the options name: without users `alice`, without clients nobody, which is for ``ProviderPolicy`` to allow.
    ///
    /// - Parameters:
    ///   - base: what its issuer is called where the options do not say it.
    ///   - options: of which faults, policy and what concerns a recording are not looked at.
    /// - Throws: what libcrypto throws where it makes no keys.
    package init(forDevelopmentAt base: String, _ options: RecordedProviderOptions) throws {
        let named =
            options.users.isEmpty ? [("alice", "wonderland")] : options.users.map { ($0.name, $0.password) }
        var users = named.map { User(forDevelopment: $0, password: $1) }
        for claim in options.claims { claim.give(to: &users) }
        self.init(
            issuer: options.issuer?.withoutSlash ?? base,
            clients: options.clients.map { Client(forDevelopment: $0, options) },
            users: users,
            keys: try SigningKeyEntry.made()
        )
    }
}

extension ProviderConfiguration.SigningKeyEntry {
    /// New keys, of RSA and of an elliptic curve.
    package static func made() throws -> [Self] {
        [
            .init(algorithm: .rs256, key: try PrivateKey.generate(.rsa(bits: 2048))),
            .init(algorithm: .es256, key: try PrivateKey.generate(.elliptic(.p256))),
        ]
    }
}

extension ProviderConfiguration.Client {
    fileprivate init(forDevelopment named: RecordedProviderOptions.Client, _ options: RecordedProviderOptions)
    {
        self.init(
            id: named.id,
            secret: named.secret,
            redirectURIs: options.redirectURIs,
            requiresPKCE: false
        )
        acceptsLocalRedirects = options.redirectURIs.isEmpty
        acceptsOwnOriginsAfterLogout = true
        keys = options.clientKeys[named.id] ?? []
        if named.secret == nil, !keys.isEmpty { authenticationMethods = ["private_key_jwt"] }
    }
}

extension ProviderConfiguration.User {
    fileprivate init(forDevelopment name: String, password: String) {
        self.init(
            name: name,
            password: password,
            subject: name,
            fullName: name.prefix(1).uppercased() + name.dropFirst(),
            email: name.contains("@") ? name : "\(name)@mail.example"
        )
        // What applications show of somebody, and many cannot do without.
        claims["preferred_username"] = .string(name)
    }
}

extension ProviderPolicy {
    /// Without clients everybody on this machine is taken for one.
    package init(forDevelopment options: RecordedProviderOptions) {
        self.init(options)
        acceptsUnknownClients = options.clients.isEmpty
        if options.clients.isEmpty { redirectURIs = options.redirectURIs }
    }

    /// What the options say of any provider, recorded or not.
    init(_ options: RecordedProviderOptions) {
        self.init()
        autoLogin = options.autoLogin
        faults = options.faults
        logout = options.logout
    }
}
