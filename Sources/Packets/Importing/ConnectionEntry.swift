internal import Captures
internal import LibCrypto
internal import Wire

/// What the packets tell of a connection besides its bytes, for the entries of its exchanges.
struct ConnectionEntry {
    /// Of the entries' `connection`; connections in a proxy's tunnel have that of the tunnel, in HTTP/2 with
    /// the number of its stream behind it.
    let id: String
    let startedAt: Timestamp
    /// `ADDRESS:PORT` of the client, by the packets.
    let client: String
    /// The same of whom the client speaks for, where it says so.
    var origin: String?
    /// `HOST:PORT` of the server, by the best name that is known.
    var host: String
    var port: UInt16
    var facts = ConnectionFacts()
    var timings = Timings()

    /// A connection whose packets are in the capture.
    init(_ stream: TCPStreamFacts, id: String) {
        self.init(from: stream.client, to: stream.server, at: stream.startedAt, id: id)
    }

    /// The same, of whatever protocol.
    init(from client: Endpoint, to server: Endpoint, at time: Timestamp, id: String) {
        self.id = id
        startedAt = time
        self.client = client.description
        host = server.addressText
        port = server.port
        facts.id = id
        facts.serverAddress = server.description
    }

    /// A connection in the tunnel of a proxy: nobody sees where the proxy has it end.
    ///
    /// `stream`: which of the connection's it goes through, where it may have several.
    init(in outer: ConnectionEntry, to authority: String, stream: UInt32? = nil, at time: Timestamp) {
        id = stream.map { "\(outer.id).\($0)" } ?? outer.id
        startedAt = time
        client = outer.client
        origin = outer.origin
        let colon = authority.lastIndex(of: ":")
        let port = colon.flatMap { UInt16(authority[authority.index(after: $0)...]) }
        host = port == nil ? authority : colon.map { String(authority[..<$0]) } ?? authority
        self.port = port ?? 443
        facts.id = id
    }

    /// Takes note of what a balancer says of its own client.
    mutating func introduced(_ header: ProxyHeader) {
        if let source = header.source { origin = source.description }
        if let authority = header.authority { host = authority }
    }

    /// Who sent the requests.
    var sender: ClientFacts { ClientFacts(address: origin ?? client) }

    /// Takes note of what TLS came to.
    mutating func agreed(_ agreed: TLSStreamFacts) {
        facts.serverTLSVersion = agreed.version
        facts.cipher = agreed.cipherSuite
        facts.alpn = agreed.alpn
        facts.serverName = agreed.serverName
        if let name = agreed.serverName { host = name }
    }

    /// Takes the name by which its server was asked elsewhere.
    mutating func named(_ name: String?) {
        if let name { host = name }
    }

    /// `HOST`, and the port where it is not the scheme's own.
    func authority(_ scheme: String) -> String {
        port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// A connection that came to nothing.
    func failed(_ reason: String, at now: Timestamp) -> Exchange {
        var exchange = whole(until: now)
        exchange.failure = reason
        return exchange
    }

    /// A connection whose handshake one side gave up.
    func brokenOff(by side: Side, _ alert: TLSAlert, at now: Timestamp) -> Exchange {
        // The words by which failures of these kinds are known.
        let what =
            switch side {
            case .client where alert.rejectsCertificate: "certificate verify failed: the client"
            case .client: "TLS handshake failed: the client"
            case .server: "server TLS handshake failed: the server"
            }
        return failed("\(what) sent the TLS alert \(alert.name)", at: now)
    }

    /// A connection whose bytes cannot be read, at its end.
    func unread(_ tunnel: TunnelFacts, at now: Timestamp) -> Exchange {
        var exchange = whole(until: now)
        exchange.response = RecordedResponse(status: 200, statusText: "Connection established")
        exchange.tunnel = tunnel
        return exchange
    }

    /// In the form that a tunnel has, which is all that is known of it.
    private func whole(until now: Timestamp) -> Exchange {
        Exchange(
            startedAt: startedAt,
            duration: now - startedAt,
            request: RecordedRequest(
                method: "CONNECT",
                url: RecordedURL("https://\(authority("https"))/")
            ),
            timings: timings,
            connection: facts,
            client: sender
        )
    }
}
