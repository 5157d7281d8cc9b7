import Captures
import Foundation
import NIOCore
import Proxy
import Synchronization

/// A running recorder: the proxy with the file it writes into.
final class Recording: Sendable {
    let writer: CaptureWriter
    private let server: ProxyServer
    private let counter: Counter

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
        notify: @escaping @Sendable (ProxyNotice) -> Void
    ) throws {
        let counter = Counter()
        self.writer = writer
        self.counter = counter
        server = try CommandFailure.wrapping {
            try ProxyServer(
                configuration: configuration,
                authority: authority,
                clock: { SystemClock.now },
                record: { exchanges in
                    try writer.append(exchanges)
                    counter.add(exchanges)
                },
                notify: notify
            )
        }
    }

    /// Begins to listen; returns `HOST:PORT`.
    func start() async throws -> String {
        do {
            let address = try await server.start()
            let host = address.ipAddress ?? "127.0.0.1"
            return (host.contains(":") ? "[\(host)]" : host) + ":\(address.port ?? 0)"
        } catch let error as ProxyError {
            throw CommandFailure(error)
        }
    }

    /// Where others on the network find the set-up page.
    var networkURLs: [String] { server.networkURLs }

    /// Records what is pending and closes.
    func stop() async { await server.shutdown() }

    /// Exchanges written so far, and how many of them had no answer.
    var count: (exchanges: Int, failures: Int) { counter.now }
}
