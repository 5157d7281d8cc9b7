internal import NIOCore
internal import TLS

/// A client's tunnel to the proxy itself: answers one request inside it, in TLS or in clear, and closes.
///
/// By this a client learns whether https is intercepted, and the user as well. Nothing of it is recorded: a client that
/// does not accept the certificate here is about to be helped.
final class OwnTunnelHandler: ChannelInboundHandler, RemovableChannelHandler, WaitingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// The first bytes decide whether it is TLS.
        case peeking
        case handshake
        case request(OwnRequest.Way)
        /// The answer is on its way; what comes is dropped.
        case answered
        case closing
    }

    private let proxy: ProxyContext
    private let origin: Origin
    private let identity: ClientIdentity
    private(set) var context: ChannelHandlerContext?
    private var phase = Phase.peeking
    private var peek = ClientHelloPeek()
    private var held = ByteBuffer()
    private var machine: ConnectStateMachine
    private var isInputClosed = false
    var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - proxy: what all connections share.
    ///   - origin: a name or address of the proxy.
    ///   - identity: who is at the client's end.
    init(proxy: ProxyContext, origin: Origin, identity: ClientIdentity) {
        self.proxy = proxy
        self.identity = identity
        self.origin = origin
        machine = ConnectStateMachine(
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            isOwn: { _ in true }
        )
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    /// Opens the tunnel; `rest` came behind the head of its request.
    func open(_ rest: [UInt8]) {
        guard let context else { return }
        let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(established), promise: nil)
        setDeadline(proxy.configuration.limits.headTime) { [self] in close() }
        if !rest.isEmpty { look(at: ByteBuffer(bytes: rest)) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch phase {
        case .peeking: look(at: bytes)
        case .request(let way): read(bytes, way)
        case .handshake, .answered, .closing: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome:
            guard case .completed = outcome else { return close() }
            expect(.intercepted)
        case ChannelEvent.inputClosed as ChannelEvent:
            isInputClosed = true
            // Closing drops what is not with the system yet.
            if case .answered = phase { return }
            close()
        case let stop as StopRecording:
            stop.done.succeed()
            close()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    // MARK: Inside the tunnel

    private func look(at bytes: ByteBuffer) {
        held.writeImmutableBuffer(bytes)
        switch peek.received(bytes.readableBytesView) {
        case .needsMoreBytes: break
        case .notTLS:
            expect(.proxied)
            read(held, .proxied)
        case .found(let hello): startTLS(hello)
        }
    }

    private func startTLS(_ hello: ClientHello) {
        guard let context else { return }
        phase = .handshake
        setDeadline(proxy.configuration.limits.handshakeTime) { [self] in close() }
        do {
            let name = hello.host ?? origin.host
            let handler = TLSHandler(
                context: try proxy.leaves.context(for: name, now: proxy.clock()),
                configuration: .server(alpn: ServerProtocols(accepted: "http/1.1", refusesOthers: true)),
                firstBytes: held
            )
            held = ByteBuffer()
            try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        } catch {
            close()
        }
    }

    private func expect(_ way: OwnRequest.Way) {
        phase = .request(way)
        setDeadline(proxy.configuration.limits.headTime) { [self] in
            if let action = machine.timedOut() { carryOut(action, way) }
        }
    }

    private func read(_ bytes: ByteBuffer, _ way: OwnRequest.Way) {
        carryOut(machine.received(bytes.readableBytesView), way)
    }

    private func carryOut(_ action: ConnectStateMachine.Action, _ way: OwnRequest.Way) {
        guard let context else { return }
        switch action {
        case .waitForMoreBytes: break
        case .respond(let refusal): answer(PlainResponse.unusable(refusal).bytes())
        case .serve(var request):
            request.way = way
            answer(proxy.answer(to: request, on: context.channel).bytes(forMethod: request.method))
            if case .intercepted = way {
                identity.whenKnown { [self] in proxy.notify(.clientIsIntercepted(client: identity.facts)) }
            }
        case .tunnel, .serveTunnel, .forward, .demandCredentials:
            let refusal = ProxyRequest.Refusal(status: 400, reason: "a tunnel inside a tunnel to the proxy")
            answer(PlainResponse.unusable(refusal).bytes())
        }
    }

    // MARK: The end

    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        phase = .answered
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenComplete {
            [self] _ in
            guard case .answered = phase else { return }
            if isInputClosed { return close() }
            phase = .closing
            self.context?.close(mode: .output, promise: nil)
        }
        setDeadline(proxy.configuration.limits.lingerTime) { [self] in close() }
    }

    private func close() {
        phase = .closing
        context?.close(promise: nil)
    }
}
