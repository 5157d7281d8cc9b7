package import Captures
internal import NIOConcurrencyHelpers
package import NIOCore
internal import NIOPosix
internal import TLS

/// The intercepting proxy.
///
/// ``start()`` listens; ``shutdown()`` closes every connection and records what was pending as it stood.
package final class ProxyServer: Sendable {
    private struct Running {
        var group: MultiThreadedEventLoopGroup
        /// They accept connections.
        var channels: [any Channel]
        var reverse: [SocketAddress]
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

    /// Begins to accept connections, at all addresses or at none.
    ///
    /// - Returns: the proxy's address, with the port that the system picked where none was asked for.
    /// - Throws: ``ProxyError`` when it cannot be.
    @discardableResult
    package func start() async throws -> SocketAddress {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, context.configuration.threads))
        context.threads.start()
        var running = Running(group: group, channels: [], reverse: [])
        do {
            // First those that clients are configured for: the proxy itself may find another port.
            for listener in context.reverse {
                let (channel, address) = try await play(listener, on: group)
                running.channels.append(channel)
                running.reverse.append(address)
            }
            let (channel, address) = try await listen(on: group)
            running.channels.append(channel)
            self.running.withLockedValue { [running] in $0 = running }
            return address
        } catch {
            // With all that listens on it.
            try? await group.shutdownGracefully()
            try? await context.threads.shutdownGracefully()
            throw error
        }
    }

    /// Where the origins of the configuration are played, in its order; empty while nothing is listened on.
    package var reverseAddresses: [SocketAddress] { running.withLockedValue { $0?.reverse ?? [] } }

    private func listen(on group: MultiThreadedEventLoopGroup) async throws -> (any Channel, SocketAddress) {
        let configuration = context.configuration
        let (host, port) = (configuration.host, configuration.port)
        let bootstrap = bootstrap(on: group) { [context] in ConnectHandler(proxy: context) }
        do {
            let channel = try await Self.bind(bootstrap, configuration)
            guard let address = channel.localAddress else { throw ChannelError.unknownLocalAddress }
            context.own.set(address, host: host)
            return (channel, address)
        } catch let error as IOError where error.errnoCode == SystemError.addressInUse {
            throw ProxyError.addressInUse(host: host, port: port)
        } catch {
            throw ProxyError.cannotListen(host: host, port: port, reason: Self.words(error))
        }
    }

    private func play(
        _ listener: ReverseListener,
        on group: MultiThreadedEventLoopGroup
    ) async throws -> (any Channel, SocketAddress) {
        let (host, port) = (listener.played.listeningHost, listener.played.listeningPort)
        let bootstrap = bootstrap(on: group) { [context] in ReverseHandler(proxy: context, listener: listener)
        }
        do {
            let channel = try await bootstrap.bind(host: host, port: port).get()
            guard let address = channel.localAddress else { throw ChannelError.unknownLocalAddress }
            listener.own.set(address, host: host)
            return (channel, address)
        } catch let error as IOError where error.errnoCode == SystemError.addressInUse {
            throw ProxyError.reverseAddressInUse(origin: listener.played.url, host: host, port: port)
        } catch {
            throw ProxyError.cannotListen(host: host, port: port, reason: Self.words(error))
        }
    }

    /// Why an address could not be listened on, in the system's words.
    static func words(_ error: any Error) -> String {
        (error as? IOError).map { SystemError.words($0.errnoCode) } ?? "\(error)"
    }

    /// `handler`: the first of a client's connection.
    private func bootstrap(
        on group: MultiThreadedEventLoopGroup,
        handler: @escaping @Sendable () -> any ChannelHandler
    ) -> ServerBootstrap {
        let context = context
        return ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DescriptorShortageHandler(context.notify))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                switch context.connections.add(channel) {
                case .open: break
                case .closing(let other): other.close(promise: nil)
                case .refused(let isFirst):
                    if isFirst {
                        context.notify(.tooManyConnections(limit: context.configuration.limits.connections))
                    }
                    return channel.close()
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
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
        for channel in running.channels { try? await channel.close().get() }
        for channel in context.connections.all {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            // Nobody may be left in the pipeline to answer.
            channel.closeFuture.whenComplete { _ in promise.succeed() }
            channel.pipeline.fireUserInboundEventTriggered(StopRecording(done: promise))
            try? await promise.futureResult.get()
        }
        context.connector.resolver.shutdown()
        try? await running.group.shutdownGracefully()
        try? await context.threads.shutdownGracefully()
    }
}
