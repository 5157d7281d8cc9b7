internal import Captures
internal import LibCrypto
internal import NIOCore
internal import TLS
internal import Wire

/// What is known of a tunnel, for its entries: one in which no request was seen, or those of its requests.
struct TunnelEntry {
    let origin: Origin
    let startedAt: Timestamp
    let identity: ClientIdentity
    /// Of the entry's URL.
    var scheme = "https"
    /// Whether there is to be one.
    var isRecorded = true
    var facts = ConnectionFacts()
    var timings = Timings()

    /// Takes note of the connection to the origin.
    mutating func connected(to address: SocketAddress?, in time: Duration) {
        timings.connect = time
        facts.serverAddress = address.flatMap(Self.text(of:))
    }

    /// `ADDRESS:PORT`, with brackets around an IPv6 address.
    static func text(of address: SocketAddress) -> String? {
        address.ipAddress.map { URLAuthority.text($0, port: address.port ?? 0) }
    }

    /// Takes note of what TLS with the origin came to.
    mutating func agreed(_ agreed: HandshakeFacts, in time: Duration) {
        timings.secured(in: time)
        facts.serverTLSVersion = agreed.version
        facts.cipher = agreed.cipher
        facts.alpn = agreed.alpn
        if agreed.wantsClientCertificate {
            facts.clientCertificate = Self.text(ofShown: agreed.shownCertificate)
        }
    }

    /// As in ``ConnectionFacts/clientCertificate``.
    static func text(ofShown certificate: Certificate?) -> String {
        certificate.map { Base64.encodeForURLs(Digest.of($0.der)) } ?? ""
    }

    /// A tunnel that came to nothing.
    func failed(_ reason: String, at now: Timestamp) -> Exchange {
        var exchange = connect(until: now)
        exchange.failure = reason
        return exchange
    }

    /// A tunnel whose bytes were passed on unread, at its end.
    func passed(_ tunnel: TunnelFacts, at now: Timestamp) -> Exchange {
        var exchange = connect(until: now)
        exchange.response = RecordedResponse(status: 200, statusText: "Connection established")
        exchange.tunnel = tunnel
        return exchange
    }

    /// What the decoder of the tunnel's requests is told.
    ///
    /// - Parameters:
    ///   - scheme: of the URLs, `http` or `https`.
    ///   - isAuthorityFixed: whether the URLs name the origin whatever `Host` says.
    ///   - maximumBodyBytes: how much of a body is kept.
    ///   - maximumHeadBytes: of what is said to the recorder (see ``ProxyLimits/headBytes``).
    ///   - budget: what all connections share of memory.
    ///   - spoolFolder: where larger bodies are kept.
    /// - Returns: the decoder.
    func conversation(
        scheme: String,
        isAuthorityFixed: Bool = false,
        maximumBodyBytes: Int,
        maximumHeadBytes: Int,
        budget: RecordingBudget,
        spoolFolder: String?
    ) -> Conversation {
        var configuration = Conversation.Configuration(
            scheme: scheme,
            authority: origin.authority(defaultPort: scheme == "https" ? 443 : 80)
        )
        configuration.isAuthorityFixed = isAuthorityFixed
        configuration.maximumBodyBytes = maximumBodyBytes
        configuration.waitsForRequests = true
        configuration.takeHeads(of: maximumHeadBytes)
        configuration.budget = budget
        configuration.spoolFolder = spoolFolder
        configuration.connection = connection
        configuration.client = identity.facts
        configuration.timings = timings
        return Conversation(configuration)
    }

    private var connection: ConnectionFacts {
        var connection = facts
        connection.id = identity.connectionID
        return connection
    }

    private func connect(until now: Timestamp) -> Exchange {
        Exchange(
            startedAt: startedAt,
            duration: now - startedAt,
            request: RecordedRequest(
                method: "CONNECT",
                url: RecordedURL(
                    "\(scheme)://\(origin.authority(defaultPort: scheme == "https" ? 443 : 80))/"
                )
            ),
            timings: timings,
            connection: connection,
            client: identity.facts
        )
    }
}

extension Conversation.Configuration {
    /// Heads are read as far as they are when they are said to the recorder itself.
    mutating func takeHeads(of bytes: Int) {
        maximumHeadBytes = max(bytes, Self.usualHeadBytes)
        headOption = "--max-head"
    }
}
