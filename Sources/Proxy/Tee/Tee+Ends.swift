internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// How a tee comes to its end: by one of its sides, by the recorder, or by time.
extension Tee {
    /// The provider's bytes end without a word of TLS's, or the connection breaks: an answer that lasts until then may be cut
    /// off, and the client is to see that.
    func endsUnannounced(_ side: Side) {
        guard side == .server else { return }
        client?.endUnannounced()
    }

    func inputClosed(_ side: Side) {
        if side == .client { noteUnasked() }
        guard side == .client || !delays({ [weak self] in self?.inputClosed(side) }) else { return }
        settle()
        guard !isOver else { return }
        if side == .server {
            ends.serverEnded()
            if !isStillHeard { endAbandoned() }
            end(.server, nil)
            guard ends.clientEnd == nil else { return close() }
            client?.closeOutput()
            // What else the client sends is read and dropped until it closes: closing on unread bytes resets
            // the connection, and takes with it what the client has not read yet.
            if !isOpaque { closeAfter(proxy.configuration.limits.lingerTime) }
        } else {
            ends.clientEnded(at: proxy.clock())
            guard !ends.hasServerEnded else { return close() }
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
        if side == .client { noteUnasked() }
        guard side == .client || !delays({ [weak self] in self?.broken(side, reason) }) else { return }
        if side == .client { loseLastByte() }
        settle()
        guard !isOver else { return }
        if side == .server, isNew, !hasCompletedAny, ends.clientEnd == nil, isIdle, !isOpaque {
            return refused(reason)
        }
        // What was cut off is to look so to the client, too, unless it has seen the provider's end before.
        if !isIdle, side == .server, ends.clientEnd == nil, !ends.hasServerEnded {
            endsUnannounced(side)
            if reason.hasPrefix("ECONNRESET") {
                client?.lateReset = LateReset(
                    isWithinAnswer: ends.isAnswering,
                    patience: TimeAmount(proxy.configuration.limits.lingerTime * 6)
                )
            }
        }
        end(side, isIdle ? nil : ends.loss(by: side, reason))
        close()
    }

    /// Tells of a client that has asked nothing, and went as soon as its handshake was done.
    private func noteUnasked() {
        guard let entry = unasked, !isOver, !ends.hasServerEnded, refusal == nil else { return }
        unasked = nil
        if .now() - began < Self.timeForCertificate { proxy.noteUnasked(entry) }
    }

    /// How long a client takes at most to look at the certificate behind its handshake.
    private static let timeForCertificate = TimeAmount.milliseconds(500)

    /// Who is at the server's end, for words.
    var nameOfServer: String {
        asked.map { "upstream proxy \($0)" } ?? "server\(UpstreamProxy.way(by: proxyOnTheWay))"
    }

    /// The proxy whose tunnel leads to the provider; nil where it is reached without, or asked request by request.
    var proxyOnTheWay: UpstreamProxy? { asked == nil ? proxy.connector.proxy(to: origin) : nil }

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
        proxy.tell(failure, of: origin)
        end(.server, failure.reason)
        let isTold = conversation?.speaksHTTP2 != true
        conversation = nil
        ends.serverEnded()
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
        if side == .server, !isStillHeard { endAbandoned() }
        end(side, isIdle ? nil : ends.loss(byGoing: side))
        close()
    }

    /// Whether what happened to the provider's side has to wait for bytes that came before.
    private func delays(_ end: @escaping () -> Void) -> Bool { early.delays(end) || lastByte.delays(end) }

    /// The client turns out to have gone when it ended its half: what its answer would have ended with is known all the same.
    private func loseLastByte() {
        guard let byte = lastByte.take().piece else { return }
        var exchanges = conversation?.received(byte.bytes, from: .server, at: byte.at) ?? []
        for index in exchanges.indices { exchanges[index].failure = AnswerLoss.clientLeft }
        keep(exchanges)
    }

    // MARK: By the recorder

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

    private var isStillHeard: Bool {
        ends.isClientStillHeard(speakingHTTP2: conversation?.speaksHTTP2 == true)
    }

    /// What a client that has gone did not wait for failed when it went.
    private func endAbandoned() {
        // Looked at first: what is idle is known by decoding.
        guard ends.clientEnd != nil, !isIdle, let time = ends.abandonedAt else { return }
        keep(conversation?.ended(.client, reason: AnswerLoss.clientLeft, at: time) ?? [])
    }

    private func end(_ side: Side, _ reason: String?) {
        keep(conversation?.ended(side, reason: reason, at: proxy.clock()) ?? [])
    }

    private func close() {
        guard !isOver else { return }
        isOver = true
        // A request that crossed with the provider's end.
        if !isIdle { keep(conversation?.abandon(at: proxy.clock(), reason: TeeEnds.unanswered) ?? []) }
        keep(conversation?.endedWithinHead(at: proxy.clock()) ?? [])
        if let passed { proxy.gate.keep([passed.entry]) }
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
        let last = ends.lastReceived
        after(time) {
            guard $0.ends.lastReceived == last else { return $0.closeAfterSilence(of: time) }
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
