import Captures
import Foundation
import NIOCore
import Proxy
import Synchronization

/// A running recorder: the proxy with the file it writes into.
final class Recording: Sendable {
    let writer: CaptureWriter
    private let server: ProxyServer
    private let configuration: ProxyConfiguration
    private let counter: Counter

    /// Where a recorder listens.
    struct Address: Sendable, CustomStringConvertible {
        /// Without brackets.
        var host: String
        var port: Int

        /// As a client on this machine reaches it.
        var onThisMachine: Address {
            ["0.0.0.0": "127.0.0.1", "::": "::1"][host].map { Address(host: $0, port: port) } ?? self
        }

        var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
    }

    /// Counts what was recorded; shared with the closure that the proxy calls.
    private final class Counter: Sendable {
        private let value = Mutex((exchanges: 0, failures: 0))

        func add(_ exchanges: [Exchange]) {
            value.withLock {
                $0.exchanges += exchanges.count
                $0.failures += exchanges.count { $0.response == nil }
            }
        }

        var now: (exchanges: Int, failures: Int) { value.withLock { $0 } }
    }

    init(
        to writer: CaptureWriter,
        configuration: ProxyConfiguration,
        authority: CertificateAuthority,
        recorded: @escaping @Sendable ([Exchange]) -> Void = { _ in },
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) throws {
        let counter = Counter()
        self.writer = writer
        self.counter = counter
        self.configuration = configuration
        server = try CommandFailure.wrapping {
            try ProxyServer(
                configuration: configuration,
                authority: authority,
                clock: { SystemClock.now },
                record: { exchanges in
                    try writer.append(exchanges)
                    counter.add(exchanges)
                    recorded(exchanges)
                },
                notify: notify
            )
        }
    }

    /// The SHA-256 of the public key in the certificates that clients see.
    var leafKeyDigest: [UInt8] { server.leafKeyDigest }

    /// Begins to listen.
    func start() async throws -> Address {
        do {
            let address = try await server.start()
            return Address(host: address.ipAddress ?? "127.0.0.1", port: address.port ?? 0)
        } catch let error as ProxyError {
            throw CommandFailure(error)
        }
    }

    /// The origins that are played, each with its address.
    var played: [(origin: ReverseOrigin, address: Address)] {
        zip(configuration.reverse, server.reverseAddresses).map { origin, address in
            (origin, Address(host: address.ipAddress ?? origin.listeningHost, port: address.port ?? 0))
        }
    }

    /// Where others on the network find the set-up page.
    var networkURLs: [String] { server.networkURLs }

    /// Records what is pending and closes.
    func stop() async { await server.shutdown() }

    /// Exchanges written so far, and how many of them had no answer.
    var count: (exchanges: Int, failures: Int) { counter.now }
}
