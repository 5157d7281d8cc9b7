internal import Captures
internal import LibCrypto
internal import Wire

/// Reads one connection: finds out whether it speaks TLS or HTTP, and gives what is readable of it to a ``MessageReader``.
///
/// What is in TLS is deciphered in one extension, what is missing and how it ends is told in another.
final class ConnectionReader {
    enum State {
        case undecided
        case tls
        case clear
        /// With a SOCKS proxy.
        case socks
        /// Neither TLS nor HTTP.
        case other
    }

    let reading: PacketReading
    let depth: Int
    let isWhole: Bool
    var entry: ConnectionEntry
    /// The same with each end for the other, where packets do not tell them apart for sure.
    var turned: ConnectionEntry?
    /// Whether each side is the other one.
    var isTurned = false
    var state = State.undecided
    /// The client's first bytes, until it is known what they are.
    var held: [UInt8] = []
    /// The server's first bytes, where they are too few to tell what they are.
    private var heldOfServer: [UInt8] = []
    var tls: TLSStream
    var messages: MessageReader?
    /// What the client said that waits for what is missing of the server's records.
    var postponed = PostponedRequests()
    var socks: SOCKSReader?
    /// Headers of the PROXY protocol that stood in front.
    private var proxyHeaders = 0
    var helloAt: Timestamp?
    /// What is there of TLS first, as far as it tells whether that is a hello, and of which side it is.
    var firstOfTLS: (bytes: [UInt8], side: Side) = ([], .client)
    /// Whether a server's record in the middle was the first of TLS, and the client may be within one of its own.
    var lacksClientRecord = false
    /// The sides whose ends are in the capture.
    var finished: Set<Side> = []
    /// Whether bytes of the connection are missing.
    var hasGaps = false
    /// See ``MessageReader/mayLackAnswers``.
    var mayLackAnswers = false
    var bytes = DirectionBytes()
    /// What ended first.
    var end: ConnectionEnd?
    /// The ends of what waits for keys.
    var heldEnds: [ConnectionEnd] = []
    /// Bytes that wait for keys, or for what the other side says, as they are counted among those of all connections.
    private(set) var waitingBytes = 0
    /// When it was that something of TLS was told last: time does not go back.
    var toldAt: Timestamp
    /// Whether both sides were seen to be done with TLS's handshake.
    var isSecured = false
    /// Whether the client was seen to take the connection.
    var isEstablished = false
    /// Whether anything was deciphered, or an entry says why not.
    var isTold = false
    /// Whether there was something to decipher that could not be.
    var isUnreadable = false
    /// Why, where that may be told better once it is known what else comes.
    var reasons: [String] = []
    /// Of which sides nothing could be deciphered, and why, before anything was of the other.
    var unreadableSides: [Side: String] = [:]

    /// Starts with no bytes of it.
    ///
    /// - Parameters:
    ///   - reading: what it shares with others.
    ///   - entry: what the packets tell of it.
    ///   - turned: the same with each end for the other, where it is not sure who of them is the server.
    ///   - isWhole: whether the connection's first bytes are there.
    ///   - depth: how many tunnels it is in.
    init(
        _ reading: PacketReading,
        _ entry: ConnectionEntry,
        turned: ConnectionEntry? = nil,
        isWhole: Bool,
        depth: Int = 0
    ) {
        self.reading = reading
        self.entry = entry
        self.turned = turned
        self.isWhole = isWhole
        self.depth = depth
        toldAt = entry.startedAt
        tls = TLSStream(
            holdingForKeys: reading.heldForKeys,
            sessions: reading.sessions,
            peer: entry.facts.serverAddress ?? entry.host,
            mayBeTurned: turned != nil && !reading.isServer(entry.facts.serverAddress ?? "")
        )
    }

    deinit { reading.waitingBytes -= waitingBytes }

    /// Counts anew what waits for keys, or for what the other side says.
    func countWaiting() {
        let count = tls.heldBytes
        reading.waitingBytes += count - waitingBytes
        waitingBytes = count
    }

    /// The client knows that the connection is there.
    func established(at time: Timestamp) {
        isEstablished = true
        entry.timings.connect = time - entry.startedAt
    }

    /// See ``MessageReader/isAnswerWaiting``.
    var isAnswerWaiting: Bool { messages?.isAnswerWaiting == true || socks?.isAnswerWaiting == true }

    /// The connections in tunnels through it.
    var tunnels: [ConnectionReader] {
        (messages?.tunnels ?? []) + (socks?.tunnel.map { [$0] } ?? [])
    }

    /// Whether something was said in it, or in a tunnel in it, that keys may open which are not there.
    var waitsForKeys: Bool {
        state == .tls && tls.waitsForKeys || tunnels.contains { $0.waitsForKeys }
    }

    /// Whether anything of it waits, or of a tunnel in it, for keys or for what the other side says.
    var isWaiting: Bool {
        waitingBytes > 0 || tunnels.contains { $0.isWaiting }
    }

    /// Bytes that wait for keys.
    var heldForKeys: Int {
        tunnels.reduce(tls.heldForKeys) { $0 + $1.heldForKeys }
    }

    /// See ``MessageReader/timePassed(until:)``.
    func timePassed(until time: Timestamp) {
        messages?.timePassed(until: time)
        socks?.timePassed(until: time)
    }

    /// `sender`: one side of what ``init(_:_:turned:isWhole:depth:)`` was told of, as elsewhere; each may turn out to be the other one.
    func received(_ bytes: UnsafeRawBufferPointer, from sender: Side, at time: Timestamp) {
        turnEnds(where: isTurned ? sender.other : sender, says: bytes)
        let side = isTurned ? sender.other : sender
        self.bytes.count(bytes.count, from: side, isCaptured: true)
        if side == .client { decideByServer(time) }
        let isAnswer = side == .server && self.bytes.received == heldOfServer.count + bytes.count
        switch state {
        case .undecided: decide(bytes, side, time)
        case .tls where isAnswer: serverAnswers(bytes, time)
        case .tls where side == .client && lacksClientRecord && !FirstBytes.isRecord(bytes): break
        case .tls:
            if side == .client { lacksClientRecord = false }
            goesOnFirst(bytes, side)
            decipher(bytes, side, time)
        case .clear where isRecordInTheMiddle(bytes): beginTLS(bytes, side, at: time)
        case .clear where isAnswer: serverAnswers(bytes, time)
        case .clear: messages?.received(bytes, from: side, at: time)
        case .socks: socks?.received(bytes, from: side, at: time)
        case .other: break
        }
    }

    private func decide(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        guard side == .client else { return serverSpeaksFirst(bytes, time) }
        var isFirst = held.isEmpty
        held.append(contentsOf: bytes)
        let headers = proxyHeaders
        guard passProxyHeaders() else { return }
        if proxyHeaders > headers { isFirst = false }
        switch held.withUnsafeBytes({ FirstBytes($0) }) {
        case .more: return
        case .tls:
            let hello = held
            held = []
            return hello.withUnsafeBytes { beginTLS($0, .client, at: time) }
        case .http: beginClear(isWhole: true)
        case .other where isWhole:
            guard depth < 4, let handshake = SOCKSHandshake(held) else { return giveUp() }
            state = .socks
            socks = SOCKSReader(reading, entry, handshake, depth: depth, at: time)
        case .other: beginClear(isWhole: false)
        }
        // What came in pieces is seen as one.
        let whole = held
        held = []
        if isFirst { return pass(bytes, side, time) }
        whole.withUnsafeBytes { pass($0, side, time) }
    }

    /// More balancers in front of each other than that are nobody's network.
    private static let mostProxyHeaders = 4

    /// Takes what balancers say of the client off its first bytes; of several the last one is nearest to it.
    ///
    /// - Returns: whether something else begins behind them.
    private func passProxyHeaders() -> Bool {
        while proxyHeaders < Self.mostProxyHeaders {
            switch ProxyHeader.read(held) {
            case .other: return !held.isEmpty
            case .more: return false
            case .broken(let reason):
                note("its header of the PROXY protocol cannot be read: \(reason)")
                giveUp()
                return false
            case .header(let header):
                proxyHeaders += 1
                entry.introduced(header)
                held.removeFirst(header.size)
            }
        }
        return !held.isEmpty
    }

    /// Bytes come in clear from here on; `isWhole`: those of the client from its first on.
    func beginClear(isWhole: Bool) {
        state = .clear
        if isWhole { reading.noteWebServer(entry.facts.serverAddress) }
        let messages = MessageReader(reading, "http", entry, isWhole: isWhole, depth: depth)
        if !self.isWhole { messages.beganBeforeCapture() }
        self.messages = messages
    }

    /// It is neither TLS nor HTTP.
    private func giveUp() {
        state = .other
        held = []
        reading.counts.otherConnections += 1
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        switch state {
        case .socks: socks?.received(bytes, from: side, at: time)
        case .clear, .tls, .undecided, .other: messages?.received(bytes, from: side, at: time)
        }
    }

    /// Only where the beginning is missing may a server of interest speak first.
    private func serverSpeaksFirst(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        guard held.isEmpty else { return }
        heldOfServer.append(contentsOf: bytes)
        if isWhole, heldOfServer.withUnsafeBytes(FirstBytes.areTooFewOfServer) { return }
        decideByServer(time)
    }

    /// The first that the server says to its client, which waits where it takes more to tell what it is.
    private func serverAnswers(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        guard !heldOfServer.isEmpty || isOpenAnswer(bytes) else { return decideByServer(bytes, time) }
        heldOfServer.append(contentsOf: bytes)
        if !heldOfServer.withUnsafeBytes(isOpenAnswer) { decideByServer(time) }
    }

    private func isOpenAnswer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state == .tls
            ? mayAnswerInClear && FirstBytes.isHalfAnswer(bytes)
            : messages?.isAwaitingBeginning == false && FirstBytes.isHalfAlert(bytes)
    }

    /// Goes by what the server said first, be it little; does nothing where it said nothing, or that is known.
    func decideByServer(_ time: Timestamp) {
        guard !heldOfServer.isEmpty else { return }
        let bytes = heldOfServer
        heldOfServer = []
        bytes.withUnsafeBytes { decideByServer($0, time) }
    }

    private func decideByServer(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        if state == .tls {
            answersHello(bytes, time)
        } else if state == .clear {
            answersRequest(bytes, time)
        } else if FirstBytes(bytes) == .tls {
            beginTLS(bytes, .server, at: time)
        } else if FirstBytes.isSettings(bytes) || isWhole && FirstBytes.sender(of: bytes) == .server {
            // Who knows that HTTP/2 is spoken need not wait for the client (RFC 9113, section 3.4), and who is tired of waiting
            // may say so (RFC 9110, section 15.5.9).
            beginClear(isWhole: isWhole)
            messages?.received(bytes, from: .server, at: time)
        } else if isWhole {
            giveUp()
        } else {
            beginClear(isWhole: false)
        }
    }
}
