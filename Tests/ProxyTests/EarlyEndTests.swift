#if os(Linux)
import Captures
import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Proxy

/// Providers that accept a connection and end it while it is still being found out who the client is.
struct EarlyEndTests {
    enum Way: Sendable, CaseIterable {
        case reset
        case finish
    }

    /// A provider, and the one connection to it.
    private final class LeavingOrigin: Sendable {
        let port: Int
        private let listener: any Channel
        private let connections: Connections

        private final class Connections: Sendable {
            let accepted = Mutex<(any Channel)?>(nil)
        }

        init() async throws {
            connections = Connections()
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { [connections] channel in
                    connections.accepted.withLock { $0 = channel }
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .bind(host: "127.0.0.1", port: 0).get()
            port = listener.localAddress?.port ?? 0
        }

        /// Waits for the connection, by looking; at most ten seconds.
        private func connection() async throws -> any Channel {
            for _ in 0..<1000 {
                if let channel = connections.accepted.withLock({ $0 }) { return channel }
                try await Task.sleep(for: .milliseconds(10))
            }
            return try #require(connections.accepted.withLock { $0 })
        }

        /// Ends the connection once `isMade` has come back.
        func leave(_ way: Way, once isMade: () async throws -> Void) async throws {
            let channel = try await connection()
            try await isMade()
            if way == .reset {
                // (on, 0 s), as in LoopbackOrigin.
                let abortive = unsafeBitCast((CInt(1), CInt(0)), to: linger.self)
                try await (channel as? any SocketOptionProvider)?.setSoLinger(abortive).get()
                try await channel.close().get()
            } else {
                try await channel.close(mode: .output).get()
            }
        }

        func stop() async throws {
            connections.accepted.withLock { $0 }?.close(promise: nil)
            try await listener.close().get()
        }
    }

    @Test(arguments: ["http", "https"], Way.allCases)
    func clientOfAPlayedProviderIsTold(_ scheme: String, _ way: Way) async throws {
        let origin = try await LeavingOrigin()
        let played = try ReverseOrigin("\(scheme)://idp.localhost:\(origin.port)=127.0.0.1:0")
        let isHeld = Mutex(true)
        let rig = try await ProxyRig(adjust: {
            $0.reverse = [played]
            $0.limits.handshakeTime = .seconds(60)
            $0.proxyCredentials = BasicCredentials("al:pw")
            // Is asked while the process is looked for, on a thread of its own; after a second nobody waits for it any more.
            $0.vouchesFor = { _ in
                while isHeld.withLock({ $0 }) { usleep(10_000) }
                return false
            }
        })
        let client = try await RawClient(port: rig.reversePorts[0])
        try await client.send("GET /keys HTTP/1.1\r\nHost: idp.localhost:\(origin.port)\r\n\r\n")
        try await origin.leave(way) { try await Task.sleep(for: .milliseconds(100)) }
        let isTold = try await client.until { $0.isEnded }
        isHeld.withLock { $0 = false }
        #expect(isTold)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.path == "/keys")
        switch (scheme, way) {
        case ("http", .reset):
            #expect(exchange.failure == "ECONNRESET: connection reset by the server")
            #expect(client.received.hasPrefix("HTTP/1.1 502 "))
        case ("http", .finish):
            // As it goes on with a provider that ends later.
            #expect(exchange.failure == AnswerLoss.serverLeft)
            #expect(client.received.isEmpty)
        default:
            #expect(exchange.failure?.hasSuffix("closed the connection during the TLS handshake") == true)
            #expect(client.received.hasPrefix("HTTP/1.1 502 "))
        }
        try? await client.close()
        await rig.stop()
        try await origin.stop()
    }

    @Test(arguments: Way.allCases, [false, true])
    func clientOfATunnelIsTold(_ way: Way, isPassedThrough: Bool) async throws {
        let origin = try await LeavingOrigin()
        let target = try #require(Origin(authority: "127.0.0.1:\(origin.port)", defaultPort: nil))
        let recorded = Recorded()
        var configuration = ProxyConfiguration(port: 0)
        if isPassedThrough { configuration.passThroughHosts = [HostPattern("127.0.0.1")] }
        let proxy = try ProxyContext(
            configuration: configuration,
            authority: CertificateAuthority.make(now: ProxyRig.now()).0,
            clock: { ProxyRig.now() },
            record: { exchanges in recorded.exchanges.withLock { $0 += exchanges } },
            notify: { _ in }
        )
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let search = loop.makePromise(of: Void.self)
        let listener = try await ServerBootstrap(group: loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let identity = ClientIdentity(connectionID: "1")
                    search.futureResult.assumeIsolated().whenSuccess {
                        identity.find(for: channel, proxy: proxy)
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        TunnelHandler(
                            proxy: proxy,
                            identity: identity,
                            origin: target,
                            startedAt: ProxyRig.now(),
                            rest: []
                        )
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await RawClient(port: listener.localAddress?.port ?? 0)
        // Whatever has happened to a socket is told of in the loop's next round.
        let rounds: () async throws -> Void = {
            for _ in 0..<100 { try await loop.submit {}.get() }
        }
        try await origin.leave(way, once: rounds)
        try await rounds()
        search.succeed()
        #expect(try await client.until { $0.isEnded })
        if isPassedThrough, way == .finish {
            #expect(client.received == "HTTP/1.1 200 Connection established\r\n\r\n")
        } else {
            #expect(client.received.hasPrefix("HTTP/1.1 502 "))
        }
        let failures = recorded.exchanges.withLock { $0.map(\.failure) }
        switch way {
        case _ where isPassedThrough: #expect(failures.allSatisfy { $0 == nil })
        case .reset: #expect(failures == ["ECONNRESET: connection reset by the server"])
        case .finish: #expect(failures == ["\(target) closed the connection before it was asked anything"])
        }
        try? await client.close()
        try await listener.close().get()
        try await origin.stop()
    }

    private final class Recorded: Sendable {
        let exchanges = Mutex<[Exchange]>([])
    }
}
#endif
