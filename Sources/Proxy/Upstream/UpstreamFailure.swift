internal import Captures
internal import NIOCore
internal import NIOPosix
internal import TLS
internal import Wire

/// Why there is no connection to a provider, worded as rules and people recognise it.
struct UpstreamFailure: Error, Equatable {
    /// The words of the entry's `_error`.
    var reason: String
    /// Of the page that the client gets.
    var status = 502
    /// What to do about it.
    var hint: String?
    /// Whether it is the recorder that may open no more files.
    var isShortage = false

    /// `reverse`: the origins that are played, each with the address where it is.
    static func loop(_ origin: Origin, reverse: [ReverseListener] = []) -> UpstreamFailure {
        UpstreamFailure(
            reason: "\(origin) is this recorder itself; it does not connect to itself",
            hint: hint(forLoop: origin, reverse)
        )
    }

    /// What keeps a client that is led to an origin that is played, or the recorder, from asking the recorder for itself.
    private static func hint(forLoop origin: Origin, _ reverse: [ReverseListener]) -> String? {
        guard reverse.contains(where: { $0.origin == origin }) else {
            return reverse.first { $0.own.isNamed(by: origin) }.map {
                "This address plays \($0.played.url): what asks by way of the proxy asks for that itself, or leaves this "
                    + "address out of its proxy (NO_PROXY)"
            }
        }
        guard !HostResolver.isLoopback(origin.host) else {
            return "Play it at another port: --reverse ORIGIN=127.0.0.1:0 picks a free one"
        }
        return
            "The recorder has to find the real \(origin.host): what leads that name to the recorder (a line in /etc/hosts) "
            + "has to be the client's alone, as a container's --add-host is"
    }

    static func notPermitted(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: "\(origin) is not to be connected to")
    }

    /// A client on the network wants to go where it could not go by itself.
    static func notFromNetwork(_ origin: Origin, _ address: String) -> UpstreamFailure {
        UpstreamFailure(
            reason:
                "ERR_BLOCKED_BY_CLIENT: \(origin) is \(address) of the recorder's computer, which clients on the "
                + "network do not reach through it",
            status: 403,
            hint: "Where they shall: authreel record --allow-remote --allow-remote-loopback"
        )
    }

    /// A connection that was not made.
    ///
    /// `address`: the only one that was tried.
    static func dialing(
        _ origin: Origin,
        _ error: any Error,
        at address: SocketAddress? = nil
    ) -> UpstreamFailure {
        if let error = error as? NIOConnectionError {
            // The last attempt is IPv4 where there is one: the more telling of `localhost`'s two refusals.
            guard let last = error.connectionErrors.last else { return notFound(origin) }
            return dialing(origin, last.error, address: text(last.target, of: origin))
        }
        return dialing(origin, error, address: address.map { text($0, of: origin) } ?? origin.description)
    }

    private static func text(_ address: SocketAddress, of origin: Origin) -> String {
        URLAuthority.text(address.ipAddress ?? origin.host, port: origin.port)
    }

    static func notFound(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: TransportReason.notFound(origin.host), hint: HostAlias.hint(for: origin.host))
    }

    private static func dialing(_ origin: Origin, _ error: any Error, address: String) -> UpstreamFailure {
        if case ChannelError.connectTimeout? = error as? ChannelError {
            return UpstreamFailure(
                reason: TransportReason.timedOut(address),
                hint: HostAlias.hint(for: origin.host)
            )
        }
        guard let error = error as? IOError else {
            return UpstreamFailure(reason: "cannot connect to \(address): \(error)")
        }
        return UpstreamFailure(
            reason: TransportReason.dialing(error.errnoCode, address: address),
            // Whoever refuses is there: in a virtual machine the address may be another's.
            hint: SystemError.isUnanswered(error.errnoCode) ? HostAlias.hint(for: origin.host) : nil,
            isShortage: SystemError.isShortage(error.errnoCode)
        )
    }

    /// A handshake with a provider that failed.
    static func handshake(_ origin: Origin, serverName: String, _ failure: HandshakeFailure)
        -> UpstreamFailure
    {
        UpstreamFailure(
            reason: TransportReason.handshake(origin.description, serverName: serverName, failure),
            hint: hint(for: failure)
        )
    }

    /// What lets a provider be recorded whose certificate is not accepted.
    private static func hint(for failure: HandshakeFailure) -> String? {
        guard case .certificate(let problem) = failure else { return nil }
        return switch problem.kind {
        // Another authority helps nothing against a wrong name or an old certificate.
        case .outsideValidity, .wrongName:
            "To record it all the same: authreel record --insecure-upstream accepts any certificate"
        case .untrusted, .other:
            "To trust it: authreel record --upstream-ca FILE (or --insecure-upstream)"
        }
    }

    /// A provider that went before it was asked anything.
    ///
    /// `error`: what broke the connection; nil where it was closed.
    static func unasked(_ origin: Origin, _ error: (any Error)?) -> UpstreamFailure {
        UpstreamFailure(
            reason: error.map { TransportReason.broken($0, by: "server") }
                ?? "\(origin) closed the connection before it was asked anything"
        )
    }

    static func handshakeTimeout(_ origin: Origin) -> UpstreamFailure {
        UpstreamFailure(reason: TransportReason.handshakeTimedOut(origin.description))
    }
}

// MARK: - By way of another proxy

/// The codes are those of Chrome, whose words people look up.
extension UpstreamFailure {
    /// There is no connection to the proxy.
    static func unreachable(_ proxy: UpstreamProxy, _ failure: UpstreamFailure) -> UpstreamFailure {
        UpstreamFailure(
            reason:
                "ERR_PROXY_CONNECTION_FAILED: no connection to the upstream proxy \(proxy): \(failure.reason)",
            isShortage: failure.isShortage
        )
    }

    /// A proxy that went before it was asked anything; `error` as above.
    static func unasked(_ proxy: UpstreamProxy, _ error: (any Error)?) -> UpstreamFailure {
        let reason =
            error.map { TransportReason.broken($0, by: "proxy") }
            ?? "it closed the connection before it was asked anything"
        return unreachable(proxy, UpstreamFailure(reason: reason))
    }

    /// What went wrong behind the answer of a proxy, with its name: a proxy may open a tunnel before it knows of a way, or put
    /// itself into TLS.
    ///
    /// `proxy`: nil where there is none on the way.
    func byWay(of proxy: UpstreamProxy?) -> UpstreamFailure {
        guard let proxy else { return self }
        var failure = self
        failure.reason += UpstreamProxy.way(by: proxy)
        return failure
    }

    /// TLS with the proxy did not come about in time.
    static func handshakeTimeout(_ proxy: UpstreamProxy) -> UpstreamFailure {
        var failure = unreachable(proxy, .handshakeTimeout(proxy.origin))
        failure.hint = withoutTLS
        return failure
    }

    /// What speaks no TLS answers a hello in clear, or waits for the rest of it.
    private static let withoutTLS = "A proxy without TLS is named by http://"

    /// TLS with the proxy failed.
    static func handshake(_ proxy: UpstreamProxy, _ failure: HandshakeFailure) -> UpstreamFailure {
        let isCertificate = if case .certificate = failure { true } else { false }
        let words = TransportReason.handshake(
            proxy.origin.description,
            serverName: proxy.origin.hostInTLS,
            failure
        )
        return UpstreamFailure(
            reason: "\(isCertificate ? "ERR_PROXY_CERTIFICATE_INVALID" : "ERR_PROXY_CONNECTION_FAILED"): "
                + "TLS with the upstream proxy \(proxy): \(words)",
            hint: isCertificate
                ? "Trust the proxy's authority with --upstream-ca FILE."
                : withoutTLS
        )
    }

    /// The proxy does not open the tunnel.
    static func refused(
        _ origin: Origin,
        by proxy: UpstreamProxy,
        _ refusal: ConnectAnswerStateMachine.Refusal
    ) -> UpstreamFailure {
        let line = "\(refusal.status) \(refusal.statusText)"
        guard refusal.status == 407 else {
            return UpstreamFailure(
                reason: "ERR_TUNNEL_CONNECTION_FAILED: the upstream proxy \(proxy) answered "
                    + "\(line.last == " " ? String(line.dropLast()) : line) to CONNECT \(origin)",
                // Tinyproxy's answer to credentials that are wrong; CONNECT is answered by nobody behind it.
                hint: refusal.status == 401 ? credentialsHint(for: proxy) : nil
            )
        }
        return wantsCredentials(proxy, refusal.challenges)
    }

    /// The proxy answered 407.
    static func wantsCredentials(_ proxy: UpstreamProxy, _ challenges: [String]) -> UpstreamFailure {
        let wishes = challenges.isEmpty ? "without saying how" : challenges.joined(separator: ", ")
        let takesBasic = challenges.contains { $0.lowercased().hasPrefix("basic") }
        let hint =
            if challenges.isEmpty || takesBasic {
                credentialsHint(for: proxy)
            } else {
                "authreel knows Basic only; a local proxy such as cntlm or px can do the rest."
            }
        return UpstreamFailure(
            reason: "ERR_PROXY_AUTH_REQUESTED: the upstream proxy \(proxy) answered 407 "
                + (proxy.credentials == nil
                    ? "and wants a user name and password" : "to the user name and password it was given")
                + " (Proxy-Authenticate: \(wishes))",
            hint: hint
        )
    }

    /// What to do where the proxy wants a user name and password, or others.
    static func credentialsHint(for proxy: UpstreamProxy) -> String {
        proxy.credentials == nil
            ? "Give user name and password: --upstream-proxy-auth env:VARIABLE (USER:PASSWORD in VARIABLE)."
            : "It does not accept the user name and password that were given."
    }

    /// The SOCKS proxy does not open the tunnel.
    static func refused(_ origin: Origin, by proxy: UpstreamProxy, code: UInt8) -> UpstreamFailure {
        UpstreamFailure(
            reason: "ERR_SOCKS_CONNECTION_FAILED: the upstream proxy \(proxy) does not connect to \(origin): "
                + "\(SOCKS5.words(ofReply: code) ?? "no reason that is known") (reply \(code))"
        )
    }

    /// The proxy said what makes no sense, or nothing.
    static func dialogue(_ origin: Origin, by proxy: UpstreamProxy, _ reason: String) -> UpstreamFailure {
        let code = proxy.scheme.isSOCKS ? "ERR_SOCKS_CONNECTION_FAILED" : "ERR_TUNNEL_CONNECTION_FAILED"
        return UpstreamFailure(
            reason: "\(code): no way to \(origin) through the upstream proxy \(proxy): \(reason)"
        )
    }
}
