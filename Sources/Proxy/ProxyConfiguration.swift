package import LibCrypto
internal import NIOCore
package import TLS

/// What a proxy is told before it starts.
package struct ProxyConfiguration: Sendable {
    /// Name or address to listen on.
    package var host: String
    /// 0 lets the system pick one.
    package var port: Int
    /// Tried one after the other where the port is taken.
    package var furtherPorts: [Int]
    /// The origins that are played at addresses of their own; always opened.
    package var reverse: [ReverseOrigin]
    /// The hosts to open; empty opens all that ``passThroughHosts`` does not name.
    package var onlyHosts: [HostPattern]
    /// The hosts whose bytes are passed on unopened and unrecorded.
    package var passThroughHosts: [HostPattern]
    /// Whether a server may be connected to, by host and port; one that may not is refused as if it were not there.
    package var permits: @Sendable (_ host: String, _ port: Int) -> Bool
    /// Ports on 127.0.0.1 where other servers of this program listen: nobody reaches them through the proxy.
    package var ownPorts: [Int] = []
    /// What a server that asks for a certificate is shown, by its host and port; nil for none.
    package var clientCertificate: @Sendable (_ host: String, _ port: Int) -> CertifiedKey? = { _, _ in nil }
    /// By way of which providers are reached; nil connects to them directly.
    package var upstreamProxy: UpstreamProxy?
    /// What clients have to give before they may use the proxy; nil asks for nothing.
    package var proxyCredentials: BasicCredentials?
    /// Whether a process of this machine may use the proxy without credentials; asked on a thread that may wait.
    package var vouchesFor: (@Sendable (_ processID: Int32) -> Bool)?
    /// Whether a process accepts the recorder's certificates for certain, by the way it was started.
    package var acceptsCertificates: (@Sendable (_ processID: Int32) -> Bool)?
    /// Whether clients on the network may reach what listens on this machine's loopback.
    package var allowsRemoteLoopback = false
    /// Whether a connection comes from another machine, by its two ends.
    var isRemote: @Sendable (_ client: SocketAddress, _ own: SocketAddress) -> Bool = {
        ClientIdentity.isRemote($0, $1)
    }
    /// A client that refuses our certificate for a host is passed through to it from its next connection on.
    package var passesPinningClients: Bool
    /// Trusted besides the system's roots.
    package var upstreamTrust: [Certificate]
    /// Any certificate of a provider is accepted.
    package var insecureUpstream: Bool
    /// How much of a body is kept; the rest streams by.
    package var maximumBodyBytes: Int
    /// Where bodies that are too large for memory are until their entries are written, in files without names; nil keeps
    /// all in memory.
    package var spoolFolder: String?
    /// Where session secrets of both legs go.
    package var keyLog: KeyLog?
    package var limits: ProxyLimits
    /// How many event loops there are.
    ///
    /// One: a second gained nothing and cost latency where it was measured.
    package var threads: Int

    package init(
        host: String = "127.0.0.1",
        port: Int = 8080,
        furtherPorts: [Int] = [],
        reverse: [ReverseOrigin] = [],
        onlyHosts: [HostPattern] = [],
        passThroughHosts: [HostPattern] = [],
        permits: @escaping @Sendable (_ host: String, _ port: Int) -> Bool = { _, _ in true },
        passesPinningClients: Bool = true,
        upstreamTrust: [Certificate] = [],
        insecureUpstream: Bool = false,
        maximumBodyBytes: Int = 4 << 20,
        keyLog: KeyLog? = nil,
        limits: ProxyLimits = ProxyLimits(),
        threads: Int = 1
    ) {
        self.host = host
        self.port = port
        self.furtherPorts = furtherPorts
        self.reverse = reverse
        self.onlyHosts = onlyHosts
        self.passThroughHosts = passThroughHosts
        self.permits = permits
        self.passesPinningClients = passesPinningClients
        self.upstreamTrust = upstreamTrust
        self.insecureUpstream = insecureUpstream
        self.maximumBodyBytes = maximumBodyBytes
        self.keyLog = keyLog
        self.limits = limits
        self.threads = threads
    }

    /// Whether connections to all hosts are opened and recorded.
    var opensAll: Bool { passThroughHosts.isEmpty && onlyHosts.isEmpty }

    /// Whether connections to this host are opened and recorded.
    func opens(_ host: String) -> Bool {
        if passThroughHosts.contains(where: { $0.matches(host) }) { return false }
        return onlyHosts.isEmpty || onlyHosts.contains { $0.matches(host) }
    }
}
