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

        /// Waits until the other side has left as well, by looking; at most ten seconds.
        func untilLeft() async throws -> Bool {
            let channel = try await connection()
            for _ in 0..<1000 where channel.isActive { try await Task.sleep(for: .milliseconds(10)) }
            return !channel.isActive
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
        let rig = try await SearchingRig { configuration, target in
            if isPassedThrough { configuration.passThroughHosts = [HostPattern(target.host)] }
        } handler: { proxy, identity, target in
            TunnelHandler(
                proxy: proxy,
                identity: identity,
                origin: target,
                startedAt: ProxyRig.now(),
                rest: []
            )
        }
        try await rig.leave(way)
        #expect(try await rig.client.until { $0.isEnded })
        if isPassedThrough, way == .finish {
            #expect(rig.client.received == "HTTP/1.1 200 Connection established\r\n\r\n")
        } else {
            #expect(rig.client.received.hasPrefix("HTTP/1.1 502 "))
        }
        if isPassedThrough {
            #expect(rig.exchanges.allSatisfy { $0.failure == nil })
        } else {
            #expect(rig.exchanges.map(\.failure) == [rig.failure(way)])
        }
        try await rig.stop()
    }

    /// A client that breaks off what it begins when its provider has gone is not why there was nothing.
    @Test func helloBehindTheEndOfItsProviderIsLaidToThat() async throws {
        let origin = try await LeavingOrigin()
        let rig = try await ProxyRig(adjust: { $0.limits.beginTime = .seconds(20) })
        let client = try await RawClient(port: rig.port)
        try await client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        try await origin.leave(.finish) { try await client.until { $0.received.hasSuffix("\r\n\r\n") } }
        #expect(try await origin.untilLeft())
        // The first of a record of 512 bytes.
        try await client.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])
        try await client.close()
        let failure = "localhost:\(origin.port) closed the connection before it was asked anything"
        #expect(try await rig.exchanges(atLeast: 1).map(\.failure) == [failure])
        await rig.stop()
        try await origin.stop()
    }

    /// Nobody waits for what was opened to be used later.
    @Test func tunnelThatSaysNothingBehindTheEndOfItsProviderIsNoEntry() async throws {
        let origin = try await LeavingOrigin()
        let rig = try await ProxyRig(adjust: { $0.limits.beginTime = .milliseconds(200) })
        let client = try await RawClient(port: rig.port)
        try await client.send("CONNECT localhost:\(origin.port) HTTP/1.1\r\n\r\n")
        try await origin.leave(.finish) { try await client.until { $0.received.hasSuffix("\r\n\r\n") } }
        #expect(try await client.until { $0.isEnded })
        await rig.stop()
        #expect(rig.exchanges.isEmpty)
        try await origin.stop()
    }

    @Test(arguments: Way.allCases)
    func clientOfAPlainRequestIsTold(_ way: Way) async throws {
        let rig = try await SearchingRig { proxy, identity, _ in
            AbsoluteFormHandler(proxy: proxy, identity: identity, role: .proxy)
        }
        try await rig.client.send("GET http://\(rig.target)/keys HTTP/1.1\r\nHost: \(rig.target)\r\n\r\n")
        try await rig.leave(way)
        #expect(try await rig.client.until { $0.isEnded })
        #expect(rig.client.received.hasPrefix("HTTP/1.1 502 "))
        #expect(rig.exchanges.map(\.request.url.path) == ["/keys"])
        #expect(rig.exchanges.map(\.failure) == [rig.failure(way)])
        try await rig.stop()
    }

    /// A client's connection whose handler stands there from the beginning, and whose client is looked for once told to.
    private final class SearchingRig: Sendable {
        let target: Origin
        let client: RawClient
        private let origin: LeavingOrigin
        private let recorded = Recorded()
        private let loop: any EventLoop
        private let search: EventLoopPromise<Void>
        private let listener: any Channel

        init(
            adjust: (inout ProxyConfiguration, Origin) -> Void = { _, _ in },
            handler: @escaping @Sendable (ProxyContext, ClientIdentity, Origin) -> any ChannelHandler
        ) async throws {
            origin = try await LeavingOrigin()
            let target = try #require(Origin(authority: "127.0.0.1:\(origin.port)", defaultPort: nil))
            var configuration = ProxyConfiguration(port: 0)
            adjust(&configuration, target)
            let proxy = try ProxyContext(
                configuration: configuration,
                authority: CertificateAuthority.make(now: ProxyRig.now()).0,
                clock: { ProxyRig.now() },
                record: { [recorded] exchanges in recorded.exchanges.withLock { $0 += exchanges } },
                notify: { _ in }
            )
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let search = loop.makePromise(of: Void.self)
            listener = try await ServerBootstrap(group: loop)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let identity = ClientIdentity(connectionID: "1")
                        search.futureResult.assumeIsolated().whenSuccess {
                            identity.find(for: channel, proxy: proxy)
                        }
                        try channel.pipeline.syncOperations.addHandler(handler(proxy, identity, target))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            client = try await RawClient(port: listener.localAddress?.port ?? 0)
            (self.target, self.loop, self.search) = (target, loop, search)
        }

        var exchanges: [Exchange] { recorded.exchanges.withLock { $0 } }

        /// Has the provider leave, and looks for the client when its end was told of.
        func leave(_ way: Way) async throws {
            try await origin.leave(way, once: rounds)
            try await rounds()
            search.succeed()
        }

        /// Whatever has happened to a socket is told of in the loop's next round, once the other end of a busy machine's loopback has it.
        private func rounds() async throws {
            for _ in 0..<100 {
                try await loop.submit {}.get()
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        /// What is recorded of a request whose provider left.
        func failure(_ way: Way) -> String {
            switch way {
            case .reset: "ECONNRESET: connection reset by the server"
            case .finish: "\(target) closed the connection before it was asked anything"
            }
        }

        func stop() async throws {
            try? await client.close()
            try await listener.close().get()
            try await origin.stop()
        }
    }

    private final class Recorded: Sendable {
        let exchanges = Mutex<[Exchange]>([])
    }
}
#endif
