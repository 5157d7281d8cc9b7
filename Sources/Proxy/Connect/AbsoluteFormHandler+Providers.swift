internal import Captures
internal import NIOCore
internal import Wire

/// The providers of requests in clear: dialled one after the other, agreed on TLS with where `https` is asked for, joined with the
/// client; and what is recorded of a request that comes to none.
extension AbsoluteFormHandler {
    func dial(_ origin: Origin, _ request: ProxyRequest) {
        guard let context else { return }
        let dial = attempt(origin, request)
        phase = .dialing(dial)
        leaveProvider()
        let wanted = UpstreamRequest(
            origin: origin,
            isRestricted: role.isRestricted(proxy, identity),
            isPlainHTTP: !request.wantsTunnel && !request.isSecure
        )
        proxy.connector.connect(wanted, on: context.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            let took = proxy.clock() - dial.entry.startedAt
            let result = result.flatMap { connection in
                Result { (connection, try UpstreamLeg(of: connection)) }
            }
            identity.whenKnown { [self] in dialed(dial, result, in: took) }
        }
    }

    private func dialed(
        _ dial: Dial,
        _ result: Result<(UpstreamConnection, UpstreamLeg), any Error>,
        in took: Duration
    ) {
        guard case .dialing = phase else {
            if case .success((_, let leg)) = result { leg.close() }
            return
        }
        let origin = dial.entry.origin
        switch result {
        case .success((let connection, let leg)):
            var dial = dial
            dial.entry.connected(to: connection.address, in: took)
            if leg.isUseless(acceptsSilence: false) {
                let error = leg.end?.error
                leg.close()
                refuse(
                    dial,
                    connection.retargets.map { .unasked($0, error) } ?? proxy.unasked(origin, error)
                )
            } else if dial.request.isSecure {
                return secure(dial, leg)
            } else {
                join(dial, leg, retargetedBy: connection.retargets)
            }
        case .failure(let error): refuse(dial, error as? UpstreamFailure ?? .dialing(origin, error))
        }
        resume()
        resumeReading()
    }

    /// Agrees on TLS with a provider; what follows is as in clear.
    private func secure(_ dial: Dial, _ leg: UpstreamLeg) {
        guard let context else { return leg.close() }
        let handshake = ProviderHandshake(over: leg, with: dial.entry.origin, proxy: proxy)
        self.handshake = handshake
        handshake.start(on: context.eventLoop) { [self] result in
            self.handshake = nil
            switch result {
            case .success((let agreed, let took)):
                var dial = dial
                dial.entry.agreed(agreed, in: took)
                join(dial, leg)
            case .failure(let failure): refuse(dial, failure)
            }
            resume()
            resumeReading()
        }
    }

    private func join(_ dial: Dial, _ leg: UpstreamLeg, retargetedBy proxied: UpstreamProxy? = nil) {
        guard let context, let upstream = leg.context else { return leg.close() }
        let origin = dial.entry.origin
        let tee = Tee(
            proxy: proxy,
            origin: origin,
            identity: identity,
            loop: context.eventLoop,
            conversation: conversation(dial.entry),
            records: dial.entry.isRecorded,
            asked: proxied
        )
        let handlers = tee.makeHandlers()
        let retargeting = proxied.map {
            RetargetingHandler(
                proxy: $0,
                origin: origin,
                maximumHeadBytes: proxy.configuration.limits.headBytes
            )
        }
        do {
            try context.pipeline.syncOperations.addHandler(handlers.client, position: .after(self))
            if let retargeting { try upstream.pipeline.syncOperations.addHandler(retargeting) }
            try upstream.pipeline.syncOperations.addHandler(handlers.server)
        } catch {
            leg.close()
            return context.close(promise: nil)
        }
        current = Provider(
            origin: origin,
            isSecure: dial.request.isSecure,
            tee: tee,
            handler: handlers.client,
            retargeting: retargeting
        )
        phase = .forwarding
        begin(with: dial.request, leg, upstream, context)
    }

    /// Sends the request that the provider was dialled for, and lets it answer.
    private func begin(
        with request: ProxyRequest,
        _ leg: UpstreamLeg,
        _ upstream: ChannelHandlerContext,
        _ context: ChannelHandlerContext
    ) {
        let early = leg.takeEarlyBytes()
        if early.readableBytes > 0 {
            upstream.fireChannelRead(NIOAny(early))
            upstream.fireChannelReadComplete()
        }
        pass(request)
        context.fireChannelReadComplete()
        // What is asked is asked in vain, and is to be in the capture.
        if leg.end != nil { upstream.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        upstream.pipeline.syncOperations.removeHandler(leg, promise: nil)
        leg.startReading(upstream)
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    private func refuse(_ dial: Dial, _ failure: UpstreamFailure) {
        guard let context else { return }
        let origin = dial.entry.origin
        proxy.tell(failure, of: origin)
        let handler = RefusalHandler(
            proxy: proxy,
            conversation: dial.entry.isRecorded ? conversation(dial.entry) : nil,
            identity: identity,
            page: .unreachable(origin, failure),
            failure: failure,
            fallback: nil
        )
        try? context.pipeline.syncOperations.addHandler(handler, position: .after(self))
        isRefusing = true
        phase = .forwarding
        pass(dial.request)
    }

    func leaveProvider() {
        guard let provider = current else { return }
        current = nil
        provider.tee.release()
        context?.pipeline.syncOperations.removeHandler(provider.handler, promise: nil)
    }

    func leaveHandshake() {
        handshake?.cancel()
        handshake = nil
    }

    // MARK: Requests that reach nobody

    /// The request that nobody waits for any more is an entry: its provider may be the very trouble, or the one before it.
    ///
    /// `reason`: is given what had not come about, see ``ProxyContext/unconnected(_:)``.
    func keepUnsent(_ reason: (_ unconnected: String) -> String) {
        switch phase {
        case .dialing(let dial):
            leaveHandshake()
            keep(dial, reason(proxy.unconnected(dial.entry.origin)))
        case .waitingForAnswers(let request):
            guard case .absolute(let origin) = request.target, !proxy.own.isNamed(by: origin),
                role.authorizes(request, proxy, of: identity)
            else { return }
            keep(
                attempt(origin, request),
                "the connection ended while the request waited for the answers before it"
            )
        case .forwarding, .refusing, .closing: break
        }
    }

    /// A request that crossed with the end of the answers: it goes nowhere, as its answer could not.
    ///
    /// The client has been told, and will ask again on another connection; carried out here as well, a code would be
    /// spent twice.
    func crossed(_ origin: Origin, _ request: ProxyRequest) {
        keep(attempt(origin, request), "the connection was closed when the request came")
    }

    /// Takes down a request that does not reach its provider; the connection is of no more use.
    private func keep(_ dial: Dial, _ reason: String) {
        phase = .closing
        guard dial.entry.isRecorded else { return }
        let conversation = conversation(dial.entry)
        var exchanges = conversation.received(
            ByteBuffer(bytes: dial.request.rewritten),
            from: .client,
            at: dial.entry.startedAt
        )
        while case .body(let bytes) = splitter.next() {
            exchanges += conversation.received(bytes, from: .client, at: dial.entry.startedAt)
        }
        exchanges += conversation.abandon(at: proxy.clock(), reason: reason)
        for index in exchanges.indices { exchanges[index].client = identity.facts }
        proxy.gate.keep(exchanges)
    }

    // MARK: -

    private func attempt(_ origin: Origin, _ request: ProxyRequest) -> Dial {
        Dial(
            request: request,
            entry: TunnelEntry(
                origin: origin,
                startedAt: proxy.clock(),
                identity: identity,
                scheme: request.isSecure ? "https" : "http",
                isRecorded: request.isPlayed || proxy.configuration.opens(origin.host)
            )
        )
    }

    /// Also for hosts that are not recorded: it tells when all answers are there.
    private func conversation(_ entry: TunnelEntry) -> Conversation {
        entry.conversation(
            scheme: entry.scheme,
            // Beside an absolute-form target the Host field counts for nothing (RFC 9112, section 3.2.2).
            isAuthorityFixed: true,
            maximumBodyBytes: entry.isRecorded ? proxy.configuration.maximumBodyBytes : 0,
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            budget: proxy.budget,
            spoolFolder: proxy.configuration.spoolFolder
        )
    }
}
