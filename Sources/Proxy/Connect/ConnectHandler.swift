internal import Captures
internal import NIOCore

/// A client's connection from its acceptance to the end of its first request's head.
///
/// Carries out what ``ConnectStateMachine`` decides: hands over to ``TunnelHandler``,
/// ``OwnTunnelHandler`` or ``AbsoluteFormHandler``, or answers.
final class ConnectHandler: ChannelInboundHandler, RemovableChannelHandler, WaitingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: ProxyContext
    private let identity: ClientIdentity
    private(set) var context: ChannelHandlerContext?
    private var machine: ConnectStateMachine
    private var startedAt = Timestamp(nanoseconds: 0)
    var deadline: Scheduled<Void>?
    private var isAnswered = false
    private var isInputClosed = false
    private var isSent = false
    /// What came before it was known whose it is; nil where that does not matter, or is known.
    private var held: ByteBuffer?
    private var hasDemanded = false
    private var isSearched = false

    init(proxy: ProxyContext) {
        self.proxy = proxy
        let identity = ClientIdentity(connectionID: proxy.connections.nextID())
        self.identity = identity
        let own = proxy.own
        machine = ConnectStateMachine(
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            isOwn: { own.isNamed(by: $0) },
            isAuthorized: { proxy.authorizes($0, of: identity) }
        )
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        proxy.noteCut(machine.begun, of: identity)
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard deadline == nil else { return }
        startedAt = proxy.clock()
        awaitHead()
        let configuration = proxy.configuration
        guard configuration.proxyCredentials != nil, configuration.vouchesFor != nil else { return }
        find(context)
        guard !identity.isRemote else { return }
        held = ByteBuffer()
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        identity.whenFound { [self] in
            let bytes = held
            held = nil
            try? self.context?.channel.syncOptions?.setOption(.autoRead, value: true)
            guard let bytes, bytes.readableBytes > 0, !isAnswered else { return }
            carryOut(machine.received(bytes.readableBytesView))
        }
    }

    /// Who it is is looked up when it says something: of those that say nothing nobody wants to know it, and a client that
    /// has just closed another connection has its descriptor in use again.
    private func find(_ context: ChannelHandlerContext) {
        guard !isSearched else { return }
        isSearched = true
        identity.find(for: context.channel, proxy: proxy)
    }

    private func awaitHead() {
        setDeadline(proxy.configuration.limits.headTime) { [self] in
            // Whoever was asked for credentials may be asking somebody.
            if machine.isIdle, hasDemanded {
                context?.close(promise: nil)
            } else if let action = machine.timedOut() {
                carryOut(action)
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After an answer the rest is read and dropped, so that closing does not take the answer with it.
        guard !isAnswered else { return }
        find(context)
        var bytes = unwrapInboundIn(data)
        if held != nil {
            held?.writeBuffer(&bytes)
        } else {
            carryOut(machine.received(bytes.readableBytesView))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            isInputClosed = true
            // Closing drops what is not with the system yet.
            if !isAnswered || isSent { context.close(promise: nil) }
        case let stop as StopRecording:
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func carryOut(_ action: ConnectStateMachine.Action) {
        guard let context else { return }
        if action != .waitForMoreBytes { proxy.connections.spoke(context.channel) }
        switch action {
        case .waitForMoreBytes: break
        case .respond(let refusal):
            // Of those that say nothing in time nothing is told: browsers keep some in reserve.
            guard !machine.refused.isEmpty else { return answer(PlainResponse.unusable(refusal).bytes()) }
            isAnswered = true
            identity.whenKnown { [self] in
                guard self.context != nil else { return }
                proxy.refuse(refusal, to: machine.refused, of: identity)
                answer(PlainResponse.unusable(refusal).bytes())
            }
        case .demandCredentials(let method, closes: true):
            noteDemand()
            answer(PlainResponse.unauthorized.bytes(forMethod: method))
        case .demandCredentials(let method, closes: false):
            noteDemand()
            let page = PlainResponse.unauthorized.bytes(forMethod: method, closes: false)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: page)), promise: nil)
            awaitHead()
            carryOut(machine.received([]))
        case .serve(let request):
            answer(proxy.answer(to: request, on: context.channel).bytes(forMethod: request.method))
        case .serveTunnel(let origin, let rest):
            let handler = OwnTunnelHandler(proxy: proxy, origin: origin, identity: identity)
            replace(context, by: handler)
            handler.open(rest)
        case .forward(let bytes):
            let handler = AbsoluteFormHandler(proxy: proxy, identity: identity, role: .proxy)
            replace(context, by: handler)
            handler.received(ByteBuffer(bytes: bytes))
            handler.resume()
        case .tunnel(let origin, let rest):
            openTunnel(to: origin, rest, context)
        }
    }

    private func openTunnel(to origin: Origin, _ rest: [UInt8], _ context: ChannelHandlerContext) {
        if let listener = proxy.listener(at: origin, for: identity) {
            let handler = ReverseHandler(
                proxy: proxy,
                listener: listener,
                asked: origin,
                identity: identity
            )
            replace(context, by: handler)
            return handler.open(rest)
        }
        replace(
            context,
            by: TunnelHandler(
                proxy: proxy,
                identity: identity,
                origin: origin,
                startedAt: startedAt,
                rest: rest
            )
        )
    }

    /// Tells once that the client is asked for credentials.
    private func noteDemand() {
        if !hasDemanded { proxy.noteDemand(of: identity) }
        hasDemanded = true
    }

    private func replace(_ context: ChannelHandlerContext, by handler: any ChannelHandler) {
        do {
            try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    /// Answers, and closes when the client has read it, or has had the time to.
    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        isAnswered = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenComplete {
            [self] _ in
            isSent = true
            self.context?.close(mode: isInputClosed ? .all : .output, promise: nil)
        }
        setDeadline(proxy.configuration.limits.lingerTime) { [self] in self.context?.close(promise: nil) }
    }
}
