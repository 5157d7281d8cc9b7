internal import Captures
internal import Wire

/// Reads a connection with a SOCKS proxy: what the client says to it, then the connection with whom it wants to reach.
final class SOCKSReader {
    private let reading: PacketReading
    private let entry: ConnectionEntry
    private let depth: Int
    private let startedAt: Timestamp
    private var handshake: SOCKSHandshake
    /// The connection in it, once the proxy has made it.
    private(set) var tunnel: ConnectionReader?
    private var isOver = false
    /// Whom the client asked for, where the proxy's answer is missing: what it says next tells whether it is connected.
    private var presumed: SOCKSHandshake.Target?
    /// What ended first.
    private var end: ConnectionEnd?

    init(
        _ reading: PacketReading,
        _ entry: ConnectionEntry,
        _ handshake: SOCKSHandshake,
        depth: Int,
        at time: Timestamp
    ) {
        self.reading = reading
        self.entry = entry
        self.handshake = handshake
        self.depth = depth
        startedAt = time
    }

    func received(_ bytes: UnsafeRawBufferPointer, from side: Side, at time: Timestamp) {
        if let tunnel { return tunnel.received(bytes, from: side, at: time) }
        guard !isOver else { return }
        if let presumed { return goOn(to: presumed, bytes, side, time) }
        switch handshake.receive(bytes, from: side) {
        case .goesOn: break
        case .connected(let target): connect(to: target, at: time)
        case .refused(let target, let reason):
            isOver = true
            reading.finish(
                (target.map(inner) ?? entry).failed("the SOCKS proxy does not connect: \(reason)", at: time)
            )
        case .other: giveUp()
        }
    }

    private func inner(_ target: SOCKSHandshake.Target) -> ConnectionEntry {
        var inner = ConnectionEntry(in: entry, to: target.authority, at: startedAt)
        inner.facts.serverAddress = target.endpoint?.description
        return inner
    }

    private func connect(to target: SOCKSHandshake.Target, at time: Timestamp) {
        let tunnel = ConnectionReader(reading, inner(target), isWhole: true, depth: depth + 1)
        self.tunnel = tunnel
        let rest = handshake.rest
        if !rest.client.isEmpty {
            rest.client.withUnsafeBytes { tunnel.received($0, from: .client, at: time) }
        }
        if !rest.server.isEmpty {
            rest.server.withUnsafeBytes { tunnel.received($0, from: .server, at: time) }
        }
    }

    /// Who begins TLS, or asks, behind an answer that is missing has been connected.
    private func goOn(
        to target: SOCKSHandshake.Target,
        _ bytes: UnsafeRawBufferPointer,
        _ side: Side,
        _ time: Timestamp
    ) {
        // What is left of the answer.
        guard side == .client else { return }
        switch FirstBytes(bytes) {
        case .tls, .http:
            connect(to: target, at: time)
            tunnel?.received(bytes, from: side, at: time)
        case .more, .other: giveUp()
        }
    }

    private func giveUp() {
        isOver = true
        reading.counts.otherConnections += 1
    }

    func lost(_ count: Int, from side: Side, at time: Timestamp) {
        if let tunnel { return tunnel.lost(count, from: side, at: time) }
        guard !isOver, presumed == nil else { return }
        if side == .server, handshake.awaitsProxy, let target = handshake.target {
            presumed = target
        } else {
            giveUp()
        }
        reading.note(
            PacketLoss(
                what: "connection \(entry.id), \(entry.client) to \(entry.host):\(entry.port): "
                    + "its SOCKS handshake is not whole in the capture"
            )
        )
    }

    func ended(_ side: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        if self.end == nil { self.end = ConnectionEnd(side: side, ending: end, time: time) }
        tunnel?.ended(side, end, at: time)
    }

    /// See ``ConnectionReader/keysAdded(at:)``.
    func keysAdded(at time: Timestamp) { tunnel?.keysAdded(at: time) }

    /// See ``MessageReader/isAnswerWaiting``.
    var isAnswerWaiting: Bool { tunnel?.isAnswerWaiting == true }

    /// See ``MessageReader/timePassed(until:)``.
    func timePassed(until time: Timestamp) { tunnel?.timePassed(until: time) }

    func closed(at time: Timestamp) {
        if let tunnel { return tunnel.closed(at: time) }
        guard !isOver else { return }
        guard presumed == nil, let (entry, reason) = unanswered else { return giveUp() }
        isOver = true
        reading.finish(entry.failed(reason, at: end?.time ?? time))
    }

    /// What became of a client whose proxy has not answered; nil where it is not sure that it was one.
    private var unanswered: (ConnectionEntry, reason: String)? {
        guard handshake.awaitsProxy else { return nil }
        let how = end?.isReset == true ? "reset" : "closed"
        let target = handshake.target
        switch end?.by {
        case .server:
            let silence = "\(how) the connection without an answer"
            guard let target else { return (entry, "the SOCKS proxy \(silence)") }
            return (inner(target), "the SOCKS proxy failed to connect to \(target.authority): it \(silence)")
        case .client:
            return target.map {
                (inner($0), "the client \(how) the connection before the SOCKS proxy answered")
            }
        case nil:
            return target.map { (inner($0), AnswerLoss.captureEnded(before: "the SOCKS proxy answered")) }
        }
    }
}
