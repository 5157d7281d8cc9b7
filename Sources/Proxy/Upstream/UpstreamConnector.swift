internal import NIOCore
internal import NIOPosix
internal import TLS

/// Dials providers.
struct UpstreamConnector: Sendable {
    let connectTime: TimeAmount
    /// Where the proxy itself listens; set once it does.
    let own: [OwnAddress]
    /// Whether a server may be connected to, by host and port.
    var permits: @Sendable (_ host: String, _ port: Int) -> Bool = { _, _ in true }

    /// Opens a connection to `origin` on the loop of the client's connection.
    ///
    /// - Returns: a channel that does not read yet (`autoRead` is off); fails with ``UpstreamFailure``.
    func connect(to origin: Origin, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard permits(origin.host, origin.port) else {
            return loop.makeFailedFuture(UpstreamFailure.notPermitted(origin))
        }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(connectTime)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        let own = own
        // An address needs no resolver, and so no other thread.
        let connected =
            if let address = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
                bootstrap.connect(to: address)
            } else {
                bootstrap.connect(host: Self.resolvable(origin.host), port: origin.port)
            }
        return connected.flatMapThrowing { channel in
            guard !own.contains(where: { $0.isReached(by: channel) }) else {
                channel.close(promise: nil)
                throw UpstreamFailure.loop(origin)
            }
            return channel
        }.flatMapErrorThrowing { error in
            if error is UpstreamFailure { throw error }
            throw UpstreamFailure.dialing(origin, error)
        }
    }
}

extension UpstreamConnector {
    /// The name to ask the system for: names below `localhost` are this machine, whatever its resolver knows of them
    /// (RFC 6761, section 6.3), and so is `localhost.`, by which runtimes that leave out loopback can name it.
    static func resolvable(_ host: String) -> String {
        let name = host.utf8.last == 0x2e ? String(host.dropLast()) : host
        return name.lowercased() == "localhost" || name.lowercased().hasSuffix(".localhost")
            ? "localhost" : host
    }
}

/// Why there is no connection to a provider, worded as rules and people recognise it.
struct UpstreamFailure: Error, Equatable {
    /// The words of the entry's `_error`.
    let reason: String

    static func loop(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: "\(origin) is this recorder itself; it does not connect to itself")
    }

    static func notPermitted(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: "\(origin) is not to be connected to")
    }

    /// A connection that was not made.
    static func dialing(_ origin: Origin, _ error: any Error) -> UpstreamFailure {
        if let error = error as? NIOConnectionError {
            // The last attempt is IPv4 where there is one: the more telling of `localhost`'s two refusals.
            guard let last = error.connectionErrors.last else {
                return UpstreamFailure(reason: TransportReason.notFound(origin.host))
            }
            return dialing(last.error, address: "\(last.target.ipAddress ?? origin.host):\(origin.port)")
        }
        return dialing(error, address: origin.description)
    }

    private static func dialing(_ error: any Error, address: String) -> UpstreamFailure {
        if case ChannelError.connectTimeout? = error as? ChannelError {
            return UpstreamFailure(reason: TransportReason.timedOut(address))
        }
        guard let error = error as? IOError else {
            return UpstreamFailure(reason: "cannot connect to \(address): \(error)")
        }
        return UpstreamFailure(reason: TransportReason.dialing(error.errnoCode, address: address))
    }

    /// A handshake with a provider that failed.
    static func handshake(_ origin: Origin, serverName: String, _ failure: HandshakeFailure)
        -> UpstreamFailure
    {
        UpstreamFailure(
            reason: TransportReason.handshake(origin.description, serverName: serverName, failure)
        )
    }

    static func handshakeTimeout(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: TransportReason.handshakeTimedOut(origin.description))
    }
}
