internal import NIOCore
internal import NIOPosix
internal import TLS

/// Dials providers.
struct UpstreamConnector: Sendable {
    let connectTime: TimeAmount
    /// Where the proxy itself listens; set once it does.
    let own: [OwnAddress]

    /// Opens a connection to `origin` on the loop of the client's connection.
    ///
    /// - Returns: a channel that does not read yet (`autoRead` is off); fails with ``UpstreamFailure``.
    func connect(to origin: Origin, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
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
        UpstreamFailure(reason: "\(origin) is this proxy itself; it does not connect to itself")
    }

    /// A connection that was not made.
    static func dialing(_ origin: Origin, _ error: any Error) -> UpstreamFailure {
        if let error = error as? NIOConnectionError {
            // The last attempt is IPv4 where there is one: the more telling of `localhost`'s two refusals.
            guard let last = error.connectionErrors.last else {
                return UpstreamFailure(reason: "ENOTFOUND: no address found for \(origin.host)")
            }
            return dialing(last.error, address: "\(last.target.ipAddress ?? origin.host):\(origin.port)")
        }
        return dialing(error, address: origin.description)
    }

    private static func dialing(_ error: any Error, address: String) -> UpstreamFailure {
        if case ChannelError.connectTimeout? = error as? ChannelError {
            return UpstreamFailure(reason: "ERR_CONNECTION_TIMED_OUT: no answer from \(address)")
        }
        guard let error = error as? IOError else {
            return UpstreamFailure(reason: "cannot connect to \(address): \(error)")
        }
        switch error.errnoCode {
        case SystemError.refused:
            return UpstreamFailure(reason: "ECONNREFUSED: connection refused by \(address)")
        case SystemError.timedOut:
            return UpstreamFailure(reason: "ERR_CONNECTION_TIMED_OUT: no answer from \(address)")
        case SystemError.reset: return UpstreamFailure(reason: "ECONNRESET: connection reset by \(address)")
        case SystemError.hostUnreachable, SystemError.networkUnreachable:
            return UpstreamFailure(reason: "ERR_INTERNET_DISCONNECTED: no route to \(address)")
        default:
            return UpstreamFailure(
                reason: "cannot connect to \(address): \(SystemError.words(error.errnoCode))"
            )
        }
    }

    /// A handshake with a provider that failed.
    static func handshake(_ origin: Origin, serverName: String, _ failure: HandshakeFailure)
        -> UpstreamFailure
    {
        switch failure {
        case .certificate(let problem):
            let code =
                switch problem.kind {
                case .untrusted: "ERR_CERT_AUTHORITY_INVALID"
                case .outsideValidity: "ERR_CERT_DATE_INVALID"
                case .wrongName: "ERR_CERT_COMMON_NAME_INVALID"
                case .other: "CERTIFICATE_VERIFY_FAILED"
                }
            return UpstreamFailure(
                reason: "\(code): the certificate of \(serverName) is not accepted: \(problem)"
            )
        case .alertReceived(.certificateRequired):
            return UpstreamFailure(
                reason: "ERR_BAD_SSL_CLIENT_AUTH_CERT: \(origin) sent TLS alert certificate_required"
            )
        case .alertReceived(let alert):
            return UpstreamFailure(
                reason:
                    "ERR_SSL_PROTOCOL_ERROR: TLS handshake with \(origin) failed: it sent alert \(alert.name)"
            )
        case .protocolError(let words):
            return UpstreamFailure(
                reason: "ERR_SSL_PROTOCOL_ERROR: TLS handshake with \(origin) failed: \(words)"
            )
        case .closed:
            return UpstreamFailure(
                reason: "ERR_SSL_PROTOCOL_ERROR: \(origin) closed the connection during the TLS handshake"
            )
        case .connectionError(let words):
            return UpstreamFailure(
                reason:
                    "ERR_SSL_PROTOCOL_ERROR: the connection to \(origin) broke during the TLS handshake: \(words)"
            )
        }
    }

    static func handshakeTimeout(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(
            reason: "ERR_CONNECTION_TIMED_OUT: \(origin) did not finish the TLS handshake in time"
        )
    }
}
