internal import Captures
internal import Wire

/// What the connections of a capture share while they are read.
final class PacketReading {
    /// Keys of all connections, as far as they are known.
    var keys = TLSKeyLog()
    let sessions = TLSSessions()
    /// Gives lines of the key log that have come; nil where all were there before the packets.
    var lookForKeys: (() -> [UInt8])?
    /// Whether some came that not every connection has been told of.
    var hasNewKeys = false
    /// Files that were given for key logs and are none.
    var otherFiles: [PacketLoss] = []
    let maximumBodyBytes: Int
    /// Bytes of a direction that wait for keys which may still come.
    let heldForKeys: Int
    /// Those of all connections, with what waits for the other side's hello.
    let heldForKeysInAll: Int
    /// How many there are.
    var waitingBytes = 0
    let spoolFolder: String?
    let budget: RecordingBudget
    /// Exchanges that are complete, in the order in which they became so.
    private var finished: [Exchange] = []
    /// What could not be read, with its place.
    private(set) var losses: [PacketLoss] = []
    /// Losses that are not listed one by one any more.
    private(set) var furtherLosses = 0
    var counts = PacketImportReport.Counts()

    /// Addresses and ports of servers that TLS or HTTP was spoken with.
    private var webServers: Set<String> = []

    /// Addresses and ports that connections were seen to be opened to.
    private var servers: Set<String> = []

    private var serverNames = ServerNames()

    /// Tunnels within HTTP/2 that are followed.
    private var streamTunnels = 0
    private static let mostStreamTunnels = 4096

    private static let maximumLosses = 100
    private static let maximumServers = 4096

    init(
        maximumBodyBytes: Int,
        spoolFolder: String?,
        budget: RecordingBudget,
        heldForKeys: Int,
        heldForKeysInAll: Int
    ) {
        self.heldForKeys = heldForKeys
        self.heldForKeysInAll = heldForKeysInAll
        self.maximumBodyBytes = maximumBodyBytes
        self.spoolFolder = spoolFolder
        self.budget = budget
    }

    /// Whether keys have come since.
    @discardableResult
    func findKeys() -> Bool {
        guard let news = lookForKeys?(), !news.isEmpty else { return false }
        news.withUnsafeBytes { keys.add($0) }
        counts.keys = keys.connections
        hasNewKeys = true
        return true
    }

    func finish(_ exchange: Exchange) {
        counts.exchanges += 1
        if let address = exchange.connection.serverAddress, let host = exchange.request.url.host {
            serverNames.note(host, of: address)
        }
        finished.append(exchange)
    }

    /// The exchanges since the last call.
    func takeFinished() -> [Exchange] {
        guard !finished.isEmpty else { return [] }
        defer { finished.removeAll(keepingCapacity: true) }
        return finished
    }

    /// Gives the exchanges of a connection alone.
    ///
    /// `body`: lets that connection go on.
    func finishedWithin(_ body: () -> Void) -> [Exchange] {
        let before = takeFinished()
        body()
        defer { finished = before }
        return finished
    }

    /// Gives exchanges on that have waited.
    func release(_ exchanges: [Exchange]) { finished += exchanges }

    /// Takes note of an end that a connection was opened to; `address` is `ADDRESS:PORT`.
    func noteServer(_ address: String) {
        if servers.count < Self.maximumServers { servers.insert(address) }
    }

    /// Whether a connection was opened to an end.
    func isServer(_ address: String) -> Bool { servers.contains(address) }

    /// Takes note of a server that TLS or HTTP was spoken with; `address` is `ADDRESS:PORT`.
    func noteWebServer(_ address: String?) {
        guard let address, webServers.count < Self.maximumServers else { return }
        webServers.insert(address)
    }

    /// Whether TLS or HTTP was spoken with a server before.
    func isWebServer(_ address: String?) -> Bool { address.map(webServers.contains) ?? false }

    /// The one host that a server was asked for; nil where there was none, or there were several.
    func name(of address: String?) -> String? { address.flatMap { serverNames.name(of: $0) } }

    func note(_ loss: PacketLoss) {
        if losses.count < Self.maximumLosses { losses.append(loss) } else { furtherLosses += 1 }
    }

    /// What of the key logs is none.
    var keyLogLosses: [PacketLoss] {
        guard let first = keys.problems.first else { return otherFiles }
        let more = keys.problemCount - 1
        return otherFiles + [
            PacketLoss(what: "the key log: \(first)" + (more == 0 ? "" : ", and \(more) lines more"))
        ]
    }

    /// A decoder for the messages of a connection.
    func conversation(_ scheme: String, _ entry: ConnectionEntry, followsTunnels: Bool) -> Conversation {
        var configuration = configuration(scheme, entry)
        configuration.followsTunnels = followsTunnels
        return Conversation(configuration)
    }

    /// Counts a tunnel within HTTP/2; false where there are so many that no more are followed.
    func takeStreamTunnel() -> Bool {
        guard streamTunnels < Self.mostStreamTunnels else { return false }
        streamTunnels += 1
        return true
    }

    /// So many tunnels within HTTP/2 are over.
    func giveStreamTunnels(_ count: Int) { streamTunnels -= count }

    /// A decoder for the messages of a QUIC connection.
    func conversation3(_ entry: ConnectionEntry) -> HTTP3Conversation {
        HTTP3Conversation(configuration("https", entry))
    }

    private func configuration(_ scheme: String, _ entry: ConnectionEntry) -> Conversation.Configuration {
        var configuration = Conversation.Configuration(scheme: scheme, authority: entry.authority(scheme))
        // Who asks for this port in clear names it in `Host` (RFC 9110, section 7.2): it was asked for in TLS that was taken off
        // before the capture, as tools that decrypt do it.
        if scheme == "http", entry.port == 443 { configuration.schemeWithoutPort = "https" }
        configuration.maximumBodyBytes = maximumBodyBytes
        configuration.waitsForRequests = true
        configuration.spoolFolder = spoolFolder
        configuration.budget = budget
        configuration.connection = entry.facts
        configuration.client = entry.sender
        configuration.timings = entry.timings
        return configuration
    }
}
