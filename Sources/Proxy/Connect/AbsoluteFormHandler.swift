internal import Captures
internal import NIOCore
internal import Wire

/// Requests in clear through the proxy: each goes to the origin its URL names, in the form a server wants.
///
/// That is plain `http`, and `https` of clients that leave TLS with the provider to a proxy instead of asking for a tunnel
/// (axios does). Sits before the client's ``TeeHandler``, which sees the requests as the server will. While requests name
/// the same origin they are passed on as they come; one for another origin waits until all answers are there.
final class AbsoluteFormHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case forwarding
        /// Waits for the answers of the provider so far, then the request goes where it wants.
        case waitingForAnswers(ProxyRequest)
        /// The same before a request is refused.
        case refusing(ProxyRequest.Refusal)
        case dialing(Dial)
        /// We have answered, or failed to; what comes is dropped.
        case closing
    }

    /// A request whose provider is being connected, or would have been.
    private struct Dial {
        var request: ProxyRequest
        /// What is known of the connection so far.
        var entry: TunnelEntry
    }

    /// The one that the requests go to.
    private struct Provider {
        var origin: Origin
        var isSecure: Bool
        var tee: Tee
        var handler: TeeHandler
        /// Where another proxy wants to know the origin of each request.
        var retargeting: RetargetingHandler?
    }

    private let proxy: ProxyContext
    private let identity: ClientIdentity
    private var context: ChannelHandlerContext?
    private var splitter: RequestSplitter
    private var phase = Phase.forwarding
    private var current: Provider?
    /// While a provider is dialled, and TLS agreed with it.
    private var handshake: ProviderHandshake?
    private var isRefusing = false
    private var isReadPending = false
    private var isInputClosed = false
    private var deadline: Scheduled<Void>?

    init(proxy: ProxyContext, identity: ClientIdentity) {
        self.proxy = proxy
        self.identity = identity
        splitter = RequestSplitter(maximumHeadBytes: proxy.configuration.limits.headBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        keepUnsent { "the client closed the connection before \($0) was connected" }
        deadline?.cancel()
        self.context = nil
    }

    /// Takes bytes that were read before this handler was there; ``resume()`` has to follow.
    func received(_ bytes: ByteBuffer) { splitter.received(bytes) }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        // What follows a request that is refused is none.
        case .closing, .refusing: return
        case .forwarding, .waitingForAnswers, .dialing: break
        }
        splitter.received(unwrapInboundIn(data))
        resume()
    }

    func read(context: ChannelHandlerContext) {
        switch phase {
        case .waitingForAnswers, .dialing: isReadPending = true
        case .forwarding, .refusing, .closing: context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            isInputClosed = true
            switch phase {
            case .closing: context.close(promise: nil)
            // The requests that are there are done first.
            case .dialing, .waitingForAnswers: break
            case .refusing: context.fireUserInboundEventTriggered(event)
            case .forwarding:
                if current == nil, !isRefusing { context.close(promise: nil) }
                context.fireUserInboundEventTriggered(event)
            }
        case let stop as StopRecording where current == nil && !isRefusing:
            keepUnsent { AnswerLoss.recordingEnded(before: "\($0) was connected") }
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if current == nil { context.close(promise: nil) }
        context.fireErrorCaught(error)
    }

    /// Passes on what can be passed on.
    func resume() {
        guard case .forwarding = phase, let context else { return }
        while case .forwarding = phase {
            if let current, current.tee.isOpaque { splitter.becomeOpaque() }
            guard let piece = splitter.next() else { break }
            switch piece {
            case .head(let request): route(request)
            case .body(let bytes): context.fireChannelRead(wrapInboundOut(bytes))
            case .end: break
            case .refused(let refusal): refuse(refusal)
            }
        }
        context.fireChannelReadComplete()
        watchHead()
    }

    private func route(_ request: ProxyRequest) {
        switch request.target {
        case .absolute(let origin) where !proxy.own.isNamed(by: origin):
            guard proxy.authorizes(request, of: identity) else {
                guard current?.tee.isIdle ?? true else { return wait(request) }
                proxy.noteDemand(of: identity)
                return answer(PlainResponse.unauthorized.bytes(forMethod: request.method))
            }
            // Another protocol wants a tunnel.
            let isUsable = current.map { $0.retargeting == nil || !request.asksForUpgrade } ?? false
            if let current, current.origin == origin, current.isSecure == request.isSecure, isUsable {
                return pass(request)
            }
            guard !isRefusing else { return }
            if let current, current.tee.hasServerEnded { return crossed(origin, request) }
            if let current, !current.tee.isIdle {
                phase = .waitingForAnswers(request)
                current.tee.whenIdle = { [self] in goOn() }
            } else {
                dial(origin, request)
            }
        case .absolute, .own:
            guard current?.tee.isIdle ?? true else { return wait(request) }
            guard let context else { return }
            answer(
                proxy.answer(to: OwnRequest(request), on: context.channel).bytes(forMethod: request.method)
            )
        case .tunnel:
            guard current?.tee.isIdle ?? true else { return wait(request) }
            answer(
                PlainResponse.unusable(
                    .init(status: 400, reason: "CONNECT has to come on a connection of its own")
                ).bytes()
            )
        }
    }

    /// An answer of ours must not stand in the place of one of the provider's.
    private func refuse(_ refusal: ProxyRequest.Refusal) {
        if let tee = current?.tee, !tee.isIdle, !tee.isOpaque {
            phase = .refusing(refusal)
            tee.whenIdle = { [self] in goOn() }
            return
        }
        proxy.noteRefusal(refusal, of: identity)
        answer(PlainResponse.unusable(refusal).bytes())
    }

    private func wait(_ request: ProxyRequest) {
        phase = .waitingForAnswers(request)
        current?.tee.whenIdle = { [self] in goOn() }
    }

    private func goOn() {
        switch phase {
        case .waitingForAnswers(let request):
            endWaiting()
            route(request)
        case .refusing(let refusal):
            endWaiting()
            refuse(refusal)
        case .forwarding, .dialing, .closing: return
        }
        resume()
        resumeReading()
    }

    private func endWaiting() {
        current?.tee.whenIdle = nil
        // The answer goes out first: it was written, and is flushed, before the next provider is dialled.
        context?.flush()
        phase = .forwarding
    }

    private func pass(_ request: ProxyRequest) {
        current?.retargeting?.expectHead()
        context?.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: request.rewritten)))
    }

    // MARK: Providers

    private func dial(_ origin: Origin, _ request: ProxyRequest) {
        guard let context else { return }
        var dial = attempt(origin, request)
        phase = .dialing(dial)
        leaveProvider()
        let wanted = UpstreamRequest(
            origin: origin,
            isRestricted: proxy.isRestricted(identity),
            isPlainHTTP: !request.asksForUpgrade && !request.isSecure
        )
        proxy.connector.connect(wanted, on: context.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            let took = proxy.clock() - dial.entry.startedAt
            let result = result.flatMap { connection in
                Result { (connection, try UpstreamLeg(of: connection)) }
            }
            identity.whenKnown { [self] in
                guard case .dialing = phase else {
                    if case .success((_, let leg)) = result { leg.close() }
                    return
                }
                switch result {
                case .success((let connection, let leg)):
                    dial.entry.connected(to: connection.address, in: took)
                    let asked = connection.retargets?.origin ?? origin
                    if let failure = leg.failure(of: asked, acceptsSilence: false) {
                        leg.close()
                        refuse(dial, failure)
                    } else if request.isSecure {
                        return secure(dial, leg)
                    } else {
                        join(dial, leg, retargetedBy: connection.retargets)
                    }
                case .failure(let error):
                    refuse(dial, error as? UpstreamFailure ?? .dialing(origin, error))
                }
                resume()
                resumeReading()
            }
        }
    }

    private func attempt(_ origin: Origin, _ request: ProxyRequest) -> Dial {
        Dial(
            request: request,
            entry: TunnelEntry(
                origin: origin,
                startedAt: proxy.clock(),
                identity: identity,
                scheme: request.isSecure ? "https" : "http"
            )
        )
    }

    /// The request that nobody waits for any more is an entry: its provider may be the very trouble, or the one before it.
    private func keepUnsent(_ reason: (Origin) -> String) {
        switch phase {
        case .dialing(let dial):
            leaveHandshake()
            keep(dial, reason(dial.entry.origin))
        case .waitingForAnswers(let request):
            guard case .absolute(let origin) = request.target, !proxy.own.isNamed(by: origin),
                proxy.authorizes(request, of: identity)
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
    private func crossed(_ origin: Origin, _ request: ProxyRequest) {
        keep(attempt(origin, request), "the connection was closed when the request came")
    }

    /// Takes down a request that does not reach its provider; the connection is of no more use.
    private func keep(_ dial: Dial, _ reason: String) {
        phase = .closing
        guard proxy.configuration.opens(dial.entry.origin.host) else { return }
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

    private func leaveProvider() {
        guard let provider = current else { return }
        current = nil
        provider.tee.release()
        context?.pipeline.syncOperations.removeHandler(provider.handler, promise: nil)
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
            records: proxy.configuration.opens(origin.host)
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
        let early = leg.takeEarlyBytes()
        if early.readableBytes > 0 {
            upstream.fireChannelRead(NIOAny(early))
            upstream.fireChannelReadComplete()
        }
        pass(dial.request)
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
        proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason, hint: failure.hint))
        let handler = RefusalHandler(
            proxy: proxy,
            conversation: proxy.configuration.opens(origin.host) ? conversation(dial.entry) : nil,
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

    /// Also for hosts that are not recorded: it tells when all answers are there.
    private func conversation(_ entry: TunnelEntry) -> Conversation {
        entry.conversation(
            scheme: entry.scheme,
            // Beside an absolute-form target the Host field counts for nothing (RFC 9112, section 3.2.2).
            isAuthorityFixed: true,
            maximumBodyBytes: proxy.configuration.opens(entry.origin.host)
                ? proxy.configuration.maximumBodyBytes : 0,
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            budget: proxy.budget,
            spoolFolder: proxy.configuration.spoolFolder
        )
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

    private func leaveHandshake() {
        handshake?.cancel()
        handshake = nil
    }

    // MARK: -

    private func resumeReading() {
        guard isReadPending, let context else { return }
        isReadPending = false
        context.read()
    }

    /// A head that has begun has to end in time.
    private func watchHead() {
        guard splitter.isInsideHead else {
            deadline?.cancel()
            deadline = nil
            return
        }
        guard deadline == nil else { return }
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(proxy.configuration.limits.headTime)
        ) { [self] in
            guard splitter.isInsideHead, current?.tee.isIdle ?? true else { return }
            answer(
                PlainResponse.unusable(.init(status: 408, reason: "no complete request arrived in time"))
                    .bytes()
            )
        }
    }

    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        leaveHandshake()
        leaveProvider()
        phase = .closing
        resumeReading()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        context.close(mode: .output, promise: nil)
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(proxy.configuration.limits.lingerTime)
        ) { [self] in self.context?.close(promise: nil) }
    }
}
