internal import NIOCore
internal import NIOPosix
internal import TLS

/// What is to be dialled, and for whom.
struct UpstreamRequest: Sendable {
    var origin: Origin
    /// Whether it is for a client on the network, to which this machine's loopback is closed.
    var isRestricted = false
    /// Whether plain http is spoken, request by request, which a proxy takes without a tunnel.
    var isPlainHTTP = false
}

/// A connection to a provider.
struct UpstreamConnection: Sendable {
    /// Does not read yet (`autoRead` is off).
    var channel: any Channel
    /// The provider's address, where it is known.
    var address: SocketAddress?
    /// What came of the provider already.
    var early: [UInt8] = []
    /// The proxy that wants requests in absolute form; nil where they go to the provider itself.
    var retargets: UpstreamProxy?
}

/// Dials providers, directly or by way of another proxy.
struct UpstreamConnector: Sendable {
    let limits: ProxyLimits
    let policy: DestinationPolicy
    /// Whether a server may be connected to, by host and port.
    var permits: @Sendable (_ host: String, _ port: Int) -> Bool = { _, _ in true }
    var proxy: UpstreamProxy?
    /// For a proxy that is spoken to in TLS.
    var tls: TLSContext?
    var resolver = HostResolver()

    /// Opens a connection on the loop of the client's connection.
    ///
    /// - Returns: the connection; fails with ``UpstreamFailure``.
    func connect(_ request: UpstreamRequest, on loop: any EventLoop) -> EventLoopFuture<UpstreamConnection> {
        let origin = request.origin
        guard permits(origin.host, origin.port) else {
            return loop.makeFailedFuture(UpstreamFailure.notPermitted(origin))
        }
        guard let proxy = proxy(to: origin) else {
            return dial(origin, isRestricted: request.isRestricted, on: loop).map {
                UpstreamConnection(channel: $0, address: $0.remoteAddress)
            }
        }
        return connect(request, by: proxy, on: loop)
    }

    /// The proxy by way of which an origin is reached; nil where that is without one.
    func proxy(to origin: Origin) -> UpstreamProxy? {
        guard let proxy, !proxy.isPassedBy(origin.host) else { return nil }
        return proxy
    }

    // MARK: Directly

    /// Resolves, judges, connects.
    private func dial(_ origin: Origin, isRestricted: Bool, on loop: any EventLoop) -> EventLoopFuture<
        any Channel
    > {
        addresses(of: origin, isRestricted: isRestricted, on: loop).flatMap { [self] all, permitted in
            let bootstrap = ClientBootstrap(group: loop)
                .connectTimeout(TimeAmount(limits.connectTime))
                .channelOption(.autoRead, value: false)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(BrokenWriteHandler())
                    }
                }
            // With one address there is nothing to choose (RFC 8305).
            let connected =
                if permitted.count == 1, let address = permitted.first {
                    bootstrap.connect(to: address)
                } else {
                    bootstrap.resolver(KnownAddresses(addresses: permitted, loop: loop))
                        .connect(host: origin.host, port: origin.port)
                }
            return connected.flatMapThrowing { [policy] channel in
                guard !policy.isOwn(channel) else {
                    channel.close(promise: nil)
                    throw policy.loop(origin)
                }
                return channel
            }.flatMapErrorThrowing { [policy] error in
                if error is UpstreamFailure { throw error }
                // The address that was left out is the likelier trouble.
                if permitted.count < all.count { throw policy.loop(origin) }
                let only = permitted.count == 1 ? permitted.first : nil
                throw UpstreamFailure.dialing(origin, error, at: only)
            }
        }
    }

    /// All addresses of an origin, and those of them that may be connected to; none of both when there is none.
    private func addresses(of origin: Origin, isRestricted: Bool, on loop: any EventLoop)
        -> EventLoopFuture<(all: [SocketAddress], permitted: [SocketAddress])>
    {
        let time = TimeAmount(limits.connectTime)
        return resolver.resolve(origin.host, port: origin.port, within: time, on: loop)
            .flatMapErrorThrowing { throw UpstreamFailure.dialing(origin, $0) }
            .flatMapThrowing { [policy] all in
                guard !all.isEmpty else { throw UpstreamFailure.notFound(origin) }
                return (all, try policy.permitted(all, of: origin, isRestricted: isRestricted))
            }
    }

    // MARK: By way of a proxy

    private func connect(_ request: UpstreamRequest, by proxy: UpstreamProxy, on loop: any EventLoop)
        -> EventLoopFuture<UpstreamConnection>
    {
        let origin = request.origin
        // What spells an address can be judged here, whoever connects to it.
        if let address = HostResolver.numeric(origin.host, port: origin.port) {
            do throws(UpstreamFailure) {
                _ = try policy.permitted([address], of: origin, isRestricted: request.isRestricted)
            } catch {
                return loop.makeFailedFuture(error)
            }
        }
        guard proxy.scheme == .socks5 else {
            return connect(request, by: proxy, asking: .name(origin.host), on: loop)
        }
        return addresses(of: origin, isRestricted: request.isRestricted, on: loop).flatMap { _, permitted in
            // Most proxies have a way for IPv4, not all of them for IPv6.
            guard let address = permitted.first(where: { $0.protocol == .inet }) ?? permitted.first else {
                return loop.makeFailedFuture(UpstreamFailure.notFound(origin))
            }
            return connect(request, by: proxy, asking: .address(AddressReach.bytes(of: address)), on: loop)
                .map { connection in
                    var connection = connection
                    connection.address = address
                    return connection
                }
        }
    }

    private func connect(
        _ request: UpstreamRequest,
        by proxy: UpstreamProxy,
        asking destination: SOCKSStateMachine.Destination,
        on loop: any EventLoop
    ) -> EventLoopFuture<UpstreamConnection> {
        let origin = request.origin
        return dial(proxy.origin, isRestricted: false, on: loop)
            .flatMapErrorThrowing { error in
                throw UpstreamFailure.unreachable(
                    proxy,
                    error as? UpstreamFailure ?? .dialing(proxy.origin, error)
                )
            }
            .flatMap { channel in
                // A proxy on this machine would take the client to this machine's loopback.
                guard request.isRestricted, Self.isOnThisMachine(channel), proxy.scheme != .socks5 else {
                    return loop.makeSucceededFuture(channel)
                }
                return judgeForNeighbour(origin, on: loop).map { channel }.flatMapErrorThrowing { error in
                    channel.close(promise: nil)
                    throw error
                }
            }
            .flatMap { channel in
                let isRetargeted = request.isPlainHTTP && !proxy.scheme.isSOCKS
                let handler = UpstreamTunnelHandler(
                    proxy: proxy,
                    origin: origin,
                    task: isRetargeted ? .none : Self.task(origin, proxy, destination, limits),
                    limits: limits,
                    promise: channel.eventLoop.makePromise()
                )
                return handler.begin(on: channel, tls: proxy.scheme == .https ? tls : nil).map { early in
                    UpstreamConnection(
                        channel: channel,
                        early: early,
                        retargets: isRetargeted ? proxy : nil
                    )
                }
            }
    }

    private static func task(
        _ origin: Origin,
        _ proxy: UpstreamProxy,
        _ destination: SOCKSStateMachine.Destination,
        _ limits: ProxyLimits
    ) -> UpstreamTunnelHandler.Task {
        guard proxy.scheme.isSOCKS else {
            return .connect(ConnectAnswerStateMachine(maximumHeadBytes: limits.headBytes))
        }
        var destination = destination
        // What spells an address is none to be resolved.
        if case .name(let name) = destination, let address = HostResolver.numeric(name, port: origin.port) {
            destination = .address(AddressReach.bytes(of: address))
        }
        return .socks(
            SOCKSStateMachine(destination: destination, port: origin.port, credentials: proxy.credentials)
        )
    }

    /// Judges a name that a proxy on this machine is about to resolve, by what it leads to here.
    ///
    /// A name that nobody here knows may be known to the proxy.
    private func judgeForNeighbour(_ origin: Origin, on loop: any EventLoop) -> EventLoopFuture<Void> {
        resolver.resolve(origin.host, port: origin.port, within: TimeAmount(limits.connectTime), on: loop)
            .flatMapThrowing { [policy] addresses in
                guard !addresses.isEmpty else { return }
                _ = try policy.permitted(addresses, of: origin, isRestricted: true)
            }
    }

    private static func isOnThisMachine(_ channel: any Channel) -> Bool {
        guard let address = channel.remoteAddress else { return false }
        if AddressReach(address) == .loopback { return true }
        return address.ipAddress.map { MachineAddresses.current().contain(MachineAddresses.canonical($0)) }
            ?? false
    }
}
