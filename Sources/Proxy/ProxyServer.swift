package import Captures
internal import NIOConcurrencyHelpers
package import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// The intercepting proxy.
///
/// ``start()`` listens; ``shutdown()`` closes every connection and records what was pending as it stood. As a
/// service it does the one, then waits for the graceful end and does the other.
package final class ProxyServer: Service {
    private struct Running {
        var group: MultiThreadedEventLoopGroup
        var channel: any Channel
    }

    private let context: ProxyContext
    private let running = NIOLockedValueBox<Running?>(nil)

    /// Prepares a proxy; loads the system's roots, which takes some 20 ms.
    ///
    /// - Parameters:
    ///   - configuration: what to listen on, open and trust.
    ///   - authority: signs the certificates that clients see.
    ///   - clock: the time now, for the times of exchanges and the validity of certificates.
    ///   - record: returns when the exchanges are in the file; called on an event loop, so nothing else
    /// happens
    ///     meanwhile. With several threads it may be called from several at once.
    ///   - notify: what the user should know; called on any thread.
    /// - Throws: ``ProxyError/tls(reason:)``.
    package init(
        configuration: ProxyConfiguration,
        authority: CertificateAuthority,
        clock: @escaping @Sendable () -> Timestamp,
        record: @escaping @Sendable ([Exchange]) throws -> Void,
        notify: @escaping @Sendable (ProxyNotice) -> Void = { _ in }
    ) throws {
        do {
            context = try ProxyContext(
                configuration: configuration,
                authority: authority,
                clock: clock,
                record: record,
                notify: notify
            )
        } catch {
            throw ProxyError.tls(reason: "\(error)")
        }
    }

    /// The SHA-256 of the public key in every certificate that clients of this run see (`SubjectPublicKeyInfo`, DER).
    package var leafKeyDigest: [UInt8] { context.leaves.keyDigest }

    /// Begins to accept connections.
    ///
    /// - Returns: the address that is listened on, with the port that the system picked where none was asked for.
    /// - Throws: ``ProxyError`` when it cannot be.
    @discardableResult
    package func start() async throws -> SocketAddress {
        let configuration = context.configuration
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threads))
        context.threads.start()
        let context = context
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                context.connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectHandler(proxy: context))
                }
            }
        do {
            let channel = try await Self.bind(bootstrap, configuration)
            guard let address = channel.localAddress else { throw ChannelError.unknownLocalAddress }
            context.own.set(address, host: configuration.host)
            running.withLockedValue { $0 = Running(group: group, channel: channel) }
            return address
        } catch {
            try? await group.shutdownGracefully()
            try? await context.threads.shutdownGracefully()
            if let error = error as? IOError, error.errnoCode == SystemError.addressInUse {
                throw ProxyError.addressInUse(host: configuration.host, port: configuration.port)
            }
            let reason = (error as? IOError).map { SystemError.words($0.errnoCode) } ?? "\(error)"
            throw ProxyError.cannotListen(host: configuration.host, port: configuration.port, reason: reason)
        }
    }

    /// The set-up page's URLs for others on the network, the likeliest first; empty while the proxy listens on
    /// loopback only.
    package var networkURLs: [String] { context.own.onNetwork.map { "http://\($0)/" } }

    private static func bind(_ bootstrap: ServerBootstrap, _ configuration: ProxyConfiguration) async throws
        -> any Channel
    {
        var further = configuration.furtherPorts[...]
        var port = configuration.port
        while true {
            do {
                return try await bootstrap.bind(host: configuration.host, port: port).get()
            } catch let error as IOError where error.errnoCode == SystemError.addressInUse {
                guard let next = further.popFirst() else { throw error }
                port = next
            }
        }
    }

    /// Accepts nothing more, records what is pending, closes; returns when `record` will not be called any
    /// more.
    package func shutdown() async {
        guard
            let running = running.withLockedValue({ running in
                defer { running = nil }
                return running
            })
        else { return }
        try? await running.channel.close().get()
        for channel in context.connections.all {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            // Nobody may be left in the pipeline to answer.
            channel.closeFuture.whenComplete { _ in promise.succeed() }
            channel.pipeline.fireUserInboundEventTriggered(StopRecording(done: promise))
            try? await promise.futureResult.get()
        }
        try? await running.group.shutdownGracefully()
        try? await context.threads.shutdownGracefully()
    }

    package func run() async throws {
        try await start()
        try? await gracefulShutdown()
        await shutdown()
    }
}
