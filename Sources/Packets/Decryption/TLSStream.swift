package import Wire

/// Reads one TLS connection from outside, with the secrets of a key log: SSL is not spoken, only listened to.
///
/// TLS 1.0 to 1.3 (RFC 8446, RFC 5246). Takes the bytes of both directions in the order in which they were sent, cut in any way. Nothing
/// is given that does not authenticate. Where bytes are missing, or a record is broken, the next one is looked for that
/// authenticates with a number that is possible there.
///
/// Has one owner: copies share what they have read.
package struct TLSStream {
    /// Of a direction, held back until the other side has said what is needed to read it.
    static let mostHeldForPeer = 1 << 20

    /// What could be read of hellos and handshake so far.
    package internal(set) var facts = TLSStreamFacts()

    /// Why it cannot be read, where that is not told; nil elsewhere.
    ///
    /// The client has said nothing that keys would open, and may go, or say why not in clear.
    package internal(set) var untoldReason: String?

    /// Whether the client ended within its hello.
    package internal(set) var endsWithinHello = false

    let client = TLSDirection(.client)
    let server = TLSDirection(.server)
    let buffer = PlaintextBuffer()
    /// Bytes of a direction that are held back while keys are missing.
    let mostHeldForKeys: Int
    /// Those of all connections.
    let sessions: TLSSessions
    /// Who is spoken to, for the trials that its connections may take.
    let peer: String
    /// Whether it is not sure which end is the server.
    var mayBeTurned: Bool
    /// The random of the hello under whose keys each side is the other one; nil where that is not so.
    var turnedFor: TLSRandom?
    var handshake = TLSHandshakeState()
    /// What was held back, in the order in which it came.
    var heldOrder: [HeldTurn] = []
    /// Counts what lets bytes be read that are held back.
    var changes = 0
    /// Work that may be spent on records that do not authenticate, in bytes; refilled by what does.
    var trialBudget = Self.mostTrials

    static let mostTrials = 16 << 20

    /// - Parameters:
    ///   - holdingForKeys: so many bytes of each direction are held back where keys are missing, for ``keysAdded(_:into:)``.
    ///     With 0 a missing key is final: all keys are there before the first packet.
    ///   - sessions: those that other connections have begun.
    ///   - peer: the server; where no key opens one connection to it, less is tried for the next.
    ///   - mayBeTurned: whether it is not sure which end is the server: where keys show it to be the other one, the sink is told, and
    ///     each side is taken for the other from then on.
    package init(
        holdingForKeys: Int = 0,
        sessions: TLSSessions = TLSSessions(),
        peer: String = "",
        mayBeTurned: Bool = false
    ) {
        mostHeldForKeys = max(0, holdingForKeys)
        self.sessions = sessions
        self.peer = peer
        self.mayBeTurned = mayBeTurned
    }

    /// Takes the next bytes of a direction.
    ///
    /// - Parameters:
    ///   - bytes: there during the call only.
    ///   - side: who sent them.
    ///   - keys: looked up when they are needed.
    ///   - sink: is told what they say.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer,
        from side: Side,
        keys: TLSKeyLog,
        into sink: inout some TLSStreamSink
    ) {
        let direction = self[side]
        guard !direction.isStopped, !direction.hasEnded, !bytes.isEmpty else { return }
        var count = 0
        if direction.waits == nil {
            count = readRecords(bytes, direction, keys, &sink)
            guard direction.waits != nil else { return settle(keys, &sink) }
        }
        direction.hold(bytes[count...])
        noteHeld(side, bytes.count - count, at: sink.time)
        checkHeld(direction, &sink)
        if mayBeTurned, turnedFor != nil { turn(keys, &sink) }
        settle(keys, &sink)
    }

    /// So many bytes of a direction are missing; what comes next stands behind them.
    package mutating func lost(_ count: Int, from side: Side, into sink: inout some TLSStreamSink) {
        let direction = self[side]
        guard !direction.isStopped, !direction.hasEnded, count > 0 else { return }
        lose(count, direction, &sink)
    }

    /// A side sends no more.
    ///
    /// What is held back for keys can still be read.
    package mutating func ended(_ side: Side, keys: TLSKeyLog, into sink: inout some TLSStreamSink) {
        let direction = self[side]
        guard !direction.isStopped, !direction.hasEnded else { return }
        direction.hasEnded = true
        finish(direction, keys, &sink)
        settle(keys, &sink)
    }

    /// Keys came after the bytes they open: what was held back is tried again.
    package mutating func keysAdded(_ keys: TLSKeyLog, into sink: inout some TLSStreamSink) {
        for direction in [server, client] {
            if direction.search != nil { direction.search?.candidates = nil }
        }
        let waiting = [client, server].filter { $0.waits == .keys }
        guard waiting.isEmpty || waiting.contains(where: { mayOpen($0, keys) }) else { return }
        if client.waits != nil, server.waits != nil {
            replayHeld(keys, &sink)
        } else {
            for direction in [server, client] where direction.waits != nil { release(direction, keys, &sink) }
        }
        settle(keys, &sink)
    }

    /// Whether no key would help: what was agreed on is not supported.
    package var isBeyondKeys: Bool { handshake.obstacle != nil }

    /// Whether there is any secret of it, be it not the one that is needed.
    func hasSecrets(in keys: TLSKeyLog) -> Bool { handshake.clientRandom.map(keys.hasSecrets(for:)) ?? false }

    /// Whether bytes are held back that keys may open.
    package var waitsForKeys: Bool { client.waits == .keys || server.waits == .keys }

    /// Bytes of both directions that are held back while keys are missing; of one that waits for the other side only, none.
    package var heldForKeys: Int { waitsForKeys ? heldBytes : 0 }

    /// Bytes of both directions that are held back while keys are missing, or what the other side says.
    package var heldBytes: Int {
        guard client.waits != nil || server.waits != nil else { return 0 }
        return client.held.count - client.heldStart + server.held.count - server.heldStart
    }

    /// No more keys will come: says of what is held back that it cannot be read.
    package mutating func abandon(into sink: inout some TLSStreamSink) {
        if isOfNoOwner { return endInTheMiddle(&sink) }
        let waiting = [client, server].filter { $0.waits != nil }
        if waiting.contains(where: { $0.waits == .keys }) {
            guard client.hasEnded || server.hasEnded, leaveServer() else {
                return stopBoth(handshake.missingKey, &sink)
            }
        } else {
            for direction in waiting { stop(direction, waitReason(direction), &sink) }
        }
    }

    // MARK: - Holding back

    subscript(_ side: Side) -> TLSDirection { side == .client ? client : server }

    func other(_ direction: TLSDirection) -> TLSDirection { direction.side == .client ? server : client }

    private mutating func checkHeld(_ direction: TLSDirection, _ sink: inout some TLSStreamSink) {
        guard let wait = direction.waits else { return }
        let most = wait == .peer ? Self.mostHeldForPeer : mostHeldForKeys
        guard direction.held.count - direction.heldStart > most else { return }
        if wait == .peer, isOfNoOwner {
            // It is looked through from any place on.
            (direction.held, direction.heldStart, direction.gaps) = ([], 0, [])
        } else if wait == .peer {
            stop(direction, waitReason(direction), &sink)
        } else {
            stopBoth(handshake.missingKey, &sink)
        }
    }

    /// Reads on where one side waited for what the other has said meanwhile.
    mutating func settle(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        while changes > 0 {
            changes = 0
            for direction in [server, client] where direction.waits == .peer {
                release(direction, keys, &sink)
            }
        }
    }

    mutating func release(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        let held = direction.held
        var place = direction.heldStart
        var gaps = direction.gaps[...]
        direction.held = []
        direction.heldStart = 0
        direction.gaps = []
        direction.waits = nil
        while !direction.isStopped {
            let end = gaps.first?.place ?? held.count
            if place < end {
                place += held.withUnsafeBytes {
                    readRecords(UnsafeRawBufferPointer(rebasing: $0[place..<end]), direction, keys, &sink)
                }
            }
            if direction.waits == nil, place == end, let gap = gaps.popFirst() {
                lose(gap.count, direction, &sink)
            }
            if direction.waits != nil { return putBack(held, from: place, gaps, direction) }
            if place == held.count, gaps.isEmpty { break }
        }
        if direction.hasEnded { finish(direction, keys, &sink) }
    }

    /// What is still not to be read goes behind what `readRecords` and `lose` have held back of it.
    private func putBack(
        _ held: [UInt8],
        from place: Int,
        _ gaps: ArraySlice<(place: Int, count: Int)>,
        _ direction: TLSDirection
    ) {
        if direction.held.isEmpty, direction.gaps.isEmpty {
            direction.held = held
            direction.heldStart = place
            direction.gaps = Array(gaps)
        } else {
            let shift = direction.held.count - place
            held.withUnsafeBytes { direction.hold($0[place...]) }
            direction.gaps += gaps.map { ($0.place + shift, $0.count) }
        }
    }

    // MARK: - The end

    private mutating func finish(
        _ direction: TLSDirection,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        if direction.search != nil {
            searchToTheEnd(direction, keys, &sink)
            if direction.search != nil, !isLostAtTheEnd(direction, &sink) {
                return stop(direction, searchReason(direction), &sink)
            }
        }
        guard !direction.isStopped else { return }
        if let wait = direction.waits {
            // Keys may come; so may what the other side says.
            if wait == .peer,
                other(direction).isStopped || other(direction).hasEnded && other(direction).waits == nil
            {
                stop(direction, waitReason(direction), &sink)
            }
            return
        }
        if direction.side == .client, isOfNoOwner {
            endInTheMiddle(&sink)
        } else if endWithinHello(direction, &sink) {
            untoldReason = "the client's hello is not whole"
            direction.stop()
            changes += 1
        } else if direction.unread > 0 {
            let size = direction.partial.withUnsafeBytes { TLSRecordHeader($0[direction.start...])?.size }
            stop(
                direction,
                "the last record of the \(direction.side.rawValue) is cut: \(direction.unread) of "
                    + "\(size.map(String.init) ?? "more") bytes are there",
                &sink
            )
        } else if direction.skipped > 0 {
            stop(
                direction,
                "the last record of the \(direction.side.rawValue) is not whole in the capture",
                &sink
            )
        } else {
            direction.stop()
            changes += 1
        }
    }

    mutating func stop(_ direction: TLSDirection, _ reason: String, _ sink: inout some TLSStreamSink) {
        guard !direction.isStopped else { return }
        if let untoldReason { return stopBoth(untoldReason, &sink) }
        direction.stop()
        changes += 1
        endHandshake(&sink)
        sink.unreadable(reason, from: direction.side)
    }

    /// Reads no more of the server, for which there are no keys, where the client has said nothing so far but its hello.
    ///
    /// - Returns: whether that is so.
    mutating func leaveServer() -> Bool {
        guard handshake.clientHellos > 0, client.epoch == .plain, client.waits == nil, client.search == nil,
            client.skipped == 0, !client.isStopped || client.hasEnded
        else { return false }
        untoldReason = handshake.missingKey
        server.stop()
        changes += 1
        return true
    }

    mutating func stopBoth(_ reason: String, _ sink: inout some TLSStreamSink) {
        untoldReason = nil
        guard !client.isStopped || !server.isStopped else { return }
        client.stop()
        server.stop()
        endHandshake(&sink)
        sink.unreadable(reason, from: nil)
    }

    /// Tells the facts, once, where there is a ServerHello among them.
    mutating func endHandshake(_ sink: inout some TLSStreamSink) {
        guard !handshake.isTold, handshake.hasServerHello else { return }
        handshake.isTold = true
        sink.handshakeEnded(facts)
    }
}
