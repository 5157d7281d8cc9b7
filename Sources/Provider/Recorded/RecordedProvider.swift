package import Captures
import Flows
import JOSE
import LibCrypto
import OAuth
import Synchronization

/// The providers of a recording, played: their paths, documents, clients, users, tokens, pages and words, with keys of
/// their own and everything fresh.
///
/// They behave as providers and not as a tape: what is asked decides, not its number. A pure responder: no socket, no
/// clock, no connection to anybody.
package final class RecordedProvider: Sendable {
    /// One issuer that is played.
    package struct Issuer: Sendable {
        /// As recorded.
        package var recorded: String
        /// As played.
        package var identifier: String
        /// Where its metadata are.
        package var discovery: String
        package var clients: [ProviderConfiguration.Client]
        package var users: [ProviderConfiguration.User]
        /// What could not be taken from the recording, in sentences.
        package var remarks: [String]
    }

    package let issuers: [Issuer]
    /// Prefixes of URLs, from recorded to played; the longest first.
    package let mapping: [(old: String, new: String)]
    private let engines: [Part]
    private let addresses: AddressMap
    private let policy: ProviderPolicy
    private let random: @Sendable (Int) -> [UInt8]
    /// As they are when it begins.
    private let seeds: [ProviderState]
    private let states: Mutex<[ProviderState]>

    /// What is needed to play one issuer.
    private struct Part: Sendable {
        var configuration: ProviderConfiguration
        var dialect: ProviderDialect
    }

    /// Hosts that lie below a folder of their name, since only one can have the root.
    package var furtherHosts: [(recorded: String, played: String)] {
        mapping.filter { RecordedURL($0.old).path.isEmpty && !RecordedURL($0.new).path.isEmpty }
            .map { (recorded: $0.old, played: $0.new) }
    }

    /// Plays one capture.
    ///
    /// `baseURL`: scheme, host and port at which it is reached.
    /// `random`: so many random bytes; a test gives its own.
    /// Throws ``ProviderError`` when the capture holds no provider.
    package convenience init(
        capture: Capture,
        baseURL: String,
        options: RecordedProviderOptions = RecordedProviderOptions(),
        random: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    ) throws {
        try self.init(captures: [capture], baseURL: baseURL, options: options, random: random)
    }

    package init(
        captures: [Capture],
        baseURL: String,
        options: RecordedProviderOptions = RecordedProviderOptions(),
        random: @escaping @Sendable (Int) -> [UInt8] = { SecureRandom.bytes($0) }
    ) throws {
        let recorded = RecordedIssuer.all(in: captures)
        guard !recorded.isEmpty else { throw ProviderError.noProvider }
        addresses = AddressMap(of: recorded, base: baseURL.withoutSlash, issuer: options.issuer)
        mapping = addresses.entries.map { ($0.old, $0.new) }
        var policy = ProviderPolicy(options)
        policy.isAsRecorded = options.isAsRecorded
        self.policy = policy
        self.random = random
        var parts: [Part] = []
        var issuers: [Issuer] = []
        var states: [ProviderState] = []
        var keys = SigningKeys(options.keys)
        for issuer in recorded {
            var builder = ProfileBuilder(
                issuer,
                addresses: addresses,
                options: options,
                played: Set(recorded.map(\.identifier)),
                random: random
            )
            let built = try builder.build(&keys)
            parts.append(Part(configuration: built.configuration, dialect: built.dialect))
            states.append(built.state)
            issuers.append(
                Issuer(
                    recorded: issuer.identifier,
                    identifier: built.configuration.issuerIdentifier,
                    discovery: built.configuration.issuer + "/.well-known/openid-configuration",
                    clients: built.configuration.clients,
                    users: built.configuration.users,
                    remarks: built.remarks
                )
            )
        }
        engines = parts
        self.issuers = issuers
        seeds = states
        self.states = Mutex(states)
    }

    private init(_ other: RecordedProvider, _ policy: ProviderPolicy) {
        issuers = other.issuers
        mapping = other.mapping
        engines = other.engines
        addresses = other.addresses
        random = other.random
        seeds = other.seeds
        self.policy = policy
        let seeds = other.seeds
        states = Mutex(
            other.states.withLock { states in zip(states, seeds).map { $0.begunAnew(from: $1) } }
        )
    }

    /// The same providers with the same keys and registered clients, begun anew with other faults.
    package func begunAnew(breaking faults: [Fault], probing probes: [Fault]) -> RecordedProvider {
        RecordedProvider(self, policy.breaking(faults, probing: probes))
    }

    /// Answers a request that came in at a time.
    package func respond(to request: RecordedRequest, at now: Timestamp) -> RecordedResponse {
        answer(to: request, at: now).response
    }

    /// The same, with what the faults had to do with it.
    package func answer(to request: RecordedRequest, at now: Timestamp) -> ProviderAnswer {
        states.withLock { states in
            let index = issuer(for: request, at: now, states)
            // Taken out while it is worked on: two owners would be two copies.
            var state = ProviderState()
            swap(&state, &states[index])
            var engine = engine(index, consume state, now)
            defer { states[index] = engine.state }
            return engine.respond(to: request)
        }
    }

    private func engine(_ index: Int, _ state: ProviderState, _ now: Timestamp) -> ProviderEngine {
        let context = ProviderContext(
            configuration: engines[index].configuration,
            dialect: engines[index].dialect,
            policy: policy,
            random: random,
            now: now
        )
        return ProviderEngine(context, state)
    }

    /// Who answers: whose endpoint it is, whose login is under way, whose host it is.
    private func issuer(for request: RecordedRequest, at now: Timestamp, _ states: [ProviderState]) -> Int {
        guard engines.count > 1 else { return 0 }
        let all = engines.indices.map { engine($0, states[$0], now) }
        if let index = engines.firstIndex(where: { $0.dialect.serves(request) }) { return index }
        if let index = all.firstIndex(where: { $0.transaction(of: request) != nil }) { return index }
        let target = addresses.recorded(request.url.path).map { RecordedURL($0) }
        let origin = target.flatMap { AddressMap.origin(of: $0) }
        return all.indices.first { index in
            origin.map { engines[index].dialect.origins.contains($0) } ?? false
        } ?? 0
    }
}

/// Why a provider cannot be played.
package enum ProviderError: Error, Equatable, CustomStringConvertible {
    /// No exchange of the capture is one with a provider.
    case noProvider

    package var description: String {
        switch self {
        case .noProvider: "the capture holds no exchange with a provider"
        }
    }
}
