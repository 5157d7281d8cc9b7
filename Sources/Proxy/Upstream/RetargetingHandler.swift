internal import NIOCore

/// Gives requests of plain http the form that a proxy wants, behind the tee: what is recorded is what the provider gets.
///
/// The first answer is looked at as well: a 407 is between the proxy and us, and no answer of the provider's.
final class RetargetingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: UpstreamProxy
    private let origin: Origin
    private var isHeadNext = false
    /// The beginning of the first answer; nil once that is not 407.
    private var beginning: ByteBuffer? = ByteBuffer()
    private var machine: ConnectAnswerStateMachine
    private var isOver = false

    init(proxy: UpstreamProxy, origin: Origin, maximumHeadBytes: Int) {
        self.proxy = proxy
        self.origin = origin
        machine = ConnectAnswerStateMachine(maximumHeadBytes: maximumHeadBytes)
    }

    /// What is written next is the whole head of a request.
    func expectHead() { isHeadNext = true }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isHeadNext else { return context.write(data, promise: promise) }
        isHeadNext = false
        let head = Self.retarget(
            Array(unwrapOutboundIn(data).readableBytesView),
            to: origin,
            credentials: proxy.credentials
        )
        context.write(wrapOutboundOut(ByteBuffer(bytes: head)), promise: promise)
    }

    /// A head with the target in absolute form, and what the proxy asks for; everything else byte for byte.
    static func retarget(_ head: [UInt8], to origin: Origin, credentials: BasicCredentials?) -> [UInt8] {
        guard let end = head.firstIndex(of: 0x0a), let space = head[..<end].firstIndex(of: 0x20) else {
            return head
        }
        var result = Array(head[...space])
        result += "http://\(origin.authority(defaultPort: 80))".utf8
        let rest = head[(space + 1)...end]
        // Where the server itself is meant there is no path (RFC 9112, section 3.2.4).
        result += rest.starts(with: "* ".utf8) ? rest.dropFirst() : rest
        if let credentials { result += "Proxy-Authorization: \(credentials.fieldValue)\r\n".utf8 }
        return result + head[(end + 1)...]
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard beginning != nil else { return context.fireChannelRead(data) }
        let bytes = unwrapInboundIn(data)
        beginning?.writeImmutableBuffer(bytes)
        // "HTTP/1.1 407": what cannot become that is not held.
        let start = Array(beginning?.readableBytesView.prefix(12) ?? [])
        guard zip(start, "HTTP/1.".utf8).allSatisfy({ $0 == $1 }),
            zip(start.dropFirst(9), "407".utf8).allSatisfy({ $0 == $1 })
        else { return release(context) }
        switch machine.received(bytes.readableBytesView) {
        case .waitForMoreBytes: break
        case .refused(let refusal) where refusal.status == 407:
            isOver = true
            context.fireErrorCaught(UpstreamFailure.wantsCredentials(proxy, refusal.challenges))
        default: release(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { release(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        release(context)
        context.fireChannelInactive()
    }

    private func release(_ context: ChannelHandlerContext) {
        guard let bytes = beginning, !isOver else { return }
        beginning = nil
        guard bytes.readableBytes > 0 else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}
