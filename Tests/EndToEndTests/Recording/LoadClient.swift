import Captures
import LibCrypto
import NIOCore
import NIOPosix
import Synchronization
import TLS
import Wire

/// Connections through the recorder that send one request after another, over TLS, and note each answer that
/// came whole.
final class LoadClient: Sendable {
    /// What the connections have seen.
    final class Ledger: Sendable {
        private let seen = Mutex<[String]>([])
        private let alive = Mutex(0)

        var complete: [String] { seen.withLock { $0 } }
        /// Connections that are still open.
        var connections: Int { alive.withLock { $0 } }

        func note(_ url: String) { seen.withLock { $0.append(url) } }
        func count(_ change: Int) { alive.withLock { $0 += change } }
    }

    let ledger = Ledger()
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Opens the connections; each begins at once and goes on until something closes it.
    ///
    /// `connections`: how many.
    /// `proxyPort`: of the recorder on 127.0.0.1.
    /// `origin`: `HOST:PORT` of the server.
    /// `trust`: with the recorder's authority.
    /// `label`: first part of each path, so that runs are told apart.
    func start(_ connections: Int, proxyPort: Int, origin: String, trust: TLSContext, label: String)
        async throws
    {
        let ledger = ledger
        for number in 0..<connections {
            let plan = LoadHandler.Plan(origin: origin, path: "/\(label)/\(number)", trust: trust)
            _ = try await ClientBootstrap(group: group)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(LoadHandler(plan, ledger))
                    }
                }
                .connect(host: "127.0.0.1", port: proxyPort).get()
        }
    }

    /// Closes what is open and ends the thread.
    func stop() async throws { try await group.shutdownGracefully() }
}

private final class LoadHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    struct Plan: Sendable {
        var origin: String
        var path: String
        var trust: TLSContext
    }

    private let plan: Plan
    private let ledger: LoadClient.Ledger
    private var conversation: Conversation
    private var isTunnelled = false
    private var sent = 0

    init(_ plan: Plan, _ ledger: LoadClient.Ledger) {
        self.plan = plan
        self.ledger = ledger
        conversation = Conversation(.init(scheme: "https", authority: plan.origin))
    }

    func channelActive(context: ChannelHandlerContext) {
        ledger.count(1)
        let text = "CONNECT \(plan.origin) HTTP/1.1\r\nHost: \(plan.origin)\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { ledger.count(-1) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isTunnelled else { return secure(context) }
        let finished = conversation.received(
            unwrapInboundIn(data),
            from: .server,
            at: Timestamp(nanoseconds: 0)
        )
        for exchange in finished where exchange.response?.status == 200 && exchange.failure == nil {
            ledger.note(exchange.request.url.text)
            sendNext(context)
        }
    }

    /// The proxy's answer to CONNECT comes in one piece, and nothing behind it before our hello.
    private func secure(_ context: ChannelHandlerContext) {
        isTunnelled = true
        let configuration = TLSConfiguration.client(serverName: "localhost", alpn: ["http/1.1"])
        let handler = TLSHandler(context: plan.trust, configuration: configuration)
        try? context.pipeline.syncOperations.addHandler(handler, position: .before(self))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let outcome = event as? HandshakeOutcome else {
            return context.fireUserInboundEventTriggered(event)
        }
        guard case .completed = outcome else { return context.close(promise: nil) }
        sendNext(context)
    }

    private func sendNext(_ context: ChannelHandlerContext) {
        let bytes = ByteBuffer(string: "GET \(plan.path)/\(sent) HTTP/1.1\r\nHost: \(plan.origin)\r\n\r\n")
        sent += 1
        _ = conversation.received(bytes, from: .client, at: Timestamp(nanoseconds: 0))
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
