internal import Captures
internal import LibCrypto
internal import Wire

/// Reads one connection: finds out whether it speaks TLS or HTTP, and gives what is readable of it to a ``MessageReader``.
final class ConnectionReader {
    private enum State {
        case undecided
        case tls
        case clear
        /// With a SOCKS proxy.
        case socks
        /// Neither TLS nor HTTP.
        case other
    }

    private let reading: PacketReading
    private let depth: Int
    private let isWhole: Bool
    private var entry: ConnectionEntry
    /// The same with each end for the other, where packets do not tell them apart for sure.
    private let turned: ConnectionEntry?
    private var state = State.undecided
    /// The client's first bytes, until it is known what they are.
    private var held: [UInt8] = []
    private var tls: TLSStream
    private var messages: MessageReader?
    private var socks: SOCKSReader?
    /// Headers of the PROXY protocol that stood in front.
    private var proxyHeaders = 0
    private var helloAt: Timestamp?
    /// Whether what is there of TLS begins with a hello, of whichever side.
    private var hasHello = false
    /// The sides whose ends are in the capture.
    private var finished: Set<Side> = []
    /// Whether bytes of the connection are missing.
    private var hasGaps = false
    private var bytes = DirectionBytes()
    /// What ended first.
    private var end: ConnectionEnd?
    /// Whether both sides were seen to be done with TLS's handshake.
    private var isSecured = false
    /// Whether the client was seen to take the connection.
    private var isEstablished = false
    /// Whether anything was deciphered, or an entry says why not.
    private var isTold = false
    /// Whether there was something to decipher that could not be.
    private var isUnreadable = false
    /// Why, where that may be told better once it is known what else comes.
    private var reasons: [String] = []
    /// Of which sides nothing could be deciphered, and why, before anything was of the other.
    private var unreadableSides: [Side: String] = [:]

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
        tls = TLSStream(holdingForKeys: reading.heldForKeys, sessions: reading.sessions)
    }

    /// The client knows that the connection is there.
    func established(at time: Timestamp) {
        isEstablished = true
        entry.timings.connect = time - entry.startedAt
    }

    func received(_ bytes: UnsafeRawBufferPointer, from side: Side, at time: Timestamp) {
        self.bytes.count(bytes.count, from: side, isCaptured: true)
        switch state {
        case .undecided: decide(bytes, side, time)
        case .tls where side == .server && self.bytes.received == bytes.count && isAnswerInClear(bytes):
            tellAnswerInClear(bytes, at: time)
        case .tls: decipher(bytes, side, time)
        case .clear where messages?.isAwaitingBeginning == true && FirstBytes.isRecord(bytes):
            // It began before the capture, in the middle of a record, or without its client's hello.
            messages = nil
            beginTLS(bytes, at: time)
            decipher(bytes, side, time)
        case .clear:
            if side == .server, self.bytes.received == bytes.count, let alert = FirstBytes.alert(bytes) {
                messages?.abandon(
                    "the server answered with the TLS alert \(alert.name): it speaks https on this port",
                    at: time
                )
            }
            messages?.received(bytes, from: side, at: time)
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
        case .tls: held.withUnsafeBytes { beginTLS($0, at: time) }
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

    private func beginClear(isWhole: Bool) {
        state = .clear
        if isWhole { reading.noteWebServer(entry.facts.serverAddress) }
        messages = MessageReader(reading, "http", entry, isWhole: isWhole, depth: depth)
    }

    /// It is neither TLS nor HTTP.
    private func giveUp() {
        state = .other
        held = []
        reading.counts.otherConnections += 1
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        switch state {
        case .tls: decipher(bytes, side, time)
        case .socks: socks?.received(bytes, from: side, at: time)
        case .clear, .undecided, .other: messages?.received(bytes, from: side, at: time)
        }
    }

    /// Only where the beginning is missing may a server of interest speak first.
    private func serverSpeaksFirst(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        guard held.isEmpty else { return }
        if FirstBytes(bytes) == .tls {
            beginTLS(bytes, at: time)
            decipher(bytes, .server, time)
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

    // MARK: - TLS

    private func beginTLS(_ first: UnsafeRawBufferPointer, at time: Timestamp) {
        state = .tls
        hasHello = FirstBytes.sender(of: first) != nil
        helloAt = time
        reading.noteWebServer(entry.facts.serverAddress)
        reading.counts.tlsConnections += 1
    }

    /// Whether the server's first bytes are an answer of HTTP, and none to the client's hello in TLS.
    private func isAnswerInClear(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard hasHello, !hasGaps, !isTold, messages == nil else { return false }
        return FirstBytes.isSettings(bytes)
            || FirstBytes.sender(of: bytes) == .server && FirstBytes(bytes) != .tls
    }

    /// The client was told https of a port where the server speaks http.
    private func tellAnswerInClear(_ bytes: UnsafeRawBufferPointer, at time: Timestamp) {
        state = .other
        isTold = true
        entry.agreed(tls.facts)
        let line = bytes.prefix(80).prefix { (0x20...0x7e).contains($0) }
        let words = FirstBytes.isSettings(bytes) ? "HTTP/2" : String(decoding: line, as: UTF8.self)
        reading.finish(
            entry.failed(
                "server TLS handshake failed: the server answered in clear (\(words))",
                at: time
            )
        )
    }

    private func decipher(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        var events = Events(reader: self, time: time)
        let waited = tls.waitsForKeys
        tls.receive(bytes, from: side, keys: reading.keys, into: &events)
        // Who writes them has mostly done so by then.
        if !waited, tls.waitsForKeys, reading.findKeys() { tls.keysAdded(reading.keys, into: &events) }
    }

    /// What the deciphering reports, at the time of the packet at hand.
    ///
    /// It comes while ``tls`` changes, which must not be looked at by what is called here.
    private struct Events: TLSStreamSink {
        unowned let reader: ConnectionReader
        let time: Timestamp

        func receivedPlaintext(_ bytes: UnsafeRawBufferPointer, from side: Side) {
            reader.clear().received(bytes, from: side, at: time)
        }

        func lostPlaintext(atMost count: Int, isExact: Bool, from side: Side) {
            reader.clear().lost(count, isExact: isExact, from: side, at: time)
        }

        func handshakeEnded(_ facts: TLSStreamFacts) { reader.handshakeEnded(facts, at: time) }

        func alert(_ alert: TLSStreamAlert, from side: Side, _ facts: TLSStreamFacts) {
            reader.alerted(alert, side, facts, at: time)
        }

        func unreadable(_ reason: String, from side: Side?) { reader.unreadable(reason, side, at: time) }
    }

    /// The reader of what was deciphered.
    private func clear() -> MessageReader {
        if let messages { return messages }
        isTold = true
        let messages = MessageReader(reading, "https", entry, isWhole: hasBeginning, depth: depth)
        messages.hasGaps = hasGaps
        for (side, reason) in unreadableSides { messages.becameUnreadable(reason, side) }
        self.messages = messages
        return messages
    }

    private func handshakeEnded(_ facts: TLSStreamFacts, at time: Timestamp) {
        isSecured = true
        guard messages == nil else { return }
        entry.agreed(facts)
        if let helloAt { entry.timings.secured(in: time - helloAt) }
    }

    private func alerted(
        _ sent: TLSStreamAlert,
        _ side: Side,
        _ facts: TLSStreamFacts,
        at time: Timestamp
    ) {
        guard sent.alert != .closeNotify else {
            messages?.ended(side, .finished, at: time)
            return
        }
        guard sent.isFatal else { return }
        if let messages {
            messages.abandon("the \(side.rawValue) broke off with the TLS alert \(sent.alert.name)", at: time)
        } else if !isTold, side == .client || end?.by != .client || hasGaps {
            // A server may complain of a client that has gone: see ``tellUnfinishedHandshake(at:)``.
            isTold = true
            entry.agreed(facts)
            reading.finish(entry.brokenOff(by: side, sent.alert, at: time))
        }
    }

    /// Whether the client sent a fatal alert in the place of a hello, as one does that has nothing to offer.
    private var isWithoutHello: Bool { isWhole && !hasHello && isTold && messages == nil }

    private func unreadable(_ reason: String, _ side: Side?, at time: Timestamp) {
        guard !isWithoutHello else { return }
        isUnreadable = true
        messages?.abandon(AnswerLoss.undecrypted("from here on it", reason), at: time)
        if let side { unreadableSides[side] = reason }
        if hasBeginning, bytes.onlySide == nil { note(reason) } else { reasons.append(reason) }
    }

    /// Whether it has a beginning, by which its client is known.
    private var hasBeginning: Bool { isWhole || hasHello }

    /// Takes each side for the other where connections were opened to the one that was taken for the client, and none to the other.
    private func settleEnds() {
        guard let turned, !hasBeginning, reading.isServer(entry.client), !reading.isServer(turned.client)
        else { return }
        entry = turned
        bytes.turn()
    }

    private func note(_ reason: String) {
        reading.note(PacketLoss(entry.id, entry, reason))
    }

    /// Says why it cannot be read, of which the keys are not the cause where a whole direction is missing.
    private func tellReasons() {
        guard !reasons.isEmpty, !isSilentClient else { return }
        guard hasBeginning, let side = bytes.onlySide else {
            for reason in reasons { note(reason) }
            return
        }
        reading.counts.oneWayConnections += 1
        note(
            "nothing of the \(side == .client ? "server" : "client") is in the capture, without which no key opens it"
        )
    }

    /// Whether the client took the connection and said nothing in it, as who looks whether somebody listens.
    private var isSilentClient: Bool {
        isWhole && bytes.sent == 0 && (isEstablished || end?.by == .client)
    }

    /// Tells of a handshake that began with the client's hello and came to nothing, if it is one.
    private func tellUnfinishedHandshake(at time: Timestamp) {
        guard state == .tls, tls.facts.clientRandom != nil, !isSecured, !isUnreadable, !isTold, !hasGaps
        else { return }
        isTold = true
        let handshake = UnfinishedHandshake(
            end: end,
            isAnswered: bytes.received > 0,
            hasCertificate: tls.facts.showsServerCertificate
        )
        entry.agreed(tls.facts)
        reading.finish(entry.failed(handshake.reason, at: end?.time ?? time))
    }

    /// Whether both hellos are there, without which no key opens it.
    private var hasHellos: Bool {
        bytes.onlySide == nil && tls.facts.clientRandom != nil && tls.facts.version != nil
    }

    // MARK: - What is missing, and ends

    func lost(_ count: Int, from side: Side, at time: Timestamp) {
        bytes.count(count, from: side, isCaptured: false)
        switch state {
        case .undecided:
            held = []
            beginClear(isWhole: false)
            messages?.lost(count, from: side, at: time)
        case .tls:
            hasGaps = true
            messages?.hasGaps = true
            var events = Events(reader: self, time: time)
            tls.lost(count, from: side, into: &events)
        case .clear: messages?.lost(count, from: side, at: time)
        case .socks: socks?.lost(count, from: side, at: time)
        case .other: break
        }
    }

    /// Whether all of it began before the capture, or one direction is not there.
    private func countClear() {
        // The end of a side is a packet of its own.
        if bytes.isOneWay, finished.count < 2 {
            reading.counts.oneWayClearConnections += 1
        } else if messages?.isAwaitingBeginning == true {
            reading.counts.lateConnections += 1
        }
    }

    func ended(_ side: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        if end == .finished { finished.insert(side) }
        if self.end == nil { self.end = ConnectionEnd(side: side, ending: end, time: time) }
        if state == .tls {
            var events = Events(reader: self, time: time)
            tls.ended(side, keys: reading.keys, into: &events)
        }
        messages?.ended(side, end, at: time)
        socks?.ended(side, end, at: time)
        if side == .server, bytes.sent == 0, bytes.received == 0, isWhole, !isTold {
            neverBegan(end, at: time)
        }
    }

    /// The connection did not come about, which is an entry where it may have been wanted for a login.
    private func neverBegan(_ end: TCPStreamEnd, at time: Timestamp) {
        let reason: String
        switch end {
        case .reset(by: .server) where depth > 0, .finished where depth > 0 && self.end?.by == .server:
            reason = "connection closed by the server before anything was said in the proxy's tunnel"
        case .reset(by: .server): reason = "connection refused"
        case .unanswered(_, let rejection?): reason = "connection rejected by \(rejection)"
        case .unanswered(let attempts, nil):
            reason = "connection timed out: nobody answered \(attempts) tries to connect"
        default: return
        }
        isTold = true
        entry.named(reading.name(of: entry.facts.serverAddress))
        guard OtherPorts.mayBeWeb(entry.port) || reading.isWebServer(entry.facts.serverAddress) else {
            return
        }
        reading.finish(entry.failed(reason, at: time))
    }

    /// Keys came after the packets that they open.
    func keysAdded(at time: Timestamp) {
        guard state == .tls else {
            messages?.keysAdded(at: time)
            socks?.keysAdded(at: time)
            return
        }
        var events = Events(reader: self, time: time)
        tls.keysAdded(reading.keys, into: &events)
        messages?.keysAdded(at: time)
    }

    /// Nothing more will come.
    func closed(at time: Timestamp) {
        if state == .tls {
            var events = Events(reader: self, time: time)
            if tls.waitsForKeys {
                reading.findKeys()
                tls.keysAdded(reading.keys, into: &events)
            }
            tls.abandon(into: &events)
        }
        messages?.closed(at: time)
        socks?.closed(at: time)
        if isUnreadable, !isTold { settleEnds() }
        tellReasons()
        tellUnfinishedHandshake(at: time)
        guard isUnreadable, !isTold, !isSilentClient else {
            if state == .clear { countClear() }
            return
        }
        isTold = true
        if hasHellos, !tls.isBeyondKeys, !tls.hasSecrets(in: reading.keys) {
            reading.counts.keylessConnections += 1
        }
        entry.agreed(tls.facts)
        let tunnel = TunnelFacts(
            reason: hasHellos ? .noKeys : .notWhole,
            sentBytes: bytes.sent,
            receivedBytes: bytes.received
        )
        reading.finish(entry.unread(tunnel, at: time))
        reading.counts.unreadConnections += 1
    }
}
