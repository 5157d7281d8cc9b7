import Captures
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
        let configuration = try ProviderConfiguration(forDevelopmentAt: base, options)
        let issuer = Issuer(
            identifier: configuration.issuer,
            discovery: configuration.issuer + "/.well-known/openid-configuration",
            clients: configuration.clients,
            users: configuration.users,
            remarks: Self.remarks(on: options)
        )
        self.init(BuiltInProvider(configuration, policy: ProviderPolicy(forDevelopment: options)), issuer)
    }

    private init(_ provider: BuiltInProvider, _ issuer: Issuer) {
        issuers = [issuer]
        hosts = []
        answer = { provider.answer(to: $0, at: $1) }
        again = { PlayedProvider(provider.begunAnew(breaking: $0, probing: $1), issuer) }
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
}
