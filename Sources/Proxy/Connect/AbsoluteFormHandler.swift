internal import Captures
internal import NIOCore
internal import Wire

/// Requests in clear through the proxy: each goes to the origin its URL names, in the form a server wants.
///
/// That is plain `http`, and `https` of clients that leave TLS with the provider to a proxy instead of asking for a tunnel
/// (axios does); and what comes to where an origin is played, if another proxy is on the way to it. Sits before the
/// client's ``TeeHandler``, which sees the requests as the server will. While requests name the same origin they are passed
/// on as they come; one for another origin waits until all answers are there.
final class AbsoluteFormHandler: ChannelDuplexHandler, RemovableChannelHandler, PausingHandler, WaitingHandler
{
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
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
    struct Dial {
        var request: ProxyRequest
        /// What is known of the connection so far.
        var entry: TunnelEntry
    }

    /// The one that the requests go to.
    struct Provider {
        var origin: Origin
        var isSecure: Bool
        var tee: Tee
        var handler: TeeHandler
        /// Where another proxy wants to know the origin of each request.
        var retargeting: RetargetingHandler?
    }

    let proxy: ProxyContext
    let identity: ClientIdentity
    let role: AssumedRole
    var context: ChannelHandlerContext?
    var splitter: RequestSplitter
    var phase = Phase.forwarding
    var current: Provider?
    /// While a provider is dialled, and TLS agreed with it.
    var handshake: ProviderHandshake?
    var isRefusing = false
    var isReadPending = false
    var isInputClosed = false
    var deadline: Scheduled<Void>?

    init(proxy: ProxyContext, identity: ClientIdentity, role: AssumedRole) {
        self.proxy = proxy
        self.identity = identity
        self.role = role
        splitter = RequestSplitter(
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            isForServer: role.isServer
        )
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .forwarding = phase, splitter.isInsideHead {
            proxy.noteCut(splitter.rest.readableBytesView, of: identity)
        }
        keepUnsent { "the client closed the connection before \($0)" }
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
            keepUnsent(AnswerLoss.recordingEnded(before:))
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
            guard let piece = splitter.next(mayLackBody: current?.tee.mayLackBody ?? false) else { break }
            switch piece {
            case .head(let request): route(role.addressed(request, proxy, of: identity))
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
            guard role.authorizes(request, proxy, of: identity) else {
                guard current?.tee.isIdle ?? true else { return wait(request) }
                proxy.noteDemand(of: identity)
                return answer(PlainResponse.unauthorized.bytes(forMethod: request.method))
            }
            // Another protocol wants a tunnel.
            let isUsable = current.map { $0.retargeting == nil || !request.wantsTunnel } ?? false
            if let current, current.origin == origin, current.isSecure == request.isSecure, isUsable {
                return pass(request)
            }
            guard !isRefusing else { return }
            if let current, current.tee.ends.hasServerEnded { return crossed(origin, request) }
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
            refuse(.init(status: 400, reason: "CONNECT has to come on a connection of its own"))
        }
    }

    /// An answer of ours must not stand in the place of one of the provider's.
    private func refuse(_ refusal: ProxyRequest.Refusal) {
        if let tee = current?.tee, !tee.isIdle, !tee.isOpaque {
            phase = .refusing(refusal)
            tee.whenIdle = { [self] in goOn() }
            return
        }
        proxy.refuse(refusal, to: splitter.refused, of: identity)
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

    func pass(_ request: ProxyRequest) {
        current?.retargeting?.expectHead()
        context?.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: request.rewritten)))
    }

    // MARK: -

    private func watchHead() {
        watchHead(isInside: splitter.isInsideHead, within: proxy.configuration.limits.headTime) { [self] in
            guard splitter.isInsideHead else { return }
            // The time that an answer takes is not the client's.
            guard current?.tee.isIdle ?? true else { return watchHead() }
            proxy.refuse(.late, to: splitter.rest.readableBytesView, of: identity)
            answer(PlainResponse.unusable(.late).bytes())
        }
    }

    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        leaveHandshake()
        leaveProvider()
        phase = .closing
        resumeReading()
        deadline?.cancel()
        deadline = context.writeLast(bytes, lingering: proxy.configuration.limits.lingerTime)
    }
}
