internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's connection and the provider's, joined: bytes go across as they are, the decoder sees them
/// first, and what completes an answer goes on when the exchange is in the file.
///
/// Belongs to one event loop, which both connections run on.
final class Tee {
    private let proxy: ProxyContext
    private let origin: Origin
    private let identity: ClientIdentity
    private let loop: any EventLoop
    private let batch: EntryBatch
    /// Bytes of the client that have gone on, and were not decoded yet: the provider need not wait for that.
    private var ahead: [(bytes: ByteBuffer, at: Timestamp)] = []
    /// Bytes for the client behind the end of an answer that is not in the file yet.
    private var held: [ByteBuffer] = []
    private var isHolding = false
    /// What the provider answered before the client was done with asking.
    private var early = EarlyAnswer()
    /// What an answer may end with, where the client may have gone.
    private var lastByte = LastByte()
    private var client: TeeHandler?
    private var server: TeeHandler?
    /// Nil where the bytes are nobody's business (a host that is passed through).
    private var conversation: Conversation?
    private let records: Bool
    /// The entry of a tunnel that is nobody's business, made of the bytes the client sent and received.
    private let passed: ((_ sent: Int, _ received: Int) -> Exchange)?
    private var sent = 0
    private var received = 0
    /// When the client was done with sending, which mostly means that it has gone.
    private var clientEnd: Timestamp?
    /// When bytes of the provider came last.
    private var lastReceived = Timestamp(nanoseconds: 0)
    /// Whether the provider's side has come to its end, and the client's with it: no request can be answered any more.
    private(set) var hasServerEnded = false
    private var isOver = false
    private var hasNotedGarbage = false
    private var hasCompletedAny = false
    /// Whether bytes of an answer have come that is not whole yet.
    private var isAnswering = false
    /// Why the provider went before it was asked anything: what the client asks of it then is told this.
    private var refusal: UpstreamFailure?
    private var linger: Scheduled<Void>?
    private let began = NIODeadline.now()
    /// Called when no exchange is under way any more.
    var whenIdle: (() -> Void)?

    init(
        proxy: ProxyContext,
        origin: Origin,
        identity: ClientIdentity,
        loop: any EventLoop,
        conversation: Conversation?,
        records: Bool = true,
        passed: ((_ sent: Int, _ received: Int) -> Exchange)? = nil
    ) {
        self.passed = passed
        self.records = records
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
            if conversation == nil {
                sent += bytes.readableBytes
            } else {
                ahead.append((bytes, proxy.clock()))
            }
            server?.write(bytes)
            if let refusal, !isIdle { failed(refusal) }
            return
        }
        catchUp()
        lastReceived = proxy.clock()
        guard !early.holds(bytes, at: lastReceived, isRequestOnItsWay: isRequestOnItsWay) else {
            let time = proxy.configuration.limits.earlyAnswerTime
            return early.callBack(after: time, on: loop) { [weak self] in self?.letEarlyGo() }
        }
        letEarlyGo()
        pass(bytes, at: lastReceived)
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

    /// Bytes of the provider: the last one later than the others where the client may have gone.
    private func pass(_ bytes: ByteBuffer, at time: Timestamp) {
        guard clientEnd != nil, records, !isOpaque else { return hand(bytes, at: time) }
        if let byte = lastByte.take().piece { hand(byte.bytes, at: byte.at) }
        var bytes = bytes
        lastByte.hold(of: &bytes, at: time, on: loop) { [weak self] in self?.letLastByteGo() }
        hand(bytes, at: time)
    }

    private func letLastByteGo() {
        let (byte, ends) = lastByte.take()
        if let byte {
            hand(byte.bytes, at: byte.at)
            client?.flush()
        }
        for end in ends { end() }
    }

    /// The client turns out to have gone when it ended its half: what its answer would have ended with is known all the same.
    private func loseLastByte() {
        guard let byte = lastByte.take().piece else { return }
        var exchanges = conversation?.received(byte.bytes, from: .server, at: byte.at) ?? []
        for index in exchanges.indices { exchanges[index].failure = AnswerLoss.clientLeft }
        keep(exchanges)
    }

    /// Whether what happened to the provider's side has to wait for bytes that came before.
    private func delays(_ end: @escaping () -> Void) -> Bool { early.delays(end) || lastByte.delays(end) }

    /// Seen by the decoder, then sent to the client.
    private func hand(_ bytes: ByteBuffer, at time: Timestamp) {
        isAnswering = true
        if conversation == nil {
            received += bytes.readableBytes
        } else {
            completed(conversation?.received(bytes, from: .server, at: time) ?? [])
        }
        if isHolding {
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
        guard !isRequestOnItsWay else { return }
        letEarlyGo()
        early.requestEnded()
    }

    /// First into the file, then to the client.
    private func completed(_ exchanges: consuming [Exchange]) {
        guard records else { return }
        if !exchanges.isEmpty {
            hasCompletedAny = true
            isAnswering = false
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
    private func settle() {
        catchUp()
        letEarlyGo()
        letLastByteGo()
        if isHolding { batch.commit() }
    }

    /// The provider's bytes end without a word of TLS's, or the connection breaks: an answer that lasts until then may be cut
    /// off, and the client is to see that.
    func endsUnannounced(_ side: Side) {
        guard side == .server else { return }
        client?.endUnannounced()
    }

    /// The provider has asked for a certificate behind the handshake.
    func showed(_ late: LateClientCertificate) {
        catchUp()
        conversation?.showed(clientCertificate: TunnelEntry.text(ofShown: late.shown))
        proxy.noteClientCertificate(late.shown, origin)
    }

    func inputClosed(_ side: Side) {
        guard side == .client || !delays({ [weak self] in self?.inputClosed(side) }) else { return }
        settle()
        guard !isOver else { return }
        if side == .server {
            hasServerEnded = true
            endAbandoned()
            end(.server, nil)
            guard clientEnd == nil else { return close() }
            client?.closeOutput()
            // What else the client sends is read and dropped until it closes: closing on unread bytes resets
            // the connection, and takes with it what the client has not read yet.
            if !isOpaque { closeAfter(proxy.configuration.limits.lingerTime) }
        } else {
            clientEnd = proxy.clock()
            guard !hasServerEnded else { return close() }
            guard isOpaque || !isIdle else {
                end(.client, nil)
                return close()
            }
            // It may be waiting for its answers still; most have simply gone, and the provider will close
            // then.
            server?.closeOutput()
            if !isOpaque { closeAfterSilence(of: proxy.configuration.limits.lingerTime * 12) }
        }
    }

    func broken(_ side: Side, _ reason: String) {
        guard side == .client || !delays({ [weak self] in self?.broken(side, reason) }) else { return }
        if side == .client { loseLastByte() }
        settle()
        guard !isOver else { return }
        if side == .server, isNew, !hasCompletedAny, clientEnd == nil, isIdle, !isOpaque {
            return refused(reason)
        }
        // What was cut off is to look so to the client, too.
        if !isIdle, side == .server, clientEnd == nil {
            endsUnannounced(side)
            if reason.hasPrefix("ECONNRESET") {
                client?.lateReset = LateReset(
                    isWithinAnswer: isAnswering,
                    patience: TimeAmount(proxy.configuration.limits.lingerTime * 6)
                )
            }
        }
        // What breaks when it is sent an answer was gone when it ended its half.
        end(side, isIdle ? nil : side == .client && clientEnd != nil ? AnswerLoss.clientLeft : reason)
        close()
    }

    /// A provider that has waited for longer does not refuse the client: it is tired of waiting, and the client, which sees
    /// the end at once, will open another connection.
    private var isNew: Bool { .now() - began < TimeAmount(proxy.configuration.limits.lingerTime) }

    /// The provider has broken off before it was asked anything.
    ///
    /// With TLS 1.3 it says only behind its handshake that it wants another certificate of the client. The client's request
    /// is on its way, and is to be in the capture.
    private func refused(_ reason: String) {
        refusal = UpstreamFailure(reason: reason)
        server?.detach()
        server?.closeAfterFlush()
        server = nil
        client?.resumeReading()
        closeAfter(proxy.configuration.limits.lingerTime)
    }

    /// The way to the provider turns out to be none: the client is told in the place of an answer.
    func failed(_ failure: UpstreamFailure) {
        settle()
        guard !isOver else { return }
        proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason, hint: failure.hint))
        end(.server, failure.reason)
        let isTold = conversation?.speaksHTTP2 != true
        conversation = nil
        hasServerEnded = true
        server?.detach()
        server?.closeAfterFlush()
        server = nil
        if isTold { client?.write(ByteBuffer(bytes: PlainResponse.unreachable(origin, failure).bytes())) }
        client?.closeOutput()
        // What it has not sent yet is read and dropped, as in inputClosed.
        client?.resumeReading()
        closeAfter(proxy.configuration.limits.lingerTime)
    }

    func gone(_ side: Side) {
        guard side == .client || !delays({ [weak self] in self?.gone(side) }) else { return }
        if side == .client { loseLastByte() }
        settle()
        if side == .client { client = nil } else { server = nil }
        guard !isOver else { return }
        // A provider that goes because the client has gone has broken nothing.
        if side == .server { endAbandoned() }
        end(side, isIdle ? nil : side == .client ? AnswerLoss.clientLeft : "the server closed the connection")
        close()
    }

    /// The recording ends: what is pending is kept as it stands.
    func abandon() {
        settle()
        guard !isOver else { return }
        endAbandoned()
        keep(
            conversation?.abandon(at: proxy.clock(), reason: AnswerLoss.recordingEnded) ?? []
        )
        close()
    }

    /// Takes down a request that is answered by us and goes nowhere; then parts from the client's side.
    func refuse(_ bytes: ByteBuffer, _ reason: String) {
        settle()
        keep(conversation?.received(bytes, from: .client, at: proxy.clock()) ?? [])
        end(.server, reason)
        release()
    }

    /// Parts from the client's side, which goes on with another provider.
    func release() {
        settle()
        isOver = true
        linger?.cancel()
        whenIdle = nil
        client?.detach()
        server?.detach()
        server?.closeAfterFlush()
        client = nil
        server = nil
    }

    // MARK: -

    /// What a client that has gone did not wait for failed when it went.
    private func endAbandoned() {
        guard let clientEnd, !isIdle else { return }
        let time = max(clientEnd, lastReceived)
        keep(conversation?.ended(.client, reason: AnswerLoss.clientLeft, at: time) ?? [])
    }

    private func end(_ side: Side, _ reason: String?) {
        keep(conversation?.ended(side, reason: reason, at: proxy.clock()) ?? [])
    }

    /// Into the file at once.
    private func keep(_ exchanges: consuming [Exchange]) {
        guard records, !exchanges.isEmpty else { return }
        identify(&exchanges)
        proxy.gate.keep(exchanges)
    }

    private func identify(_ exchanges: inout [Exchange]) {
        for index in exchanges.indices { exchanges[index].sharedClient = identity.shared }
    }

    private func close() {
        guard !isOver else { return }
        isOver = true
        // A request that crossed with the provider's end.
        if !isIdle {
            let reason = "the server closed the connection without an answer"
            keep(conversation?.abandon(at: proxy.clock(), reason: reason) ?? [])
        }
        if let passed { proxy.gate.keep([passed(sent, received)]) }
        _ = lastByte.take()
        linger?.cancel()
        whenIdle = nil
        client?.closeAfterFlush()
        server?.closeAfterFlush()
    }

    private func closeAfter(_ time: Duration) {
        after(time) {
            $0.endAbandoned()
            $0.close()
        }
    }

    /// Once nothing of the provider has come for so long.
    private func closeAfterSilence(of time: Duration) {
        let last = lastReceived
        after(time) {
            guard $0.lastReceived == last else { return $0.closeAfterSilence(of: time) }
            $0.endAbandoned()
            $0.close()
        }
    }

    private func after(_ time: Duration, _ action: @escaping (Tee) -> Void) {
        linger?.cancel()
        linger = loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            guard let self, !self.isOver else { return }
            action(self)
        }
    }
}
