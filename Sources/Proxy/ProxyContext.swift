internal import Captures
internal import LibCrypto
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import TLS

/// What all connections of a proxy share.
final class ProxyContext: Sendable {
    let configuration: ProxyConfiguration
    let authority: CertificateAuthority
    let leaves: LeafCertificates
    let upstreamTLS: TLSContext
    let connector: UpstreamConnector
    let own = OwnAddress()
    /// Those that play an origin, in the order of the configuration.
    let reverse: [ReverseListener]
    let gate: ResponseGate
    let clock: @Sendable () -> Timestamp
    let notify: @Sendable (ProxyNotice) -> Void
    let connections: OpenConnections
    let budget: RecordingBudget
    let pinning = PinningClients()
    let spare = SpareConnections()
    /// Looks processes up, which reads many small files.
    let threads = NIOThreadPool(numberOfThreads: 1)

    init(
        configuration: ProxyConfiguration,
        authority: CertificateAuthority,
        clock: @escaping @Sendable () -> Timestamp,
        record: @escaping @Sendable ([Exchange]) throws -> Void,
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) throws {
        self.configuration = configuration
        self.authority = authority
        self.clock = clock
        self.notify = notify
        connections = OpenConnections(limit: configuration.limits.connections)
        budget = RecordingBudget(bytes: configuration.limits.heldBytes)
        gate = ResponseGate(record: record, notify: notify)
        leaves = try LeafCertificates(authority: authority, keyLog: configuration.keyLog)
        upstreamTLS = try TLSContext.client(
            .init(
                furtherRoots: configuration.upstreamTrust,
                verifiesServer: !configuration.insecureUpstream,
                keyLog: configuration.keyLog
            )
        )
        reverse = configuration.reverse.map { ReverseListener($0) }
        connector = UpstreamConnector(
            limits: configuration.limits,
            policy: DestinationPolicy(
                own: [own] + reverse.map(\.own) + configuration.ownPorts.map(OwnAddress.init(loopbackPort:)),
                reverse: reverse
            ),
            permits: configuration.permits,
            proxy: configuration.upstreamProxy,
            tls: upstreamTLS
        )
    }

    /// The answer to a request to the proxy itself that came on this connection.
    func answer(to request: OwnRequest, on channel: any Channel) -> PlainResponse {
        let network = own.onNetwork
        return SetUpPage(
            certificate: authority.certificate,
            scope: authority.scope,
            address: own.origin(of: channel),
            network: network,
            asksForPassword: configuration.proxyCredentials != nil
        ).response(to: request)
    }

    /// What is played at an address that a client asks the proxy for; nil where nothing is, or where the client does not
    /// get to this machine's loopback.
    ///
    /// Whoever asks gets there without the proxy as well. By the listener's own names only: a name of somebody else's that leads
    /// there is refused as ever, see ``DestinationPolicy``.
    func listener(at address: Origin, for identity: ClientIdentity) -> ReverseListener? {
        guard !own.isNamed(by: address), !isRestricted(identity) else { return nil }
        return reverse.first { $0.own.isNamed(by: address) }
    }

    /// A request for an address where an origin is played is one for that origin, as it is where it comes there by itself.
    func request(_ request: ProxyRequest, of identity: ClientIdentity) -> ProxyRequest {
        guard case .absolute(let address) = request.target,
            let listener = listener(at: address, for: identity)
        else { return request }
        return listener.played(request, defaultPort: request.isSecure ? 443 : 80)
    }

    /// Whether a client may have this request carried out.
    func authorizes(_ request: ProxyRequest, of identity: ClientIdentity) -> Bool {
        guard let credentials = configuration.proxyCredentials else { return true }
        return identity.isVouchedFor || request.proxyAuthorization.map(credentials.accept) ?? false
    }
}

/// The addresses under which the proxy itself is reached; known once it listens.
final class OwnAddress: Sendable {
    private struct Listening {
        /// As the configuration names it.
        var host: String
        var address: String
        var port: Int
    }

    private let listening = NIOLockedValueBox<Listening?>(nil)
    private let machine: @Sendable () -> MachineAddresses

    /// `machine`: the addresses of this machine, asked for when they matter.
    init(machine: @escaping @Sendable () -> MachineAddresses = MachineAddresses.current) {
        self.machine = machine
    }

    /// Of a server that listens on 127.0.0.1 beside the proxy.
    convenience init(loopbackPort port: Int) {
        self.init()
        let host = "127.0.0.1"
        if let address = try? SocketAddress(ipAddress: host, port: port) { set(address, host: host) }
    }

    func set(_ address: SocketAddress, host: String) {
        guard let ip = address.ipAddress, let port = address.port else { return }
        listening.withLockedValue {
            $0 = Listening(host: host.lowercased(), address: MachineAddresses.canonical(ip), port: port)
        }
    }

    /// Whether a URL with this host and port is for the proxy: its own address, a name of this machine's
    /// loopback, or the name that stands for it.
    func isNamed(by origin: Origin) -> Bool {
        let host = String(origin.host.withoutFinalDot)
        if host == Self.name { return true }
        guard let own = listening.withLockedValue({ $0 }), origin.port == own.port else { return false }
        if host == own.host || MachineAddresses.canonical(host) == own.address { return true }
        if MachineAddresses.isLoopback(own.address) {
            return ["localhost", "127.0.0.1", "::1"].contains(host)
        }
        // On one address of the network only: what listens on loopback is another program.
        guard MachineAddresses.isWildcard(own.address) else { return false }
        return host == "localhost" || isOfThisMachine(MachineAddresses.canonical(host), own)
    }

    /// Whether a connection that was just made leads to our own listener.
    func isReached(by channel: any Channel) -> Bool {
        isReached(remote: channel.remoteAddress, local: channel.localAddress)
    }

    func isReached(remote: SocketAddress?, local: SocketAddress?) -> Bool {
        guard let own = listening.withLockedValue({ $0 }), let remote, remote.port == own.port,
            let address = remote.ipAddress.map(MachineAddresses.canonical)
        else { return false }
        if address == own.address { return true }
        guard MachineAddresses.isWildcard(own.address) else { return false }
        // Both ends have the same address on most ways to oneself, but not on all: 127.0.0.2, or the second
        // address of an interface, is dialled from the first.
        return address == local?.ipAddress.map(MachineAddresses.canonical) || isOfThisMachine(address, own)
    }

    /// Whether an address is one that we hear at, listening on all of them.
    private func isOfThisMachine(_ address: String, _ own: Listening) -> Bool {
        // A socket on 0.0.0.0 does not hear IPv6; one on :: hears both.
        guard own.address == "::" || MachineAddresses.isIPv4(address) else { return false }
        return MachineAddresses.isLoopback(address) || MachineAddresses.isWildcard(address)
            || machine().contain(address)
    }

    /// Where others on the network reach the proxy, the likeliest first; empty while it is on loopback only.
    var onNetwork: [Origin] {
        guard let own = listening.withLockedValue({ $0 }), !MachineAddresses.isLoopback(own.address) else {
            return []
        }
        let addresses = MachineAddresses.isWildcard(own.address) ? machine().reachable : [own.address]
        return addresses.compactMap { Origin(address: $0, port: own.port) }
    }

    /// Where the client of a connection found the proxy.
    func origin(of channel: any Channel) -> Origin? {
        if let origin = Origin(of: channel.localAddress) { return origin }
        return listening.withLockedValue { $0 }.flatMap { Origin(address: $0.address, port: $0.port) }
    }

    /// The name that stands for the proxy wherever it listens.
    static let name = "authreel.proxy"
}

/// Tells the handlers of a client's connection to finish: what is pending is recorded as it stands.
struct StopRecording: Sendable {
    /// Counts down when the connection has done so.
    let done: EventLoopPromise<Void>
}
