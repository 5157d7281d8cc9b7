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
        identity.find(for: context.channel, proxy: proxy)
        closeIfSilent(for: proxy.configuration.limits.headTime)
    }

    private func closeIfSilent(for time: Duration) {
        setDeadline(time) { [self] in context?.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        held.writeImmutableBuffer(bytes)
        guard case .peeking = phase else { return }
        switch peek.received(bytes.readableBytesView) {
        case .needsMoreBytes: closeIfSilent(for: proxy.configuration.limits.handshakeTime)
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
                local: context.channel.localAddress,
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
