internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's connection from its first bytes to the tee.
///
/// TLS to the provider with what the client asked for, then TLS to the client with what the provider chose; then the
/// tee. Either side may speak in clear. Where there is no provider the client's handshake is done all the same:
/// only inside TLS it can be told.
final class InterceptionHandler: ChannelDuplexHandler, RemovableChannelHandler, UpstreamLegOwner {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case providerHandshake
        case clientHandshake
        /// The client's handshake is done so that it can be told why there is no provider.
        case refusing(UpstreamFailure)
        /// What comes is dropped; waits for the client to close.
        case closing
        case done
    }

    private let proxy: ProxyContext
    private var interception: Interception
    private var upstream: UpstreamLeg?
    private var context: ChannelHandlerContext?
    private var phase = Phase.providerHandshake
    private var phaseBegan = Timestamp(nanoseconds: 0)
    private var deadline: Scheduled<Void>?
    private var isReadPending = false
    private var isInputClosed = false

    private init(proxy: ProxyContext, interception: Interception) {
        self.proxy = proxy
        self.interception = interception
    }

    /// Takes the place of a handler in the client's pipeline.
    ///
    /// - Parameters:
    ///   - handler: the one that leaves.
    ///   - context: its own.
    ///   - proxy: what all connections share.
    ///   - interception: what it has found out.
    ///   - upstream: the provider's connection, or why there is none.
    ///   - isInputClosed: whether the client, in clear, has said that nothing more comes.
    static func replace(
        _ handler: some RemovableChannelHandler,
        in context: ChannelHandlerContext,
        proxy: ProxyContext,
        interception: Interception,
        upstream: Result<UpstreamLeg, UpstreamFailure>,
        isInputClosed: Bool = false
    ) {
        let new = InterceptionHandler(proxy: proxy, interception: interception)
        new.isInputClosed = isInputClosed
        do {
            try context.pipeline.syncOperations.addHandler(new, position: .after(handler))
        } catch {
            if case .success(let leg) = upstream { leg.close() }
            return context.close(promise: nil)
        }
        context.pipeline.syncOperations.removeHandler(handler, promise: nil)
        switch upstream {
        case .success(let leg): new.begin(leg)
        case .failure(let failure): new.refuse(failure)
        }
    }

    private var entry: TunnelEntry { interception.entry }
    private var origin: Origin { interception.entry.origin }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        if case .providerHandshake = phase { proxy.noteGivenUp(entry) }
        upstream?.close()
        upstream = nil
        // A client that went away during its handshake was told of by TLSHandler before.
        phase = .closing
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome: clientHandshakeEnded(outcome)
        case ChannelEvent.inputClosed as ChannelEvent:
            switch phase {
            // It may be waiting for its answer.
            case .providerHandshake where interception.hello == nil: isInputClosed = true
            case .providerHandshake:
                phase = .closing
                proxy.noteGivenUp(entry)
                context.close(promise: nil)
            case .closing: context.close(promise: nil)
            // TLS tells of it.
            case .clientHandshake, .refusing, .done: break
            }
        case let stop as StopRecording:
            noteUnfinished()
            phase = .closing
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// The recording ends: a provider that does not come about is an entry, as whoever waited for it may have ended it for that.
    private func noteUnfinished() {
        switch phase {
        case .providerHandshake: proxy.noteUnfinished(entry)
        case .refusing(let failure): proxy.note(failure, of: entry)
        case .clientHandshake, .closing, .done: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .providerHandshake, .clientHandshake: interception.held.writeBuffer(&bytes)
        case .refusing, .closing, .done: break
        }
    }

    /// While we wait for the provider the client is not read, so what it sends stays with the system.
    func read(context: ChannelHandlerContext) {
        switch phase {
        case .providerHandshake: isReadPending = true
        default: context.read()
        }
    }

    private func resumeReading() {
        guard isReadPending, let context else { return }
        isReadPending = false
        context.read()
    }

    // MARK: TLS to the provider

    private func begin(_ leg: UpstreamLeg) {
        upstream = leg
        leg.owner = self
        speak(to: leg)
        // Told while nobody owned the leg.
        if let end = leg.end { upstreamEnded(end.error) }
    }

    private func speak(to leg: UpstreamLeg) {
        if interception.passes != nil { return join() }
        guard let name = interception.providerName else {
            guard interception.hello != nil else { return join() }
            return accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), next: .clientHandshake)
        }
        guard let protocols = interception.protocols else {
            return refuse(
                UpstreamFailure(
                    reason:
                        "the client offers HTTP/2 only (ALPN h2), which an origin played by --reverse does not speak"
                )
            )
        }
        phaseBegan = proxy.clock()
        setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
            refuse(.handshakeTimeout(origin))
        }
        leg.startTLS(
            TLSHandler(
                context: proxy.upstreamTLS,
                configuration: .client(
                    serverName: name,
                    alpn: protocols,
                    certificate: proxy.configuration.clientCertificate(origin.host, origin.port),
                    endpoint: origin.description
                ),
                firstBytes: leg.takeEarlyBytes()
            )
        )
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard case .providerHandshake = phase else { return }
        deadline?.cancel()
        switch outcome {
        case .completed(let agreed):
            interception.entry.agreed(agreed, in: proxy.clock() - phaseBegan)
            proxy.noteHandshake(agreed, with: origin)
            guard interception.hello != nil else { return join() }
            accept(ServerProtocols(accepted: agreed.alpn), next: .clientHandshake)
        case .failed(let failure): handshakeFailed(failure)
        case .clientRejectedCertificate: handshakeFailed(.closed)
        }
    }

    private func handshakeFailed(_ failure: HandshakeFailure) {
        refuse(proxy.failure(of: failure, with: origin, named: interception.providerName ?? origin.host))
    }

    // MARK: TLS to the client

    /// `CONNECT` has been answered already, or was never asked: only inside TLS the client can be told.
    private func refuse(_ failure: UpstreamFailure) {
        upstream?.close()
        upstream = nil
        guard interception.hello != nil else { return answer(failure, fallback: failure.reason) }
        accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), next: .refusing(failure))
    }

    private func accept(_ protocols: ServerProtocols, next: Phase) {
        guard let context else { return }
        phase = next
        do {
            let leaf = try proxy.leaves.context(
                for: interception.clientName,
                wantsRSA: interception.hello?.wantsRSA ?? false,
                now: proxy.clock()
            )
            let firstBytes = interception.held
            interception.held = ByteBuffer()
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
                // Before the channel ends: a handshake that we break off is no rejection by the client.
                phase = .closing
                proxy.keep("the client did not finish the TLS handshake in time", of: entry)
                self.context?.close(promise: nil)
            }
            try context.pipeline.syncOperations.addHandler(
                TLSHandler(context: leaf, configuration: .server(alpn: protocols), firstBytes: firstBytes),
                position: .before(self)
            )
            resumeReading()
        } catch {
            let reason = "no certificate for \(interception.clientName): \(error)"
            proxy.note(UpstreamFailure(reason: reason), of: entry)
            context.close(promise: nil)
        }
    }

    private func clientHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard let context else { return }
        deadline?.cancel()
        switch (outcome, phase) {
        case (.completed(let agreed), .clientHandshake):
            interception.entry.facts.clientTLSVersion = agreed.version
            proxy.noteAgreement(agreed, of: entry)
            join()
        case (.completed(let agreed), .refusing(let failure)):
            interception.entry.facts.clientTLSVersion = agreed.version
            answer(failure, fallback: failure.reason)
        case (.clientRejectedCertificate(let alert), .clientHandshake):
            phase = .closing
            proxy.noteRejection(alert, of: entry)
            context.close(promise: nil)
        case (_, .refusing(let failure)):
            phase = .closing
            proxy.note(failure, of: entry)
            context.close(promise: nil)
        case (.failed(let failure), .clientHandshake):
            phase = .closing
            proxy.keep("TLS handshake of the client with the recorder failed: \(failure)", of: entry)
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }

    // MARK: The end of this handler

    /// Leaves the client to a page that says why there is no provider.
    private func answer(_ failure: UpstreamFailure, fallback: String) {
        guard let context else { return }
        phase = .done
        deadline?.cancel()
        proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason, hint: failure.hint))
        let handler = RefusalHandler(
            proxy: proxy,
            conversation: conversation(),
            identity: entry.identity,
            page: .unreachable(origin, failure),
            failure: failure,
            fallback: entry.failed(fallback, at: proxy.clock())
        )
        do {
            try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        leave(context)
    }

    private func join() {
        guard let context, let upstream else { return }
        guard let upstreamContext = upstream.context else {
            return refuse(.unasked(origin, upstream.end?.error))
        }
        phase = .done
        deadline?.cancel()
        let tee = Tee(
            proxy: proxy,
            origin: origin,
            identity: entry.identity,
            loop: context.eventLoop,
            conversation: interception.passes == nil ? conversation() : nil,
            passed: interception.passes.map { reason in
                { [entry, proxy] sent, received in
                    let tunnel = TunnelFacts(reason: reason, sentBytes: sent, receivedBytes: received)
                    return entry.passed(tunnel, at: proxy.clock())
                }
            }
        )
        let handlers = tee.makeHandlers()
        let upstreamPipeline = upstreamContext.pipeline.syncOperations
        do {
            try context.pipeline.syncOperations.addHandler(handlers.client, position: .after(self))
            try upstreamPipeline.addHandler(handlers.server, position: .after(upstream))
            if let listener = interception.listener {
                let names = HostHandler(
                    proxy: proxy,
                    tee: tee,
                    listener: listener,
                    isClientInTLS: interception.hello != nil
                )
                try context.pipeline.syncOperations.addHandler(names, position: .after(self))
            }
        } catch {
            return context.close(promise: nil)
        }
        let early = upstream.takeEarlyBytes()
        upstreamPipeline.removeHandler(upstream, promise: nil)
        self.upstream = nil
        if early.readableBytes > 0 {
            tee.received(early, from: .server)
            handlers.client.flush()
        }
        leave(context)
        // What is asked is asked in vain, and is to be in the capture.
        if upstream.end != nil { tee.inputClosed(.server) }
        upstream.startReading(upstreamContext)
    }

    /// Gives what is held to the next handler, and goes.
    private func leave(_ context: ChannelHandlerContext) {
        let bytes = interception.held
        interception.held = ByteBuffer()
        if bytes.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
        }
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        // Through the whole pipeline: this handler is no longer part of it.
        if isReadPending { context.channel.read() }
    }

    // MARK: The provider's side, before the tee

    func upstreamSpoke() {}

    func upstreamEnded(_ error: (any Error)?) {
        switch phase {
        case .providerHandshake: handshakeFailed(.closed)
        case .clientHandshake:
            // With TLS 1.3 a provider that wants a client certificate says so after its handshake.
            phase = .refusing(.unasked(origin, error))
            upstream?.close()
            upstream = nil
        default: break
        }
    }

    // MARK: -

    private func conversation() -> Conversation {
        interception.conversation(
            maximumBodyBytes: proxy.configuration.maximumBodyBytes,
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            budget: proxy.budget,
            spoolFolder: proxy.configuration.spoolFolder
        )
    }

    private func setDeadline(_ time: Duration, _ body: @escaping () -> Void) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), body)
    }
}
