internal import Captures
internal import LibCrypto
internal import Wire

/// Reads one QUIC connection: HTTP/3 becomes exchanges, what cannot be read one entry with its host, its times and its bytes.
final class QUICConnectionReader {
    private let reading: PacketReading
    private let connection: QUICConnection
    private var entry: ConnectionEntry
    private var conversation: HTTP3Conversation?
    private var bytes = DirectionBytes()
    /// Whether there was an exchange, or an entry says why not.
    private var isTold = false
    private var unreadable: String?
    /// Whether nothing is read out of streams any more, or they are those of another protocol than HTTP/3.
    private var isDone = false
    private var lastPacket: Timestamp
    /// Whether it was said that what is in a tunnel is not read.
    private var hasToldTunnel = false
    /// Bytes that wait for keys, as they are counted among those of all connections.
    private var waitingBytes = 0

    init(_ reading: PacketReading, _ connection: QUICConnection, _ entry: ConnectionEntry) {
        self.reading = reading
        self.connection = connection
        self.entry = entry
        lastPacket = entry.startedAt
        reading.counts.connections += 1
        reading.counts.tlsConnections += 1
    }

    deinit { reading.waitingBytes -= waitingBytes }

    /// Counts anew what waits for keys.
    private func countWaiting() {
        reading.waitingBytes += connection.heldBytes - waitingBytes
        waitingBytes = connection.heldBytes
    }

    /// Since when packets may wait for their keys; nil where none do.
    var waitingSince: Timestamp? { waitingBytes > 0 ? entry.startedAt : nil }

    /// No more keys are waited for.
    func stopWaiting(at time: Timestamp) {
        var events = Events(reader: self, time: max(time, lastPacket))
        connection.stopWaiting(into: &events)
        countWaiting()
    }

    /// The connection IDs that its sides chose since the last call.
    func takeIDs() -> [(id: ArraySlice<UInt8>, of: Side)] { connection.takeIDs() }

    /// How much is lost where it is not followed any longer, the least first.
    enum Importance: Int, CaseIterable {
        case isOver, wasNotAnswered, wasAnswered
    }

    var importance: Importance {
        connection.isOver ? .isOver : bytes.onlySide == .client ? .wasNotAnswered : .wasAnswered
    }

    /// Takes a datagram.
    ///
    /// - Returns: whether it is one of this connection, as far as that can be said.
    func received(_ datagram: [UInt8], from side: Side, at time: Timestamp) -> Bool {
        bytes.count(datagram.count, from: side, isCaptured: true)
        // Time does not go back.
        let time = max(time, lastPacket)
        lastPacket = time
        if side == .server, bytes.received == datagram.count {
            reading.noteWebServer(entry.facts.serverAddress)
        }
        var events = Events(reader: self, time: time)
        let waited = connection.waitsForKeys
        let isOurs = connection.receive(datagram, from: side, keys: reading.keys, into: &events)
        // Who writes them has mostly done so by then.
        if !waited, connection.waitsForKeys, reading.findKeys() {
            connection.keysAdded(reading.keys, into: &events)
        }
        countWaiting()
        return isOurs
    }

    /// Keys came after the packets that they open.
    func keysAdded(at time: Timestamp) {
        var events = Events(reader: self, time: time)
        connection.keysAdded(reading.keys, into: &events)
        countWaiting()
    }

    /// What the packets say, at the time of the one at hand.
    private struct Events: QUICSink {
        unowned let reader: QUICConnectionReader
        var time: Timestamp

        func handshakeEnded(_ facts: TLSStreamFacts) { reader.handshakeEnded(facts, at: time) }

        func received(_ bytes: ArraySlice<UInt8>, of stream: Int, from side: Side, isLast: Bool) {
            reader.received(bytes, of: stream, from: side, isLast: isLast, at: time)
        }

        func reset(_ stream: Int, by side: Side, code: Int) {
            guard let conversation = reader.conversation else { return }
            reader.finish(
                side == .client
                    ? conversation.requestReset(stream, code: code, at: time)
                    : conversation.reset(stream, by: .server, code: code, at: time)
            )
        }

        func stopped(_ stream: Int, by side: Side, code: Int) {
            // That a server wants no more of a request does not end its answer.
            guard side == .client, let conversation = reader.conversation else { return }
            reader.finish(conversation.reset(stream, by: .client, code: code, at: time))
        }

        func lost(_ stream: Int, from side: Side) {
            guard let conversation = reader.conversation else { return }
            reader.finish(conversation.lost(stream, from: side, at: time))
        }

        func undecrypted(_ packets: Int, from side: Side, isAll: Bool) {
            reader.undecrypted(packets, from: side, isAll: isAll, at: time)
        }

        func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts) {
            reader.closed(by: side, close, facts, at: time)
        }

        func unreadable(_ reason: String) { reader.unreadable(reason, at: time) }
    }

    private func finish(_ exchanges: [Exchange]) {
        for exchange in exchanges {
            if exchange.upgradedTo == "tunnel", !hasToldTunnel {
                hasToldTunnel = true
                note(PacketLoss.unreadTunnel)
            }
            reading.finish(exchange)
        }
    }

    private func handshakeEnded(_ facts: TLSStreamFacts, at time: Timestamp) {
        guard conversation == nil else { return }
        entry.agreed(facts)
        // Both are one with QUIC.
        entry.timings.connect = .zero
        entry.timings.secured(in: time - entry.startedAt)
    }

    private func received(
        _ bytes: ArraySlice<UInt8>,
        of stream: Int,
        from side: Side,
        isLast: Bool,
        at time: Timestamp
    ) {
        guard !isDone else { return }
        if conversation == nil {
            entry.agreed(connection.facts)
            // What was agreed on may not be in the capture.
            let names = entry.facts.alpn.map { [$0] } ?? connection.facts.offeredALPN
            guard names.contains(where: { $0 == "h3" || $0.hasPrefix("h3-") }) else {
                isDone = true
                reading.counts.otherConnections += 1
                return
            }
            isTold = true
            conversation = reading.conversation3(entry)
        }
        guard let conversation else { return }
        finish(conversation.received(bytes, of: stream, from: side, isLast: isLast, at: time))
    }

    // MARK: - What cannot be read, and ends

    /// What is under way has failed, and nothing more is read.
    private func abandon(_ reason: String, at time: Timestamp) {
        guard let conversation else { return }
        finish(conversation.abandon(at: time, reason: reason))
        if let losses = conversation.losses {
            note("packets with parts of it are not in the capture; with them \(losses) are not known")
        }
        self.conversation = nil
        isDone = true
    }

    private func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts, at time: Timestamp) {
        abandon("the \(side.rawValue) closed the connection (\(close.words))", at: time)
        guard !isTold, unreadable == nil else { return }
        entry.agreed(facts)
        if let alert = close.alert {
            isTold = true
            reading.finish(entry.brokenOff(by: side, TLSAlert(code: alert), at: time))
        } else if let reason = refusal(by: side, close) {
            isTold = true
            reading.finish(entry.failed(reason, at: time))
        }
    }

    /// Why a connection did not come about, which is an entry where it may have been wanted for a login.
    private func refusal(by side: Side, _ close: QUICClose) -> String? {
        guard !connection.isEstablished, !close.isOfApplication, close.code != 0,
            OtherPorts.mayBeWeb(entry.port) || reading.isWebServer(entry.facts.serverAddress)
        else { return nil }
        if side == .server, close.isRefusal { return "connection refused (\(close.words))" }
        // The words by which failures of handshakes are known.
        return "\(side == .server ? "server " : "")TLS handshake failed: the \(side.rawValue) closed the QUIC"
            + " connection (\(close.words))"
    }

    private func undecrypted(_ packets: Int, from side: Side, isAll: Bool, at time: Timestamp) {
        guard isAll else {
            note(
                "\(packets) of the packets that the \(side.rawValue) sent could not be decrypted: they are damaged, or not"
                    + " of this connection"
            )
            return
        }
        let random = connection.clientRandom.map { " (client random \($0))" } ?? ""
        unreadable(
            "the keys that the key log has for it do not open what the \(side.rawValue) sent\(random)",
            at: time
        )
    }

    private func unreadable(_ reason: String, at time: Timestamp) {
        guard unreadable == nil else { return }
        unreadable = reason
        entry.agreed(connection.facts)
        abandon(AnswerLoss.undecrypted("from here on it", reason), at: time)
        // One that nobody answered is made over TCP then, and nothing of it is lost.
        if bytes.onlySide == nil { note(reason) }
    }

    private func note(_ reason: String) {
        reading.note(PacketLoss("\(entry.id) (QUIC)", entry, reason))
    }

    /// Nothing more will come, or nothing more is taken, where others need the room.
    func closed(at time: Timestamp, makesRoom: Bool = false) {
        let time = max(time, lastPacket)
        var events = Events(reader: self, time: time)
        if connection.waitsForKeys, reading.findKeys() { connection.keysAdded(reading.keys, into: &events) }
        let hasGaps = connection.hasGaps
        connection.finish(into: &events)
        countWaiting()
        abandon(
            makesRoom
                ? "so many connections are open at a time that it was not followed any longer"
                : hasGaps
                    ? AnswerLoss.packetsMissing
                    : AnswerLoss.captureEnded,
            at: time
        )
        guard unreadable != nil, !isTold else { return }
        if bytes.onlySide == nil {
            if let random = connection.clientRandom, !reading.keys.hasSecrets(for: random) {
                reading.counts.keylessConnections += 1
            }
        } else {
            // What a client says behind its first packets it says to somebody who answered.
            guard connection.wasAnswered else { return }
            reading.counts.oneWayConnections += 1
            note("\(AnswerLoss.serverMissing), without which no key opens it")
        }
        isTold = true
        entry.agreed(connection.facts)
        let hasHellos = bytes.onlySide == nil && connection.clientRandom != nil && connection.suite != nil
        let tunnel = TunnelFacts(
            reason: hasHellos ? .noKeys : .notWhole,
            sentBytes: bytes.sent,
            receivedBytes: bytes.received
        )
        // Who offers one protocol has it, once the server goes on (RFC 9001, section 8.1).
        if hasHellos, connection.facts.offeredALPN.count == 1 {
            entry.facts.alpn = connection.facts.offeredALPN.first
        }
        reading.finish(entry.unread(tunnel, at: time))
        reading.counts.unreadConnections += 1
        if bytes.onlySide == nil { reading.counts.unreadQUICConnections += 1 }
    }
}
