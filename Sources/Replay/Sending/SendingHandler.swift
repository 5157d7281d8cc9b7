internal import Captures
internal import LibCrypto
internal import NIOCore
internal import TLS
internal import Wire

/// One connection: CONNECT where a proxy is in between, TLS where the URL wants it, then request after
/// request.
final class SendingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Plan: Sendable {
        /// The authority to ask a proxy for; nil asks for none.
        var connect: String?
        /// Nil speaks in clear.
        var serverName: String?
        var tls: TLSContext
        /// Shown to a server that asks for one.
        var certificate: CertifiedKey?
        var origin: String
        var authority: String
        var scheme: String
        /// Of the connections of one sender.
        var number: Int
        var isProxied: Bool
        /// When dialling began.
        var startedAt: Timestamp
        var clock: @Sendable () -> Timestamp
    }

    private let plan: Plan
    private var opened: EventLoopPromise<Void>?
    private var answer: EventLoopPromise<Exchange>?
    private var conversation: Conversation?
    private var proxyAnswer: [UInt8] = []
    private var isConnecting: Bool
    private var connectedAt: Timestamp?
    /// Of the answer that is awaited.
    private var hasAnswerBegun = false
    private var requests = 0

    init(plan: Plan, opened: EventLoopPromise<Void>) {
        self.plan = plan
        self.opened = opened
        isConnecting = plan.connect != nil
    }

    // MARK: - Opening

    func channelActive(context: ChannelHandlerContext) {
        connectedAt = plan.clock()
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
            hasAnswerBegun = hasAnswerBegun || answer != nil
            return take(conversation?.received(bytes, from: .server, at: plan.clock()) ?? [])
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
            return fail(.refusedByProxy(status: Int(status) ?? 0))
        }
        isConnecting = false
        secure(context)
    }

    private func secure(_ context: ChannelHandlerContext) {
        guard let name = plan.serverName else { return ready(context, nil) }
        let handler = TLSHandler(
            context: plan.tls,
            configuration: .client(
                serverName: name,
                alpn: ["http/1.1"],
                certificate: plan.certificate,
                endpoint: plan.origin
            )
        )
        do {
            try context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        } catch {
            fail(.broken(reason: "\(error)"))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let outcome = event as? HandshakeOutcome else {
            return context.fireUserInboundEventTriggered(event)
        }
        switch outcome {
        case .completed(let facts): ready(context, facts)
        case .failed(let failure):
            let name = plan.serverName ?? plan.authority
            fail(
                .handshake(
                    host: plan.authority,
                    reason: TransportReason.handshake(plan.origin, serverName: name, failure)
                )
            )
        case .clientRejectedCertificate: break
        }
    }

    private func ready(_ context: ChannelHandlerContext, _ facts: HandshakeFacts?) {
        let now = plan.clock()
        var configuration = Conversation.Configuration(scheme: plan.scheme, authority: plan.authority)
        configuration.maximumBodyBytes = 16 << 20
        configuration.connection = ConnectionFacts(
            id: "\(plan.number)",
            serverAddress: plan.isProxied ? nil : context.remoteAddress.flatMap(Self.text),
            serverTLSVersion: facts?.version,
            cipher: facts?.cipher,
            serverName: plan.serverName,
            alpn: facts?.alpn,
            clientCertificate: facts.flatMap { facts in
                guard facts.wantsClientCertificate else { return nil }
                return facts.shownCertificate.map { Base64.encodeForURLs(Digest.of($0.der)) } ?? ""
            }
        )
        if let connectedAt {
            configuration.timings.connect = connectedAt - plan.startedAt
            if facts != nil { configuration.timings.secured(in: now - connectedAt) }
        }
        conversation = Conversation(configuration)
        opened?.succeed()
        opened = nil
    }

    private static func text(_ address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return URLAuthority.text(host, port: port)
    }

    // MARK: - Requests

    /// Writes the bytes of a request; the promise gets the exchange.
    func submit(_ request: [UInt8], _ answer: EventLoopPromise<Exchange>) {
        guard let context, context.channel.isActive, conversation != nil, self.answer == nil else {
            return answer.fail(HTTPSenderError.closedWhileIdle)
        }
        self.answer = answer
        requests += 1
        hasAnswerBegun = false
        let bytes = ByteBuffer(bytes: request)
        take(conversation?.received(bytes, from: .client, at: plan.clock()) ?? [])
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        if answer != nil, requests > 1, !hasAnswerBegun { fail(.closedUnanswered) }
        take(conversation?.ended(.server, reason: nil, at: plan.clock()) ?? [])
        fail(.broken(reason: "the connection was closed before the answer"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if answer != nil, requests > 1, !hasAnswerBegun {
            fail(.closedUnanswered)
        } else {
            fail(.broken(reason: TransportReason.broken(error, by: "provider")))
        }
        context.close(promise: nil)
    }

    private func take(_ exchanges: [Exchange]) {
        guard let exchange = exchanges.first else { return }
        answer?.succeed(exchange)
        answer = nil
    }

    private func fail(_ error: HTTPSenderError) {
        opened?.fail(error)
        opened = nil
        answer?.fail(error)
        answer = nil
    }
}
