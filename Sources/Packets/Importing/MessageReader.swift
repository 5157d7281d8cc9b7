internal import Captures
internal import Wire

/// Reads the messages of one connection whose bytes are in clear, or were deciphered.
///
/// What is lost on the way is marked: a body of a known length is truncated; otherwise the exchanges under way fail with the
/// reason, and it goes on at the next request that begins with a packet, with HTTP/2 at the next frame.
final class MessageReader {
    enum State {
        /// The beginning is not there: until a request is seen to begin.
        case awaitingRequest
        case reading
        /// A proxy's client speaks with somebody behind the proxy.
        case tunnel
        /// Another protocol, or nothing that can be told apart.
        case over
    }

    let reading: PacketReading
    let scheme: String
    var entry: ConnectionEntry
    var state: State
    var conversation: Conversation
    var tunnel: ConnectionReader?
    /// Tunnels within HTTP/2.
    var streamTunnels: StreamTunnels
    let depth: Int
    /// Tunnels in tunnels, without end, are a capture made by hand.
    static let deepest = 4
    private var missing = MissingMessages()
    private var hasBegun: Bool
    /// Whether bytes are missing, or may be: of what TLS carries that shows with the next record only.
    var hasGaps = false
    /// Whether what is missing of the server's records is not known yet: answers may have come that are not seen.
    var mayLackAnswers = false
    /// Whether the next answer may be one: bytes of the client are missing that are of no request under way.
    private var mayLackRequest = false
    /// Whether such an answer came since the last request that is in the capture.
    private var hasUnaskedAnswer = false
    private var owed: OwedAnswer
    /// What a server of HTTP/2 has said, its settings first, before anything was there of its client; nil elsewhere.
    private var saidFirst: [UInt8]?
    private static let mostSaidFirst = 1024
    /// Where the beginning is not there: looks for the frames of a client of HTTP/2.
    private var middle = HTTP2Middle()
    /// Whether such were found.
    private var isInMiddleOfHTTP2 = false
    /// Whether it was said that what is in a tunnel is not read.
    private var hasToldTunnel = false
    /// Whether any bytes of the server are there, and whether any are missing.
    private var hasSeenServer = false
    private var lacksServer = false
    /// Of which sides the bytes could not be deciphered, and why.
    private var unreadable: [Side: String] = [:]
    private var lastWords = LastWords()
    /// What the server answered before the client was done with asking.
    private var early = EarlyAnswer<[UInt8]>()
    /// Since when such an answer of HTTP/2 has been whole; nil where there is none.
    private var earlySince: Timestamp?
    /// A request for a tunnel whose answer is missing, until its client says more.
    var unansweredConnect: Exchange?
    /// `HOST:PORT` of the tunnel that the client was refused last.
    var refusedTunnel: String?

    init(_ reading: PacketReading, _ scheme: String, _ entry: ConnectionEntry, isWhole: Bool, depth: Int) {
        self.reading = reading
        self.scheme = scheme
        self.entry = entry
        self.depth = depth
        state = isWhole ? .reading : .awaitingRequest
        hasBegun = isWhole
        owed = OwedAnswer(isWhole: isWhole)
        streamTunnels = StreamTunnels(reading, depth: depth)
        conversation = reading.conversation(scheme, entry, followsTunnels: depth < Self.deepest)
    }

    /// What was asked before the first bytes that there are is not in the capture, be they those of a request.
    func beganBeforeCapture() {
        hasGaps = true
        owed.lostCount()
    }

    private func newConversation() -> Conversation {
        reading.conversation(scheme, entry, followsTunnels: depth < Self.deepest)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from side: Side, at time: Timestamp) {
        if side == .server { hasSeenServer = true }
        missing.received(from: side)
        switch state {
        case .awaitingRequest:
            if side == .client, isInTunnel(bytes, time) { return }
            if side == .server, mayLackRequest, FirstBytes.sender(of: bytes) == .server {
                mayLackRequest = false
                hasUnaskedAnswer = true
                missing.unseenRequests += 1
            }
            if side == .server { owed.answered(bytes) }
            let isSettings = side == .server && FirstBytes.isSettings(bytes)
            let frames = side == .client && !hasBegun ? middle.received(bytes) : nil
            guard isSettings || frames != nil || side == .client && FirstBytes(bytes) == .http else { return }
            hasBegun = true
            if side == .client, frames == nil, owed.isOwed { return tellUnpaired(bytes, time) }
            owed.asked()
            state = .reading
            hasUnaskedAnswer = false
            if let frames { return beginHTTP2(frames, at: time) }
            read(bytes, side, time)
            // It is HTTP/2, and what its client said first is missing, unless it comes yet.
            if isSettings {
                missing.lacksBeginning = missing.lostBytes == 0
                finish(conversation.lost(1, isExact: false, from: .client, at: time) ?? [])
                saidFirst = missing.lacksBeginning ? Array(bytes) : nil
            }
        case .reading:
            if saidFirst != nil { noteBeginning(bytes, side, time) }
            read(bytes, side, time)
        case .tunnel: tunnel?.received(bytes, from: side, at: time)
        case .over: break
        }
    }

    /// Begins anew where the server spoke first and the client begins behind that.
    private func noteBeginning(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        guard let said = saidFirst else { return }
        saidFirst = nil
        if side == .server {
            if said.count + bytes.count <= Self.mostSaidFirst { saidFirst = said + bytes }
        } else if [.http, .more].contains(FirstBytes(bytes)) {
            missing.lacksBeginning = false
            conversation = newConversation()
            said.withUnsafeBytes { read($0, .server, time) }
        }
    }

    /// HTTP/2 is spoken, and all that was said up to these frames of the client is missing.
    private func beginHTTP2(_ frames: HTTP2Middle.Beginning, at time: Timestamp) {
        isInMiddleOfHTTP2 = true
        // Without TLS nothing was agreed.
        if scheme == "https" { entry.facts.alpn = "h2" }
        entry.named(reading.name(of: entry.facts.serverAddress))
        conversation = newConversation()
        conversation.begin(with: frames)
        missing.lacksBeginning = missing.lostBytes == 0
        frames.bytes.withUnsafeBytes { read($0, .client, time) }
    }

    /// Tells of requests whose client did not wait for the answer to one before, of which a part is missing: which answers are theirs is
    /// not known.
    private func tellUnpaired(_ bytes: UnsafeRawBufferPointer, _ time: Timestamp) {
        // Where all is missing up to here, the server's number may be that of its second answer.
        let isServerKnown = hasSeenServer || scheme == "https" || owed.isOfKnownRequest
        if isServerKnown, seesAnswers { owed.askedAgain() }
        finish(conversation.received(bytes, from: .client, at: time))
        finish(conversation.abandon(at: time, reason: AnswerLoss.earlierRequestMissing))
        conversation = newConversation()
    }

    /// Whether an answer that has not been read has not come: in TLS its records may be missing, or not deciphered.
    private var seesAnswers: Bool { !mayLackAnswers && unreadable[.server] == nil }

    /// Goes by whether the client asks again before it has its answer.
    private func noteAskedAgain(_ time: Timestamp) {
        guard !conversation.speaksHTTP2, conversation.pendingExchanges > 1, seesAnswers else { return }
        owed.askedAgain()
        guard owed.isOwed else { return }
        finish(conversation.abandon(at: time, reason: AnswerLoss.earlierRequestMissing))
        conversation = newConversation()
        state = .awaitingRequest
    }

    /// Message by message: an answer waits for the rest of its request, and what was said behind that comes behind the answer.
    private func read(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) {
        lastWords.spoke(side, at: time)
        var rest = bytes
        repeat {
            if side == .server {
                guard
                    !conversation.isRequestOnItsWay || !early.holds(Array(rest), count: rest.count, at: time)
                else { return }
                letEarlyGo()
            }
            // What has waited may have been the end of what can be read.
            guard state == .reading else { return received(rest, from: side, at: time) }
            rest = rest.behind(decode(rest, side, time))
            if side == .client {
                noteAskedAgain(time)
                passEarlyAnswer()
            }
        } while !rest.isEmpty
    }

    /// Lets the answer go on where its request is whole.
    private func passEarlyAnswer() {
        guard !conversation.isRequestOnItsWay else { return }
        letEarlyGo()
        early.requestEnded()
    }

    private func letEarlyGo() {
        guard early.isWaiting else { return }
        for piece in early.take() {
            piece.bytes.withUnsafeBytes { received($0, from: .server, at: piece.at) }
        }
    }

    /// Whose request was refused may never send the rest of it, and the connection goes on.
    private static let earlyTime = Duration.seconds(5)

    /// Ends the exchanges of HTTP/2 whose answers have waited long enough for the rest of their requests.
    private func letEarlyStreamsGo(at time: Timestamp) {
        guard conversation.hasEarlyAnswer else {
            earlySince = nil
            return
        }
        let since = earlySince ?? time
        earlySince = since
        guard time - since > Self.earlyTime else { return }
        earlySince = nil
        finish(conversation.letEarlyAnswersGo())
    }

    /// Whether there is an answer that waits for the rest of its request.
    var isAnswerWaiting: Bool {
        early.isWaiting || conversation.hasEarlyAnswer || tunnels.contains { $0.isAnswerWaiting }
    }

    /// Nothing came up to now: whose request was refused may keep the connection, and be silent.
    func timePassed(until time: Timestamp) {
        if time - lastWords.latest > Self.earlyTime { letEarlyGo() }
        letEarlyStreamsGo(at: time)
        for tunnel in tunnels { tunnel.timePassed(until: time) }
    }

    /// Decodes bytes of a side up to the end of the message that they are of.
    ///
    /// - Returns: how many those are; all where nothing behind them is read.
    private func decode(_ bytes: UnsafeRawBufferPointer, _ side: Side, _ time: Timestamp) -> Int {
        let (exchanges, count) = conversation.receivedMessage(bytes, from: side, at: time)
        take(passTunnels(exchanges, at: time), side, time)
        return count
    }

    /// Takes what was completed by bytes of a side, and goes by what these have come to.
    private func take(_ exchanges: [Exchange], _ side: Side, _ time: Timestamp) {
        guard conversation.isUpgraded else {
            guard conversation.hasLostTheThread else {
                finish(exchanges)
                return letEarlyStreamsGo(at: time)
            }
            // Behind missing bytes anything may come first: an answer whose request is among them is no fault of the server's.
            let asked = hasGaps ? exchanges.filter { !$0.request.method.isEmpty } : exchanges
            missing.unseenRequests += exchanges.count - asked.count
            if asked.count < exchanges.count {
                owed.answered()
                // Nothing is missing since the first request: it was asked before that, by a client that did not wait.
                if scheme == "http", missing.lostBytes == 0 { owed.askedAgain() }
            }
            owed.lostCount()
            finish(asked)
            state = hasGaps && !isHTTP2 ? .awaitingRequest : .over
            conversation = newConversation()
            return
        }
        state = .over
        guard let connect = exchanges.last, connect.request.method == "CONNECT", depth < Self.deepest else {
            return finish(exchanges)
        }
        // The request to the proxy is no message of the login; what is in the tunnel is.
        finish(exchanges.dropLast())
        beginTunnel(for: connect)
        let rest = conversation.takeUnread()
        if !rest.isEmpty { rest.withUnsafeBytes { tunnel?.received($0, from: side, at: time) } }
    }

    func finish(_ exchanges: some Sequence<Exchange>) {
        for exchange in exchanges {
            if !hasToldTunnel, exchange.upgradedTo == "tunnel" {
                hasToldTunnel = true
                reading.note(PacketLoss(entry.id, entry, PacketLoss.unreadTunnel))
            }
            if exchange.request.method == "CONNECT" { refusedTunnel = exchange.request.url.authority }
            reading.finish(exchange)
        }
    }

    /// Whether nothing was read, as the connection's beginning is not in the capture.
    var isAwaitingBeginning: Bool { state == .awaitingRequest && !hasBegun }

    private var isHTTP2: Bool { entry.facts.alpn == "h2" || isInMiddleOfHTTP2 }

    /// Bytes of one direction are not there.
    ///
    /// `isExact`: false where as many are missing, or fewer.
    func lost(_ count: Int, isExact: Bool = true, from side: Side, at time: Timestamp) {
        hasGaps = true
        saidFirst = nil
        if side == .client { middle.forget() }
        missing.lost(count, from: side)
        let isAnsweredEarly = early.isWaiting
        if side == .server {
            lacksServer = true
            letEarlyGo()
        }
        switch state {
        case .awaitingRequest:
            mayLackRequest = mayLackRequest || side == .client && hasUnaskedAnswer
            if side == .client { owed.lostBetween(count) } else { owed.answered() }
        case .over: break
        case .tunnel: tunnel?.lost(count, from: side, at: time)
        case .reading:
            let isBehindRequest =
                side == .client && isExact && !conversation.speaksHTTP2 && conversation.pendingExchanges > 0
                && !conversation.isRequestOnItsWay
            let cut = side == .client ? halfRequest : nil
            if let exchanges = conversation.lost(count, isExact: isExact, from: side, at: time) {
                finish(passTunnels(exchanges, at: time))
                return passEarlyAnswer()
            }
            let reason = AnswerLoss.bytesMissing(count, isExact: isExact, of: side.rawValue)
            var failed = abandoned(reason, at: time)
            if side == .server, !isHTTP2, depth < Self.deepest, let last = failed.last,
                last.request.method == "CONNECT", last.response == nil
            {
                unansweredConnect = failed.removeLast()
            }
            if let cut { missing.cut(cut) }
            mayLackRequest = side == .client && failed.isEmpty && cut == nil
            owed.lostCount()
            if isBehindRequest { owed.lostBehindRequest(count) }
            if side == .server {
                owed.answered()
            } else if cut != nil || failed.contains(where: { $0.response == nil }) {
                owed.lostWithin()
            } else if failed.isEmpty, !isAnsweredEarly {
                owed.lostBetween(count)
            }
            finish(failed)
            state = isHTTP2 ? .over : .awaitingRequest
        }
    }

    /// What else this side sends cannot be deciphered.
    func becameUnreadable(_ reason: String, _ side: Side) { unreadable[side] = reason }

    /// Why an answer is missing that the server may well have given; nil where the capture has all that it sent.
    private var missingAnswer: String? {
        if let reason = unreadable[.server] { return AnswerLoss.undecrypted("the answer", reason) }
        return lacksServer && !hasSeenServer ? AnswerLoss.serverMissing : nil
    }

    /// See ``ConnectionReader/keysAdded(at:)``.
    func keysAdded(at time: Timestamp) {
        for tunnel in tunnels { tunnel.keysAdded(at: time) }
    }

    /// The method and the path of a request whose head has not come to its end; nil where there is none.
    var halfRequest: String? {
        guard state == .reading, unreadable[.client] == nil else { return nil }
        return conversation.halfRequestHead.flatMap { head in
            head.withUnsafeBytes { bytes in
                guard FirstBytes(bytes) == .http else { return nil }
                // Behind the path may be a code.
                let words = FirstBytes.firstLine(of: bytes).prefix { $0 != UInt8(ascii: "?") }
                return String(decoding: words, as: UTF8.self)
            }
        }
    }

    /// From here on nothing can be read.
    func abandon(_ reason: String, at time: Timestamp) { finish(abandoned(reason, at: time)) }

    /// The same; the exchanges that are under way.
    private func abandoned(_ reason: String, at time: Timestamp) -> [Exchange] {
        letEarlyGo()
        guard state == .reading else { return [] }
        let exchanges = conversation.abandon(at: time, reason: reason)
        conversation = newConversation()
        state = .over
        return exchanges
    }

    func ended(_ side: Side, _ end: TCPStreamEnd, at time: Timestamp) {
        letEarlyGo()
        streamTunnels.ended(side, end, at: time)
        switch state {
        case .awaitingRequest, .over: break
        case .tunnel: tunnel?.ended(side, end, at: time)
        case .reading:
            if side == .client, end == .finished { lastWords.clientEnd = time }
            if end == .captureEnded { endAbandoned() }
            let reason: String? =
                switch end {
                case .finished: side == .server ? missingAnswer ?? departure(before: time) : nil
                case .reset(by: .client): AnswerLoss.clientReset
                case .reset(by: .server): departure(before: time) ?? "connection reset by the server"
                case .unanswered, .captureEnded: AnswerLoss.captureEnded
                }
            finish(conversation.ended(side, reason: reason, at: time))
        }
    }

    func closed(at time: Timestamp) {
        letEarlyGo()
        if let connect = unansweredConnect { reading.finish(connect) }
        tunnel?.closed(at: time)
        streamTunnels.closed(at: time)
        if let words = missing.take(with: conversation.losses) {
            reading.note(PacketLoss(entry.id, entry, words))
        }
        endAbandoned()
        abandon(missingAnswer ?? AnswerLoss.captureEnded, at: time)
    }

    /// Who is done with sending may wait for the answer, but not to the capture's end.
    private func endAbandoned() {
        guard let clientEnd = lastWords.clientEnd, state == .reading else { return }
        let reason = missingAnswer ?? AnswerLoss.clientLeft
        finish(conversation.ended(.client, reason: reason, at: max(clientEnd, lastWords.received)))
    }

    /// Why an answer is not whole though it was the server that ended its side: the client had gone, and that was the reply to it.
    private func departure(before time: Timestamp) -> String? {
        lastWords.hadClientGone(before: time) ? AnswerLoss.clientLeft : nil
    }
}
