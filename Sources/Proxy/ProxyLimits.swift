/// How long and how large things may get before the proxy gives up on them.
package struct ProxyLimits: Sendable, Hashable {
    /// Request line and fields of what is said to the proxy itself; beyond: 431.
    ///
    /// From 256 KiB on as much of any other head of HTTP/1 is read.
    package var headBytes: Int
    /// From the acceptance of a connection, or the first byte of a further request, to the end of the head;
    /// beyond: 408.
    package var headTime: Duration
    /// For a connection to a provider, and for the first word of a SOCKS proxy on the way.
    package var connectTime: Duration
    /// For a TLS handshake with either side.
    package var handshakeTime: Duration
    /// For the answer of another proxy on the way, which has a connection of its own to make.
    package var proxyTime = Duration.seconds(60)
    /// From the opening of a tunnel to the client's first bytes, where the provider has gone by then.
    package var beginTime = Duration.seconds(1)
    /// How long a side whose other side is gone may take to read what is left and to close.
    package var lingerTime: Duration
    /// How long an answer waits for the rest of a request that it came ahead of, so that the request is whole in the capture.
    package var earlyAnswerTime: Duration
    /// Connections of clients at a time; those beyond are closed at once.
    ///
    /// Of those that have said nothing yet, half as many: the oldest gives way.
    package var connections: Int
    /// What all connections together may hold of messages that are not whole yet; beyond, bodies are cut, heads not read.
    package var heldBytes: Int

    package init(
        headBytes: Int = 65_536,
        headTime: Duration = .seconds(30),
        connectTime: Duration = .seconds(15),
        handshakeTime: Duration = .seconds(20),
        lingerTime: Duration = .seconds(5),
        earlyAnswerTime: Duration = .milliseconds(50),
        connections: Int = 4096,
        heldBytes: Int = 256 << 20
    ) {
        self.headBytes = headBytes
        self.headTime = headTime
        self.connectTime = connectTime
        self.handshakeTime = handshakeTime
        self.lingerTime = lingerTime
        self.earlyAnswerTime = earlyAnswerTime
        self.connections = connections
        self.heldBytes = heldBytes
    }
}
