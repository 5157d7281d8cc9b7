internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// One request on one connection: CONNECT where a proxy is in between, TLS where the URL wants it, the
/// request, the answer.
final class SendingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Plan: Sendable {
        /// The authority to ask a proxy for; nil asks for none.
        var connect: String?
        /// Nil speaks in clear.
        var serverName: String?
        var tls: TLSContext
        var authority: String
        var scheme: String
        var request: [UInt8]
    }

    private let plan: Plan
    private let answer: EventLoopPromise<RecordedResponse>
    private var conversation: Conversation
    private var proxyAnswer: [UInt8] = []
    private var isConnecting: Bool
    /// Promises of another loop may be completed from this one; only once.
    private var isDone = false

    init(plan: Plan, answer: EventLoopPromise<RecordedResponse>) {
        self.plan = plan
        self.answer = answer
        isConnecting = plan.connect != nil
        var configuration = Conversation.Configuration(scheme: plan.scheme, authority: plan.authority)
        configuration.maximumBodyBytes = 16 << 20
        conversation = Conversation(configuration)
    }

    func channelActive(context: ChannelHandlerContext) {
        if let authority = plan.connect {
            let text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        } else {
            secure(context)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard isConnecting else {
            return take(conversation.received(bytes, from: .server, at: Timestamp(nanoseconds: 0)))
        }
        proxyAnswer.append(contentsOf: bytes.readableBytesView)
        guard proxyAnswer.suffix(4).elementsEqual("\r\n\r\n".utf8) || proxyAnswer.count > 16 << 10 else {
            return
        }
        let status = String(
            decoding: proxyAnswer.split(separator: 0x20, maxSplits: 2).dropFirst().first ?? [],
            as: UTF8.self
        )
        guard let status = Int(status), (200..<300).contains(status) else {
            return fail(HTTPSenderError.refusedByProxy(status: Int(status) ?? 0))
        }
        isConnecting = false
        secure(context)
    }

    private func secure(_ context: ChannelHandlerContext) {
        guard let name = plan.serverName else { return sendRequest(context) }
        let handler = TLSHandler(
            context: plan.tls,
            configuration: .client(serverName: name, alpn: ["http/1.1"])
        )
        do {
            try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        } catch {
            fail(HTTPSenderError.broken(reason: "\(error)"))
        }
    }

    private func sendRequest(_ context: ChannelHandlerContext) {
        let bytes = ByteBuffer(bytes: plan.request)
        _ = conversation.received(bytes, from: .client, at: Timestamp(nanoseconds: 0))
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let outcome = event as? HandshakeOutcome else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch outcome {
        case .completed: sendRequest(context)
        case .failed(let failure):
            fail(HTTPSenderError.handshake(host: plan.authority, reason: failure.description))
        case .clientRejectedCertificate: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        take(conversation.ended(.server, reason: nil, at: Timestamp(nanoseconds: 0)))
        fail(HTTPSenderError.broken(reason: "closed before the answer"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(HTTPSenderError.broken(reason: "\(error)"))
        context.close(promise: nil)
    }

    private func take(_ exchanges: [Exchange]) {
        guard let exchange = exchanges.first else { return }
        guard let response = exchange.response, exchange.failure == nil else {
            return fail(HTTPSenderError.broken(reason: exchange.failure ?? "no answer"))
        }
        guard !isDone else { return }
        isDone = true
        answer.succeed(response)
    }

    private func fail(_ error: HTTPSenderError) {
        guard !isDone else { return }
        isDone = true
        answer.fail(error)
    }
}
