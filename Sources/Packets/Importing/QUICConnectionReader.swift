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
    /// Whether another protocol than HTTP/3 is spoken.
    private var isOther = false
    private(set) var lastPacket: Timestamp

    init(_ reading: PacketReading, _ connection: QUICConnection, _ entry: ConnectionEntry) {
        self.reading = reading
        self.connection = connection
        self.entry = entry
        lastPacket = entry.startedAt
        reading.counts.connections += 1
        reading.counts.tlsConnections += 1
    }

    /// The connection IDs that its sides chose since the last call.
    func takeIDs() -> [(id: ArraySlice<UInt8>, of: Side)] { connection.takeIDs() }

    func received(_ datagram: [UInt8], from side: Side, at time: Timestamp) {
        bytes.count(datagram.count, from: side, isCaptured: true)
        lastPacket = time
        if side == .server, bytes.received == datagram.count {
            reading.noteWebServer(entry.facts.serverAddress)
        }
        var events = Events(reader: self, time: time)
        let waited = connection.waitsForKeys
        connection.receive(datagram, from: side, at: time, keys: reading.keys, into: &events)
        // Who writes them has mostly done so by then.
        if !waited, connection.waitsForKeys, reading.findKeys() {
            connection.keysAdded(reading.keys, into: &events)
        }
    }

    /// Keys came after the packets that they open.
    func keysAdded(at time: Timestamp) {
        var events = Events(reader: self, time: time)
        connection.keysAdded(reading.keys, into: &events)
    }

    /// What the packets say, at the time of the one at hand.
    private struct Events: QUICSink {
        unowned let reader: QUICConnectionReader
        let time: Timestamp

        func handshakeEnded(_ facts: TLSStreamFacts) { reader.handshakeEnded(facts, at: time) }

        func received(_ bytes: ArraySlice<UInt8>, of stream: Int, from side: Side, isLast: Bool) {
            reader.received(bytes, of: stream, from: side, isLast: isLast, at: time)
        }

        func reset(_ stream: Int, by side: Side, code: Int) {
            guard let conversation = reader.conversation else { return }
            reader.finish(conversation.reset(stream, by: side, code: code, at: time))
        }

        func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts) {
            reader.closed(by: side, close, facts, at: time)
        }

        func unreadable(_ reason: String) { reader.unreadable(reason, at: time) }
    }

    private func finish(_ exchanges: [Exchange]) {
        for exchange in exchanges { reading.finish(exchange) }
    }

    private func handshakeEnded(_ facts: TLSStreamFacts, at time: Timestamp) {
        guard conversation == nil else { return }
        entry.agreed(facts)
        // Both are one with QUIC.
        entry.timings.connect = .zero
        entry.timings.tls = time - entry.startedAt
    }

    private func received(
        _ bytes: ArraySlice<UInt8>,
        of stream: Int,
        from side: Side,
        isLast: Bool,
        at time: Timestamp
    ) {
        guard !isOther else { return }
        if conversation == nil {
            entry.agreed(connection.facts)
            // What was agreed on may not be in the capture.
            let names = entry.facts.alpn.map { [$0] } ?? connection.facts.offeredALPN
            guard names.contains(where: { $0 == "h3" || $0.hasPrefix("h3-") }) else {
                isOther = true
                reading.counts.otherConnections += 1
                return
            }
            isTold = true
            conversation = reading.conversation3(entry)
        }
        guard let conversation else { return }
        finish(conversation.received(bytes, of: stream, from: side, isLast: isLast, at: time))
    }

    private func closed(by side: Side, _ close: QUICClose, _ facts: TLSStreamFacts, at time: Timestamp) {
        if let conversation {
            let reason = "the \(side.rawValue) closed the connection (\(close.words))"
            finish(conversation.abandon(at: time, reason: reason))
        } else if let alert = close.alert.map({ TLSAlert(code: $0) }), !isTold {
            isTold = true
            entry.agreed(facts)
            reading.finish(entry.brokenOff(by: side, alert, at: time))
        }
    }

    private func unreadable(_ reason: String, at time: Timestamp) {
        unreadable = reason
        if let conversation {
            finish(
                conversation.abandon(at: time, reason: "from here on it could not be decrypted: \(reason)")
            )
        }
        // One that nobody answered is made over TCP then, and nothing of it is lost.
        if bytes.onlySide == nil { note(reason) }
    }

    private func note(_ reason: String) {
        reading.note(
            PacketLoss(
                what:
                    "connection \(entry.id) (QUIC), \(entry.client) to \(entry.host):\(entry.port): \(reason)"
            )
        )
    }

    /// Nothing more will come.
    func closed(at time: Timestamp) {
        var events = Events(reader: self, time: time)
        if connection.waitsForKeys, reading.findKeys() { connection.keysAdded(reading.keys, into: &events) }
        let hasGaps = connection.hasGaps
        connection.finish(into: &events)
        if let conversation {
            let reason =
                hasGaps
                ? "packets with a part of it are not in the capture"
                : "the capture ends before the answer was complete"
            finish(conversation.abandon(at: time, reason: reason))
        }
        guard unreadable != nil, !isTold, bytes.onlySide == nil else { return }
        isTold = true
        entry.agreed(connection.facts)
        if connection.facts.clientRandom != nil { reading.counts.keylessConnections += 1 }
        let tunnel = TunnelFacts(reason: .noKeys, sentBytes: bytes.sent, receivedBytes: bytes.received)
        reading.finish(entry.unread(tunnel, at: time))
        reading.counts.unreadConnections += 1
    }
}
