internal import Captures
internal import NIOCore
internal import TLS

/// A connection of a client that takes us for the provider, from its acceptance to its first bytes: looks what they are
/// and dials.
///
/// ``InterceptionHandler`` has the rest, ``HostHandler`` the requests.
final class ReverseHandler: ChannelDuplexHandler, RemovableChannelHandler, WaitingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// The first bytes decide whether it is TLS; nobody is dialled for a client that says nothing.
        case peeking
        /// With what the client says in TLS; without where it speaks in clear.
        case dialing(ClientHello?)
        case done
    }

    private let proxy: ProxyContext
    private let listener: ReverseListener
    private let identity: ClientIdentity
    /// The address in the client's `CONNECT`; nil where it has connected to it.
    private let asked: Origin?
    private(set) var context: ChannelHandlerContext?
    private var phase = Phase.peeking
    private var peek = ClientHelloPeek()
    private var held = ByteBuffer()
    private var entry: TunnelEntry?
    var deadline: Scheduled<Void>?
    private var isReadPending = false
    private var isInputClosed = false

    init(proxy: ProxyContext, listener: ReverseListener) {
        self.proxy = proxy
        self.listener = listener
        identity = ClientIdentity(connectionID: proxy.connections.nextID())
        asked = nil
    }

    /// For a client that asks the proxy for a tunnel to the address; ``open(_:)`` has to follow.
    ///
    /// - Parameters:
    ///   - proxy: what all connections share.
    ///   - listener: what is played there.
    ///   - asked: the address in its `CONNECT`.
    ///   - identity: who it is.
    init(proxy: ProxyContext, listener: ReverseListener, asked: Origin, identity: ClientIdentity) {
        self.proxy = proxy
        self.listener = listener
        self.asked = asked
        self.identity = identity
    }

    /// Opens the tunnel; `rest` came behind the head of its request.
    func open(_ rest: [UInt8]) {
        guard let context else { return }
        let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(established), promise: nil)
        if !rest.isEmpty { received(ByteBuffer(bytes: rest)) }
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard entry == nil else { return }
        entry = TunnelEntry(
            origin: listener.origin,
            startedAt: proxy.clock(),
            identity: identity,
            scheme: listener.played.scheme.rawValue
        )
        if asked == nil { identity.find(for: context.channel, proxy: proxy) }
        closeIfSilent(for: proxy.configuration.limits.headTime)
    }

    private func closeIfSilent(for time: Duration) {
        setDeadline(time) { [self] in context?.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { received(unwrapInboundIn(data)) }

    private func received(_ bytes: ByteBuffer) {
        held.writeImmutableBuffer(bytes)
        guard case .peeking = phase else { return }
        switch peek.received(bytes.readableBytesView) {
        case .needsMoreBytes: closeIfSilent(for: proxy.configuration.limits.handshakeTime)
        case .notTLS where isForProxy: forward()
        case .notTLS: dial(nil)
        case .found(let hello): dial(hello)
        }
    }

    /// While we dial the client is not read, so what it sends stays with the system.
    func read(context: ChannelHandlerContext) {
        if case .dialing = phase { isReadPending = true } else { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            // In clear it may be waiting for its answer.
            if case .dialing(nil) = phase { return isInputClosed = true }
            giveUp()
            context.close(promise: nil)
        case let stop as StopRecording:
            if case .dialing = phase, let entry { proxy.noteUnfinished(entry) }
            phase = .done
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        giveUp()
        context.fireChannelInactive()
    }

    private func giveUp() {
        if case .dialing = phase, let entry { proxy.noteGivenUp(entry) }
        phase = .done
    }

    // MARK: Another proxy on the way

    /// Whether the requests to come are for a proxy on the way, which wants each of them in absolute form.
    ///
    /// Of what is no HTTP it knows nothing but a tunnel.
    private var isForProxy: Bool {
        guard listener.played.scheme == .http, held.readableBytesView.first?.isTokenCharacter == true,
            let upstream = proxy.connector.proxy(to: listener.origin)
        else { return false }
        return !upstream.scheme.isSOCKS
    }

    private func forward() {
        guard let context else { return }
        proxy.connections.spoke(context.channel)
        phase = .done
        deadline?.cancel()
        let handler = AbsoluteFormHandler(proxy: proxy, identity: identity, role: .provider(listener))
        do {
            try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        handler.received(held)
        handler.resume()
    }

    // MARK: The provider

    private func dial(_ hello: ClientHello?) {
        guard let context, var entry else { return }
        proxy.connections.spoke(context.channel)
        phase = .dialing(hello)
        deadline?.cancel()
        entry.facts.serverName = hello?.serverName
        proxy.dial(entry, on: context.eventLoop, isChosenByClient: false) { [self] result, entry in
            guard case .dialing = phase, let context = self.context else {
                if case .success(let leg) = result { leg.close() }
                return
            }
            phase = .done
            let isPinned =
                proxy.configuration.passesPinningClients
                && proxy.pinning.passesThrough(identity.facts, listener.origin)
            var interception = listener.interception(
                hello: hello,
                entry: entry,
                held: held,
                called: asked ?? Origin(of: context.channel.localAddress),
                isPinned: isPinned
            )
            // Whoever asks for another name than the origin's would not accept the origin's certificate.
            if hello != nil, interception.passes == nil, interception.listener == nil,
                interception.providerName != nil, proxy.leavesAlone(interception.clientName)
            {
                interception.passes = .asked
            }
            InterceptionHandler.replace(
                self,
                in: context,
                proxy: proxy,
                interception: interception,
                upstream: result,
                isInputClosed: isInputClosed
            )
            if isReadPending { context.channel.read() }
        }
    }
}
