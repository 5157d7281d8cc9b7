internal import Captures
internal import NIOCore
internal import TLS

/// A client's tunnel from its `CONNECT` to its first bytes: dial, answer 200, look what it is.
///
/// ``InterceptionHandler`` has the rest.
final class TunnelHandler: ChannelDuplexHandler, RemovableChannelHandler, UpstreamLegOwner, WaitingHandler,
    PausingHandler
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case dialing
        /// The tunnel is open; whose bytes come first, and which, decides what it is.
        case peeking
        /// What comes is dropped; waits for the client to close.
        case closing
        case done
    }

    private let proxy: ProxyContext
    private let identity: ClientIdentity
    private(set) var context: ChannelHandlerContext?
    private let origin: Origin
    private var phase = Phase.dialing
    private var held: ByteBuffer
    private var peek = ClientHelloPeek()
    private var upstream: UpstreamLeg?
    /// Why the provider went before the client said anything; nil while it is there.
    private var loss: UpstreamFailure?
    private var openedAt = NIODeadline.now()
    private var entry: TunnelEntry
    var deadline: Scheduled<Void>?
    var isReadPending = false

    /// - Parameters:
    ///   - proxy: what all connections share.
    ///   - identity: who is at the client's end.
    ///   - origin: where the tunnel leads.
    ///   - startedAt: when the connection was accepted.
    ///   - rest: what came behind the head of the request.
    init(proxy: ProxyContext, identity: ClientIdentity, origin: Origin, startedAt: Timestamp, rest: [UInt8]) {
        self.proxy = proxy
        self.identity = identity
        self.origin = origin
        entry = TunnelEntry(
            origin: origin,
            startedAt: startedAt,
            identity: identity,
            isRecorded: proxy.configuration.opens(origin.host)
        )
        held = ByteBuffer(bytes: rest)
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        dial()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        clientLeft()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            switch phase {
            case .dialing:
                clientLeft()
                context.close(promise: nil)
            case .closing, .peeking: context.close(promise: nil)
            case .done: break
            }
        case let stop as StopRecording:
            if isDialing { proxy.noteUnfinished(entry) }
            phase = .closing
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .peeking:
            held.writeImmutableBuffer(bytes)
            look(at: bytes.readableBytesView)
        case .dialing: held.writeBuffer(&bytes)
        case .closing, .done: break
        }
    }

    /// While we wait for the provider the client is not read, so what it sends stays with the system.
    func read(context: ChannelHandlerContext) {
        switch phase {
        case .dialing: isReadPending = true
        default: context.read()
        }
    }

    // MARK: The tunnel

    /// Whether the client is still there, waiting for the provider.
    private var isDialing: Bool {
        if case .dialing = phase { context != nil } else { false }
    }

    /// Whether the client has begun to say what it wants, and not ended.
    private var isInsideHello: Bool {
        if case .peeking = phase { held.readableBytes > 0 } else { false }
    }

    private func dial() {
        guard let context else { return }
        proxy.dial(entry, on: context.eventLoop) { [self] result, entry in
            guard isDialing else {
                if case .success(let leg) = result { leg.close() }
                return
            }
            self.entry = entry
            switch result {
            case .success(let leg):
                if leg.isUseless(acceptsSilence: passReason != nil) {
                    let error = leg.end?.error
                    leg.close()
                    return refuse(proxy.unasked(origin, error))
                }
                leg.owner = self
                upstream = leg
                openTunnel()
            case .failure(let failure): refuse(failure)
            }
        }
    }

    private func refuse(_ failure: UpstreamFailure) {
        proxy.note(failure, of: entry)
        answer(PlainResponse.unreachable(origin, failure).bytes())
    }

    /// Answers, and closes when the client has read it, or has had the time to.
    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        phase = .closing
        resumeReading()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        context.close(mode: .output, promise: nil)
        setDeadline(proxy.configuration.limits.lingerTime) { [self] in self.context?.close(promise: nil) }
    }

    private func openTunnel() {
        guard let context, let upstream else { return }
        // Raw: an encoder would add a body to it (RFC 9110, section 9.3.6).
        let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(established), promise: nil)
        phase = .peeking
        openedAt = .now()
        if let reason = passReason { return handOver(nil, scheme: "https", passes: reason) }
        // Some protocols begin with the server's greeting.
        upstream.startReading()
        resumeReading()
        if held.readableBytes > 0 { look(at: held.readableBytesView) }
    }

    /// Why the tunnel is not looked into; nil where it is.
    private var passReason: TunnelFacts.Reason? {
        if !proxy.configuration.opens(origin.host) { return .asked }
        guard proxy.configuration.passesPinningClients else { return nil }
        return proxy.pinning.passesThrough(identity.facts, origin) ? .clientRejectsRecorder : nil
    }

    private func look(at bytes: ByteBufferView) {
        switch peek.received(bytes) {
        case .needsMoreBytes:
            // A connection that is kept open for later may be silent; one that has begun may not stop.
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
                if let loss { return lose(loss) }
                phase = .closing
                proxy.keep("the client did not finish its TLS hello in time", of: entry)
                context?.close(promise: nil)
            }
        case .notTLS: handOver(nil, scheme: "http")
        case .found(let hello): handOver(hello, scheme: "https")
        }
    }

    private func handOver(_ hello: ClientHello?, scheme: String, passes: TunnelFacts.Reason? = nil) {
        guard let context, let provider else { return }
        phase = .done
        deadline?.cancel()
        entry.facts.serverName = hello?.serverName
        let clientName = hello?.host ?? origin.hostInTLS
        var passes = passes
        if passes == nil, hello != nil, proxy.leavesAlone(clientName) { passes = .asked }
        // What is nobody's business has no place for a page.
        if passes != nil, let loss { return lose(loss) }
        let interception = Interception(
            entry: entry,
            hello: hello,
            providerName: scheme == "https" ? clientName : nil,
            clientName: clientName,
            held: held,
            passes: passes
        )
        self.upstream = nil
        InterceptionHandler.replace(
            self,
            in: context,
            proxy: proxy,
            interception: interception,
            upstream: provider
        )
        if isReadPending { context.channel.read() }
    }

    /// The provider's connection, or why there is none any more.
    private var provider: Result<UpstreamLeg, UpstreamFailure>? {
        upstream.map { .success($0) } ?? loss.map { .failure($0) }
    }

    private func lose(_ failure: UpstreamFailure) {
        proxy.note(failure, of: entry)
        phase = .closing
        context?.close(promise: nil)
    }

    private func clientLeft() {
        deadline?.cancel()
        if isDialing {
            proxy.noteGivenUp(entry)
        } else if isInsideHello, let loss {
            proxy.note(loss, of: entry)
        } else if isInsideHello {
            proxy.noteGivenUp(entry, "the client closed the connection within its TLS hello")
        }
        upstream?.close()
        upstream = nil
        phase = .closing
    }

    // MARK: The provider's side, before the tee

    /// The provider spoke first, or its connection ended.
    func upstreamSpoke() {
        guard case .peeking = phase, held.readableBytes == 0 else { return }
        handOver(nil, scheme: "http")
    }

    func upstreamEnded(_ error: (any Error)?) {
        guard case .peeking = phase else { return }
        let failure = proxy.unasked(origin, error)
        if isInsideHello { return lose(failure) }
        let time = proxy.configuration.limits.beginTime
        guard .now() - openedAt < TimeAmount(time) else {
            // It was kept open for later: the client will see the end and dial again.
            phase = .closing
            context?.close(promise: nil)
            return
        }
        // What the client wants of it is on its way, and is to be in the capture.
        loss = failure
        upstream?.close()
        upstream = nil
        setDeadline(time) { [self] in
            phase = .closing
            context?.close(promise: nil)
        }
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {}
}
