internal import NIOCore
internal import TLS

/// A connection to another proxy, until it leads to the provider: TLS where it is spoken, then the dialogue.
///
/// Carries out what ``ConnectAnswerStateMachine`` or ``SOCKSStateMachine`` decides, and goes.
final class UpstreamTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// What is to be agreed with the proxy.
    enum Task: Sendable {
        /// Nothing: requests will say where they go.
        case none
        case connect(ConnectAnswerStateMachine)
        case socks(SOCKSStateMachine)
    }

    private let proxy: UpstreamProxy
    private let origin: Origin
    private let limits: ProxyLimits
    private let promise: EventLoopPromise<[UInt8]>
    private var task: Task
    private var context: ChannelHandlerContext?
    private var isInHandshake = false
    private var isOver = false
    private var deadline: Scheduled<Void>?

    /// `promise`: is given what came behind the dialogue.
    init(
        proxy: UpstreamProxy,
        origin: Origin,
        task: Task,
        limits: ProxyLimits,
        promise: EventLoopPromise<[UInt8]>
    ) {
        self.proxy = proxy
        self.origin = origin
        self.task = task
        self.limits = limits
        self.promise = promise
    }

    /// Begins on a channel that does not read yet; it does not when the future succeeds, and is closed when it fails.
    func begin(on channel: any Channel, tls: TLSContext?) -> EventLoopFuture<[UInt8]> {
        do {
            guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
            try channel.pipeline.syncOperations.addHandler(self)
            isInHandshake = tls != nil
            setDeadline(tls == nil ? patience : limits.handshakeTime)
            if let tls {
                try channel.pipeline.syncOperations.addHandler(
                    TLSHandler(
                        context: tls,
                        configuration: .client(serverName: proxy.origin.hostInTLS, alpn: ["http/1.1"])
                    ),
                    position: .before(self)
                )
            } else {
                ask()
            }
            if !isOver { try channel.syncOptions?.setOption(.autoRead, value: true) }
        } catch {
            fail(.dialing(proxy.origin, error))
        }
        return promise.futureResult
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let bytes = unwrapInboundIn(data).readableBytesView
        switch task {
        case .none: fail(.dialogue(origin, by: proxy, "it spoke before it was asked"))
        case .connect(var machine):
            let action = machine.received(bytes)
            task = .connect(machine)
            switch action {
            case .waitForMoreBytes: break
            case .established(let rest): succeed(rest)
            case .refused(let refusal): fail(.refused(origin, by: proxy, refusal))
            case .failed(let reason): fail(.dialogue(origin, by: proxy, reason))
            }
        case .socks(var machine):
            var action = machine.received(bytes)
            // One message may hold several answers.
            while case .send(let message) = action {
                send(message)
                action = machine.received([])
            }
            let wasSilent = isSilentInSOCKS
            task = .socks(machine)
            if wasSilent { setDeadline(patience) }
            switch action {
            case .waitForMoreBytes, .send: break
            case .established(let rest): succeed(rest)
            case .refused(let code): fail(.refused(origin, by: proxy, code: code))
            case .failed(let reason): fail(.dialogue(origin, by: proxy, reason))
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome where isInHandshake:
            isInHandshake = false
            switch outcome {
            case .completed:
                setDeadline(patience)
                ask()
            case .failed(let failure): fail(.handshake(proxy, failure))
            case .clientRejectedCertificate: fail(.handshake(proxy, .closed))
            }
        case ChannelEvent.inputClosed as ChannelEvent where !isOver: ended()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return context.fireErrorCaught(error) }
        fail(.dialogue(origin, by: proxy, TransportReason.broken(error, by: "proxy")))
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    // MARK: -

    /// Whether it is not known yet if SOCKS is spoken at all.
    private var isSilentInSOCKS: Bool {
        if case .socks(let machine) = task { !machine.isGreeted } else { false }
    }

    /// How long the proxy may take for what it says next.
    private var patience: Duration { isSilentInSOCKS ? limits.connectTime : limits.proxyTime }

    private func ask() {
        switch task {
        case .none: succeed([])
        case .connect: send(Array(connectRequest.utf8))
        case .socks(let machine): send(machine.greeting)
        }
    }

    /// By name: where it leads is for the proxy to find out.
    private var connectRequest: String {
        var request = "CONNECT \(origin) HTTP/1.1\r\nHost: \(origin)\r\nUser-Agent: authreel\r\n"
        if let credentials = proxy.credentials {
            request += "Proxy-Authorization: \(credentials.fieldValue)\r\n"
        }
        return request + "\r\n"
    }

    private func send(_ bytes: [UInt8]) {
        context?.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private func ended() {
        guard !isOver else { return }
        fail(.dialogue(origin, by: proxy, "it closed the connection without an answer"))
    }

    private func succeed(_ rest: [UInt8]) {
        guard !isOver, let context else { return }
        isOver = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        promise.succeed(rest)
    }

    private func fail(_ failure: UpstreamFailure) {
        guard !isOver else { return }
        isOver = true
        deadline?.cancel()
        context?.close(promise: nil)
        promise.fail(failure)
    }

    private func setDeadline(_ time: Duration) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [self] in
            if isInHandshake {
                return fail(.handshakeTimeout(proxy))
            }
            let (whole, rest) = time.components
            let seconds = rest == 0 ? "\(whole)" : "\(time / .seconds(1))"
            var failure = UpstreamFailure.dialogue(origin, by: proxy, "no answer in time (\(seconds) s)")
            failure.hint =
                isSilentInSOCKS
                // Waits for the rest of what it takes for a request.
                ? "An HTTP proxy is named by http://"
                : "To wait longer for it: authreel record --connect-timeout SECONDS"
            fail(failure)
        }
    }
}

// A handler belongs to its channel's event loop.
@available(*, unavailable)
extension UpstreamTunnelHandler: Sendable {}
