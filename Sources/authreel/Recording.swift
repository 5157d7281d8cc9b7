import Captures
import Foundation
import NIOCore
import Proxy
import Synchronization

/// A running recorder: the proxy with the file it writes into.
final class Recording: Sendable {
    private let capture: SteadyCapture
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

        var description: String { URLAuthority.text(host, port: port) }
    }

    /// Counts what came; shared with the closure that the proxy calls.
    private final class Counter: Sendable {
        private let value = Mutex((exchanges: 0, failures: 0))

        func add(_ exchanges: [Exchange]) {
            value.withLock {
                $0.exchanges += exchanges.count
                $0.failures += exchanges.count { !$0.isAnswered }
            }
        }

        var now: (exchanges: Int, failures: Int) { value.withLock { $0 } }
    }

    private let inspection: CaptureInspection

    /// - Parameters:
    ///   - writer: of the file.
    ///   - configuration: of the proxy.
    ///   - authority: signs what clients are shown.
    ///   - recorded: is handed the exchanges, on the recorder's thread.
    ///   - told: what becomes of the file.
    ///   - notify: what the proxy has to say.
    /// - Throws: ``CommandFailure`` when there can be no such proxy.
    init(
        to writer: CaptureWriter,
        configuration: ProxyConfiguration,
        authority: CertificateAuthority,
        recorded: @escaping @Sendable ([Exchange]) -> Void = { _ in },
        told: @escaping @Sendable (CaptureNews) -> Void = { _ in },
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) throws {
        var configuration = configuration
        // The disk that holds what is recorded anyway.
        configuration.spoolFolder = URL(filePath: writer.path).deletingLastPathComponent().path
        let counter = Counter()
        let capture = SteadyCapture(
            writer,
            version: Authreel.version,
            clock: { SystemClock.now },
            tell: told
        )
        self.capture = capture
        self.counter = counter
        self.configuration = configuration
        inspection = CaptureInspection(of: capture)
        server = try CommandFailure.wrapping {
            try ProxyServer(
                configuration: configuration,
                authority: authority,
                clock: { SystemClock.now },
                record: { exchanges in
                    capture.append(exchanges)
                    counter.add(exchanges)
                    recorded(exchanges)
                },
                notify: notify
            )
        }
    }

    /// The file that is written now: another one than at first when that was taken away.
    var path: String { capture.path }

    /// How far that file has come.
    var position: CaptureWriter.Position { capture.position }

    /// What is not in the file.
    var missing: SteadyCapture.Missing? { capture.missing }

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
    func stop() async {
        await server.shutdown()
        inspection.end()
        capture.inspect(isLast: true)
    }

    /// Exchanges that came so far, and how many of them had no answer.
    var count: (exchanges: Int, failures: Int) { counter.now }
}
