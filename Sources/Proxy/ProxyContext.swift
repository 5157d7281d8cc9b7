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
    let gate: ResponseGate
    let clock: @Sendable () -> Timestamp
    let notify: @Sendable (ProxyNotice) -> Void
    let connections = OpenConnections()
    let pinning = PinningClients()
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
        gate = ResponseGate(record: record, notify: notify)
        leaves = try LeafCertificates(authority: authority, keyLog: configuration.keyLog)
        upstreamTLS = try TLSContext.client(
            .init(
                furtherRoots: configuration.upstreamTrust,
                verifiesServer: !configuration.insecureUpstream,
                keyLog: configuration.keyLog
            )
        )
        connector = UpstreamConnector(connectTime: TimeAmount(configuration.limits.connectTime), own: own)
    }
}

/// The addresses under which the proxy itself is reached; known once it listens.
final class OwnAddress: Sendable {
    private let address = NIOLockedValueBox<(host: String, SocketAddress)?>(nil)

    func set(_ listening: SocketAddress, host: String) {
        address.withLockedValue { $0 = (host.lowercased(), listening) }
    }

    /// Whether a URL with this host and port is for the proxy: its own address, a name of this machine's
    /// loopback, or the name that stands for it.
    func isNamed(by origin: Origin) -> Bool {
        if origin.host == "authreel.proxy" { return true }
        guard let (host, listening) = address.withLockedValue({ $0 }), origin.port == listening.port else {
            return false
        }
        return origin.host == host || origin.host == listening.ipAddress
            || ["localhost", "127.0.0.1", "::1"].contains(origin.host)
    }

    /// Whether a connection that was just made leads to our own listener.
    func isReached(by channel: any Channel) -> Bool {
        guard let remote = channel.remoteAddress, let (_, listening) = address.withLockedValue({ $0 }),
            remote.port == listening.port
        else { return false }
        if remote.ipAddress == listening.ipAddress { return true }
        // Listening on all addresses: any address of this machine, which is where both ends have the same.
        return ["0.0.0.0", "::"].contains(listening.ipAddress)
            && remote.ipAddress == channel.localAddress?.ipAddress
    }
}

/// The clients' connections that are open.
final class OpenConnections: Sendable {
    private let count = NIOLockedValueBox(0)
    private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLockedValue { $0[id] = channel }
        channel.closeFuture.whenComplete { [channels] _ in
            _ = channels.withLockedValue { $0.removeValue(forKey: id) }
        }
    }

    /// The number of a new connection in this recording.
    func nextID() -> String {
        count.withLockedValue { count in
            count += 1
            return String(count)
        }
    }

    var all: [any Channel] { channels.withLockedValue { Array($0.values) } }
}

/// Tells the handlers of a client's connection to finish: what is pending is recorded as it stands.
struct StopRecording: Sendable {
    /// Counts down when the connection has done so.
    let done: EventLoopPromise<Void>
}
