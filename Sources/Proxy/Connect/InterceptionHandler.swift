internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's connection from its first bytes to the tee.
///
/// TLS to the provider with what the client asked for, then TLS to the client with what the provider chose; then the
/// tee. Either side may speak in clear. Where there is no provider the client's handshake is done all the same:
/// only inside TLS it can be told.
final class InterceptionHandler: ChannelDuplexHandler, RemovableChannelHandler, WaitingHandler, PausingHandler
{
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case providerHandshake
        case clientHandshake
        /// The client's handshake is done so that it can be told why there is no provider.
        case refusing(UpstreamFailure)
        /// What comes is dropped; waits for the client to close.
        case closing
        case done
    }

    let proxy: ProxyContext
    var interception: Interception
    var upstream: UpstreamLeg?
    var context: ChannelHandlerContext?
    var phase = Phase.providerHandshake
    var phaseBegan = Timestamp(nanoseconds: 0)
    var deadline: Scheduled<Void>?
    var isReadPending = false
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

    var entry: TunnelEntry { interception.entry }
    var origin: Origin { interception.entry.origin }

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

    // MARK: The end of this handler

    /// Leaves the client to a page that says why there is no provider.
    func answer(_ failure: UpstreamFailure, fallback: String) {
        guard let context else { return }
        phase = .done
        deadline?.cancel()
        proxy.tell(failure, of: origin)
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

    /// Leaves the client and its provider to a tee.
    func join() {
        guard let context, let upstream else { return }
        guard let upstreamContext = upstream.context else {
            return refuse(proxy.unasked(origin, upstream.end?.error))
        }
        phase = .done
        deadline?.cancel()
        let tee = makeTee(on: context.eventLoop)
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

    private func makeTee(on loop: any EventLoop) -> Tee {
        Tee(
            proxy: proxy,
            origin: origin,
            identity: entry.identity,
            loop: loop,
            conversation: interception.passes == nil ? conversation() : nil,
            passed: interception.passes.map { reason in
                { [entry, proxy] sent, received in
                    let tunnel = TunnelFacts(reason: reason, sentBytes: sent, receivedBytes: received)
                    return entry.passed(tunnel, at: proxy.clock())
                }
            },
            unasked: interception.hello != nil && interception.passes == nil ? entry : nil
        )
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

    // MARK: -

    private func conversation() -> Conversation {
        interception.conversation(
            maximumBodyBytes: proxy.configuration.maximumBodyBytes,
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            budget: proxy.budget,
            spoolFolder: proxy.configuration.spoolFolder
        )
    }
}
