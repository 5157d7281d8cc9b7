internal import NIOCore
internal import TLS

/// The provider's connection until the tee takes it over: reports to ``TunnelHandler``, keeps what comes
/// early.
final class UpstreamLeg: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private(set) var context: ChannelHandlerContext?
    private weak var owner: TunnelHandler?
    private var early = ByteBuffer()

    init(owner: TunnelHandler) { self.owner = owner }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
    }

    func startReading() {
        guard let context else { return }
        startReading(context)
    }

    /// Also after this handler has left the pipeline.
    func startReading(_ context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    func startTLS(_ handler: TLSHandler) {
        guard let context else { return }
        try? context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        startReading()
    }

    func takeEarlyBytes() -> ByteBuffer {
        defer { early = ByteBuffer() }
        return early
    }

    func close() {
        owner = nil
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        early.writeBuffer(&bytes)
        // One chunk is enough until somebody takes it.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        owner?.upstreamSpoke()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome:
            // From here on the provider waits until the client's handshake is done.
            if case .completed = outcome {
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            }
            owner?.providerHandshakeEnded(outcome)
        case ChannelEvent.inputClosed as ChannelEvent: owner?.upstreamEnded()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        owner?.upstreamEnded(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        owner?.upstreamEnded()
        context.fireChannelInactive()
    }
}
