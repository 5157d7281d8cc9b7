package import Captures
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

/// What the proxy tells whoever started it; nothing of it stops the traffic.
package enum ProxyNotice: Sendable, Hashable {
    /// Entries could not be written. Said once; forwarding goes on.
    case recordingFailed(reason: String)
    /// A client does not accept our certificate; whether it is passed through to the host from its next connection on.
    case clientRejectedCertificate(host: String, client: ClientFacts, alert: String?, passesThrough: Bool)
    /// A client went right behind its TLS handshake without a request: it does not accept our certificate, or had no use for the
    /// connection. Said once of a client and a host.
    case clientLeftBehindHandshake(host: String, client: ClientFacts)
    /// A client was asked for the user name and password of the proxy. Many clients wait to be asked; some cannot answer.
    case askedForPassword(client: ClientFacts)
    /// A request that the proxy cannot act on, and has answered itself; whether there is an entry of it.
    case requestRefused(status: Int, reason: String, client: ClientFacts, isRecorded: Bool)
    /// A host that the authority may not sign for: its TLS is passed on unread.
    case outsideScope(host: String)
    /// A client has seen the proxy's own page by https, so that its https can be recorded.
    case clientIsIntercepted(client: ClientFacts)
    /// There is no connection to a provider; the words are those of the entry, with what to do about it.
    case upstreamFailed(host: String, reason: String, hint: String?)
    /// What was said in a tunnel is not HTTP; it was passed on.
    case notHTTP(host: String)
    /// There are as many connections as are allowed; further ones are closed. Said once.
    case tooManyConnections(limit: Int)
    /// No more files can be opened: clients wait to be accepted, and there are no further connections to providers.
    case outOfDescriptors
    /// A provider's certificate would not have been accepted, had checking not been switched off.
    case toleratedCertificate(host: String, reason: String)
    /// A provider asked for a certificate, and there is none for it.
    case clientCertificateMissing(host: String)
    /// A provider asked for a certificate and was shown this one.
    case clientCertificateShown(host: String, subject: String)
}

/// Hosts as options name them: `login.example`, or `*.example` for everything below it (and itself), in any case and with a final dot
/// or without.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    private let name: String
    private let includesSubdomains: Bool

    package init(_ text: String) {
        description = text
        var name = Substring(text.lowercased())
        var includesSubdomains = false
        if name.utf8.starts(with: "*.".utf8) {
            name = name.dropFirst(2)
            includesSubdomains = true
        } else if name.utf8.first == 0x2e {
            name = name.dropFirst()
            includesSubdomains = true
        }
        self.name = String(name.withoutFinalDot)
        self.includesSubdomains = includesSubdomains
    }

    /// Whether a text can match anything: a name or an address, without scheme, port and path.
    package static func isOne(_ text: String) -> Bool {
        let name =
            text.utf8.starts(with: "*.".utf8)
            ? text.dropFirst(2) : text.dropFirst(text.hasPrefix(".") ? 1 : 0)
        guard !name.utf8.starts(with: ".".utf8) else { return false }
        return Origin.isHostName(String(name))
            || (try? SocketAddress(ipAddress: String(name), port: 0)) != nil
    }

    /// Compares without regard to case and to a final dot.
    package func matches(_ host: String) -> Bool {
        let host = host.lowercased().withoutFinalDot
        if host == name { return true }
        return includesSubdomains && host.utf8.count > name.utf8.count && host.hasSuffix("." + name)
    }
}
