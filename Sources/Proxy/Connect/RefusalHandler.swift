internal import Captures
internal import NIOCore
internal import Wire

/// Answers the first request of a connection that has no provider: records it as failed, sends a page,
/// closes.
final class RefusalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: ProxyContext
    /// Nil where the request is not to be recorded.
    private var conversation: Conversation?
    private let identity: ClientIdentity
    private let page: PlainResponse
    private let failure: UpstreamFailure
    /// What is recorded where no request comes that could be.
    private var fallback: Exchange?
    private var splitter: RequestSplitter
    private var method = "GET"
    private var isAnswered = false
    private var deadline: Scheduled<Void>?

    init(
        proxy: ProxyContext,
        conversation: Conversation?,
        identity: ClientIdentity,
        page: PlainResponse,
        failure: UpstreamFailure,
        fallback: Exchange?
    ) {
        self.proxy = proxy
        self.conversation = conversation
        self.identity = identity
        self.page = page
        self.failure = failure
        self.fallback = fallback
        splitter = RequestSplitter(maximumHeadBytes: proxy.configuration.limits.headBytes)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(proxy.configuration.limits.headTime)
        ) { [self] in
            if isAnswered { context.value.close(promise: nil) } else { answer(context.value) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        let bytes = unwrapInboundIn(data)
        keep(conversation?.received(bytes, from: .client, at: proxy.clock()) ?? [])
        splitter.received(bytes)
        while !isAnswered, let piece = splitter.next() {
            switch piece {
            case .head(let request):
                method = request.method
                // Its body will not come before an answer does.
                if request.expectsContinue { answer(context) }
            case .body: break
            case .end, .refused: answer(context)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            record()
            TeeHandler.closeAfterFlush(context)
        case let stop as StopRecording:
            record()
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        record()
        context.fireChannelInactive()
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard !isAnswered else { return }
        isAnswered = true
        record()
        deadline?.cancel()
        deadline = context.writeLast(
            page.bytes(forMethod: method),
            lingering: proxy.configuration.limits.lingerTime
        )
    }

    private func record() {
        keep(conversation?.ended(.server, reason: failure.reason, at: proxy.clock()) ?? [])
        conversation = nil
        if let exchange = fallback { keep([exchange]) }
    }

    private func keep(_ exchanges: [Exchange]) {
        guard !exchanges.isEmpty else { return }
        fallback = nil
        var exchanges = exchanges
        for index in exchanges.indices { exchanges[index].client = identity.facts }
        proxy.gate.keep(exchanges)
    }
}
