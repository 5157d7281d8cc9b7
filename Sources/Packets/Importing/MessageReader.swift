internal import Captures
internal import Wire

/// Reads the messages of one connection whose bytes are in clear, or were deciphered.
///
/// What is lost on the way is marked: a body of a known length is truncated; otherwise the exchanges under way fail with the
/// reason, and with HTTP/1.1 it goes on at the next request that begins with a packet.
final class MessageReader {
    private enum State {
        /// The beginning is not there: until a request is seen to begin.
        case awaitingRequest
        case reading
        /// A proxy's client speaks with somebody behind the proxy.
        case tunnel
        /// Another protocol, or nothing that can be told apart.
        case over
    }

    private let reading: PacketReading
    private let scheme: String
    private var entry: ConnectionEntry
    private var state: State
    private var conversation: Conversation
    private var tunnel: ConnectionReader?
    /// Tunnels in tunnels, without end, are a capture made by hand.
    private let depth: Int

    init(_ reading: PacketReading, _ scheme: String, _ entry: ConnectionEntry, isWhole: Bool, depth: Int) {
        self.reading = reading
        self.scheme = scheme
        self.entry = entry
        self.depth = depth
        state = isWhole ? .reading : .awaitingRequest
        conversation = reading.conversation(scheme, entry)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from side: Side, at time: Timestamp) {
        switch state {
        case .awaitingRequest:
            guard side == .client, FirstBytes(bytes) == .http else { return }
            state = .reading
            read(bytes, side, time)
        case .reading: read(bytes, side, time)
        case .tunnel: tunnel?.received(bytes, from: side, at: time)
        case .over: break
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        let exchanges = conversation.received(bytes, from: side, at: time)
        guard conversation.isUpgraded else {
            finish(exchanges)
            if conversation.hasLostTheThread { state = .over }
            return
        }
        state = .over
        guard let connect = exchanges.last, connect.request.method == "CONNECT", depth < 4 else {
            return finish(exchanges)
        }
        // The request to the proxy is no message of the login; what is in the tunnel is.
        finish(exchanges.dropLast())
        state = .tunnel
        let inner = ConnectionEntry(in: entry, to: connect.request.url.authority ?? "", at: connect.startedAt)
        tunnel = ConnectionReader(reading, inner, isWhole: true, depth: depth + 1)
        let rest = conversation.takeUnread()
        if !rest.isEmpty { rest.withUnsafeBytes { tunnel?.received($0, from: side, at: time) } }
    }

    private func finish(_ exchanges: some Sequence<Exchange>) {
        for exchange in exchanges { reading.finish(exchange) }
    }

    /// So many bytes of one direction are not there.
    func lost(_ count: Int, from side: Side, at time: Timestamp) {
        switch state {
        case .awaitingRequest, .over: break
        case .tunnel: tunnel?.lost(count, from: side, at: time)
        case .reading:
            if let exchanges = conversation.lost(count, from: side, at: time) { return finish(exchanges) }
            lose("\(count) bytes of the \(side.rawValue) are not in the capture", at: time)
        }
    }

    /// As many bytes of one direction as are given, or fewer, are not there.
    func lost(atMost count: Int, from side: Side, at time: Timestamp) {
        switch state {
        case .awaitingRequest, .over: break
        case .tunnel: tunnel?.lost(count, from: side, at: time)
        case .reading: lose("up to \(count) bytes of the \(side.rawValue) are not in the capture", at: time)
        }
    }

    private func lose(_ reason: String, at time: Timestamp) {
        abandon(reason, at: time)
        // The tables of HTTP/2's header fields are lost with the bytes.
        state = entry.facts.alpn == "h2" ? .over : .awaitingRequest
    }

    /// See ``ConnectionReader/keysAdded(at:)``.
    func keysAdded(at time: Timestamp) { tunnel?.keysAdded(at: time) }

    /// From here on nothing can be read.
    func abandon(_ reason: String, at time: Timestamp) {
        guard state == .reading else { return }
        finish(conversation.abandon(at: time, reason: reason))
        conversation = reading.conversation(scheme, entry)
        state = .over
    }

    func ended(_ side: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        switch state {
        case .awaitingRequest, .over: break
        case .tunnel: tunnel?.ended(side, end, at: time)
        case .reading:
            let reason: String? =
                switch end {
                case .finished: nil
                case .reset:
                    side == .client ? "the client reset the connection" : "connection reset by the server"
                case .captureEnded: "the capture ends before the answer was complete"
                }
            finish(conversation.ended(side, reason: reason, at: time))
        }
    }

    func closed(at time: Timestamp) {
        tunnel?.closed(at: time)
        abandon("the capture ends before the answer was complete", at: time)
    }
}
