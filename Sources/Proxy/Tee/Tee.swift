internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's connection and the provider's, joined: bytes go across as they are, the decoder sees them
/// first, and what completes an answer goes on when the exchange is in the file.
///
/// Belongs to one event loop, which both connections run on.
final class Tee {
    let proxy: ProxyContext
    let origin: Origin
    private let identity: ClientIdentity
    let loop: any EventLoop
    private let batch: EntryBatch
    /// Bytes of the client that have gone on, and were not decoded yet: the provider need not wait for that.
    private var ahead: [(bytes: ByteBuffer, at: Timestamp)] = []
    /// Bytes for the client behind the end of an answer that is not in the file yet.
    private var held: [ByteBuffer] = []
    private var isHolding = false
    /// What the provider answered before the client was done with asking.
    var early = WaitingAnswer()
    /// The same with HTTP/2, where other answers are behind it.
    var earlyStreams = EarlyStreams()
    /// What an answer may end with, where the client may have gone.
    var lastByte = LastByte()
    var client: TeeHandler?
    var server: TeeHandler?
    /// Nil where the bytes are nobody's business (a host that is passed through).
    var conversation: Conversation?
    private let records: Bool
    /// The proxy that is asked in the provider's place, request by request; nil where the connection leads to the provider.
    let asked: UpstreamProxy?
    /// Nil where the connection is somebody's business.
    var passed: PassedTunnel?
    /// The entry of a tunnel in whose TLS the client has said nothing yet.
    var unasked: TunnelEntry?
    var ends = TeeEnds()
    var isOver = false
    private var hasNotedGarbage = false
    var hasCompletedAny = false
    /// Why the provider went before it was asked anything: what the client asks of it then is told this.
    var refusal: UpstreamFailure?
    var linger: Scheduled<Void>?
    let began = NIODeadline.now()
    /// Called when no exchange is under way any more.
    var whenIdle: (() -> Void)?

    init(
        proxy: ProxyContext,
        origin: Origin,
        identity: ClientIdentity,
        loop: any EventLoop,
        conversation: Conversation?,
        records: Bool = true,
        asked: UpstreamProxy? = nil,
        passed: ((_ sent: Int, _ received: Int) -> Exchange)? = nil,
        unasked: TunnelEntry? = nil
    ) {
        self.passed = passed.map { PassedTunnel($0) }
        self.unasked = unasked
        self.records = records
        self.asked = asked
        self.proxy = proxy
        self.origin = origin
        self.identity = identity
        self.loop = loop
        batch = proxy.gate.batch(of: loop)
        self.conversation = conversation
    }

    /// Makes the two handlers; each goes to the end of its channel's pipeline.
    func makeHandlers() -> (client: TeeHandler, server: TeeHandler) {
        let client = TeeHandler(side: .client, tee: self)
        let server = TeeHandler(side: .server, tee: self)
        self.client = client
        self.server = server
        return (client, server)
    }

    /// Whether nothing is awaited: each request has its whole answer.
    var isIdle: Bool {
        catchUp()
        return conversation.map { $0.pendingExchanges == 0 } ?? true
    }

    /// Whether the next request may come in the place of a body, see ``Conversation/mayLackBody``.
    var mayLackBody: Bool {
        catchUp()
        return conversation?.mayLackBody ?? false
    }

    /// Whether the bytes are not (or no longer) HTTP/1, so that their ends mean nothing to us.
    var isOpaque: Bool {
        catchUp()
        return conversation.map { $0.hasLeftHTTP1 || $0.hasLostTheThread } ?? true
    }

    /// Whether the bytes can no longer be told apart, and are passed on all the same.
    var hasLostTheThread: Bool {
        catchUp()
        return conversation?.hasLostTheThread ?? false
    }

    /// Whether another protocol than HTTP/1 is spoken from here on.
    var isUpgraded: Bool {
        catchUp()
        return conversation?.hasLeftHTTP1 ?? false
    }

    func other(than side: Side) -> TeeHandler? { side == .client ? server : client }

    /// A side may be read while what comes of it can be passed on, and for its end once there is nobody to
    /// pass it to.
    func mayRead(_ side: Side) -> Bool { other(than: side)?.isWritable ?? true }

    // MARK: Events

    func received(_ bytes: ByteBuffer, from side: Side) {
        guard !isOver else { return }
        guard side == .server else {
            if let entry = unasked {
                unasked = nil
                proxy.pinning.takeNote(of: entry.identity.facts, entry.origin)
            }
            if conversation == nil {
                passed?.count(bytes.readableBytes, from: .client)
            } else {
                ahead.append((bytes, proxy.clock()))
            }
            server?.write(bytes)
            if let refusal, !isIdle { failed(refusal) }
            return
        }
        catchUp()
        let time = proxy.clock()
        ends.serverSent(at: time)
        guard !isRequestOnItsWay || !early.holds(bytes, at: time) else {
            let patience = proxy.configuration.limits.earlyAnswerTime
            return early.callBack(after: patience, on: loop) { [weak self] in self?.letEarlyGo() }
        }
        letEarlyGo()
        pass(bytes, at: time)
    }

    private var isRequestOnItsWay: Bool { records && conversation?.isRequestOnItsWay ?? false }

    /// What came of an answer before its request was whole, and what became of the provider's side then.
    private func letEarlyGo() {
        guard early.isWaiting else { return }
        let (pieces, ends) = early.take()
        for piece in pieces { pass(piece.bytes, at: piece.at) }
        client?.flush()
        for end in ends { end() }
    }

    /// Has all that the provider says wait while an answer waits for its request.
    private func waitForRequests(holding count: Int) {
        guard records, conversation?.hasEarlyAnswer == true else { return }
        let time = proxy.configuration.limits.earlyAnswerTime
        if !earlyStreams.wait(
            holding: count,
            for: time,
            on: loop,
            { [weak self] in self?.letEarlyStreamsGo() }
        ) {
            letEarlyStreamsGo()
        }
    }

    /// They have waited for long enough, or have nothing to wait for any more.
    private func letEarlyStreamsGo() {
        guard earlyStreams.areWaiting else { return }
        earlyStreams.stop()
        completed(conversation?.letEarlyAnswersGo() ?? [])
        if !isHolding { released() }
    }

    /// Bytes of the provider: the last one later than the others where the client may have gone.
    private func pass(_ bytes: ByteBuffer, at time: Timestamp) {
        letLastByteGo()
        // It may have been all that was waited for.
        guard !isOver else { return }
        guard ends.clientEnd != nil, records, !isOpaque else { return hand(bytes, at: time) }
        var bytes = bytes
        lastByte.hold(of: &bytes, at: time, on: loop) { [weak self] in self?.letLastByteGo() }
        if bytes.readableBytes > 0 { hand(bytes, at: time) }
    }

    private func letLastByteGo() {
        guard lastByte.isWaiting else { return }
        let (byte, ends) = lastByte.take()
        if let byte {
            hand(byte.bytes, at: byte.at)
            client?.flush()
        }
        for end in ends { end() }
    }

    /// Seen by the decoder, then sent to the client.
    private func hand(_ bytes: ByteBuffer, at time: Timestamp) {
        ends.answerWentOn()
        if conversation == nil {
            passed?.count(bytes.readableBytes, from: .server)
        } else {
            completed(conversation?.received(bytes, from: .server, at: time) ?? [])
        }
        waitForRequests(holding: bytes.readableBytes)
        if isHolding || earlyStreams.areWaiting {
            held.append(bytes)
        } else {
            client?.write(bytes)
            tellIfIdle()
        }
    }

    /// Nothing more of one side is there to be read at the moment.
    func readComplete(_ side: Side) {
        other(than: side)?.flush()
        if side == .client { catchUp() }
    }

    /// Decodes what has gone on to the provider.
    private func catchUp() {
        guard !ahead.isEmpty else { return }
        let pieces = ahead
        ahead.removeAll(keepingCapacity: true)
        var done: [Exchange] = []
        for (bytes, time) in pieces {
            done += conversation?.received(bytes, from: .client, at: time) ?? []
        }
        completed(done)
        if conversation?.hasEarlyAnswer != true { letEarlyStreamsGo() }
        guard !isRequestOnItsWay else { return }
        letEarlyGo()
        early.requestEnded()
    }

    /// First into the file, then to the client.
    private func completed(_ exchanges: consuming [Exchange]) {
        guard records else { return }
        if !exchanges.isEmpty {
            hasCompletedAny = true
            ends.answerIsWhole()
            isHolding = true
            identify(&exchanges)
            batch.add(exchanges, of: self)
        }
        if !hasNotedGarbage, conversation?.hasLostTheThread == true {
            hasNotedGarbage = true
            proxy.notify(.notHTTP(host: origin.description))
        }
    }

    /// What was completed is in the file.
    func released() {
        isHolding = false
        guard !earlyStreams.areWaiting else { return }
        let bytes = held
        held = []
        guard let client, !bytes.isEmpty else { return }
        for piece in bytes { client.write(piece) }
        client.flush()
        tellIfIdle()
    }

    private func tellIfIdle() {
        if let whenIdle, isIdle || isOpaque { whenIdle() }
    }

    /// Lets go what is held, before anything else happens than bytes.
    func settle() {
        catchUp()
        letEarlyGo()
        letLastByteGo()
        letEarlyStreamsGo()
        if isHolding { batch.commit() }
    }

    /// The provider has asked for a certificate behind the handshake.
    func showed(_ late: LateClientCertificate) {
        catchUp()
        conversation?.showed(clientCertificate: TunnelEntry.text(ofShown: late.shown))
        proxy.noteClientCertificate(late.shown, origin)
    }

    // MARK: -

    /// Into the file at once.
    func keep(_ exchanges: consuming [Exchange]) {
        guard records, !exchanges.isEmpty else { return }
        identify(&exchanges)
        proxy.gate.keep(exchanges)
    }

    private func identify(_ exchanges: inout [Exchange]) {
        let way = proxyOnTheWay
        for index in exchanges.indices {
            exchanges[index].sharedClient = identity.shared
            way?.nameWay(in: &exchanges[index])
            if let failure = asked?.takeOver(&exchanges[index], of: origin) {
                proxy.tell(failure, of: origin)
            }
        }
    }
}
