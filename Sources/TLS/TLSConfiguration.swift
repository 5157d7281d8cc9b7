package import LibCrypto

/// What one connection asks for besides its context.
package enum TLSConfiguration: Sendable, Hashable {
    /// We open the connection.
    ///
    /// - Parameters:
    ///   - serverName: name or address of the server: verified against its certificate where the context
    /// verifies; sent
    ///     in the ClientHello where it is a name (RFC 6066, section 3).
    ///   - alpn: offered, in order; empty sends no such extension.
    ///   - certificate: shown to a server that asks for one; nil shows none.
    ///   - endpoint: `HOST:PORT`, as dialled: a session of the same server is taken up again where everything here is
    ///     the same; nil takes up none.
    case client(
        serverName: String?,
        alpn: [String],
        certificate: CertifiedKey? = nil,
        endpoint: String? = nil
    )
    /// We accept the connection.
    case server(alpn: ServerProtocols)
}

/// What a server says to the protocols that a client offers (ALPN, RFC 7301).
package struct ServerProtocols: Sendable, Hashable {
    /// Taken when it is offered.
    var accepted: String?
    /// A client that offers others only gets a fatal alert (`no_application_protocol`); else none is agreed.
    var refusesOthers: Bool

    package init(accepted: String?, refusesOthers: Bool = false) {
        self.accepted = accepted
        self.refusesOthers = refusesOthers
    }
}
