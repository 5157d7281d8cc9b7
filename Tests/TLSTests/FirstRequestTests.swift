import LibCrypto
import NIOCore
import NIOPosix
import TLS
import Testing

/// How long a client's first request takes, with sockets.
struct FirstRequestTests {
    /// Sends a byte as soon as the handshake is done, and notes how long it took to come back.
    private final class Client: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let took: EventLoopPromise<TimeAmount>
        private var sentAt = NIODeadline.now()

        init(_ took: EventLoopPromise<TimeAmount>) { self.took = took }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            switch event as? HandshakeOutcome {
            case .completed:
                sentAt = .now()
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "?")), promise: nil)
            case nil: break
            case let outcome?: took.fail(TLSError.invalidConfiguration("\(outcome)"))
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { took.succeed(.now() - sentAt) }

        func channelInactive(context: ChannelHandlerContext) { took.fail(TLSError.closed) }
    }

    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
        }
    }

    /// The shortest of some connections, one after the other.
    private func shortest(_ port: Int, _ trust: TLSContext, noDelay: ChannelOptions.Types.SocketOption.Value)
        async throws -> TimeAmount
    {
        var all: [TimeAmount] = []
        for _ in 0..<8 {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let took = loop.makePromise(of: TimeAmount.self)
            let channel = try await ClientBootstrap(group: loop)
                .channelOption(.tcpOption(.tcp_nodelay), value: noDelay)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let configuration = TLSConfiguration.client(serverName: "login.example", alpn: [])
                        try channel.pipeline.syncOperations.addHandlers([
                            TLSHandler(context: trust, configuration: configuration), Client(took),
                        ])
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            try await all.append(took.futureResult.get())
            try await channel.close().get()
        }
        return try #require(all.min())
    }

    @Test("A client with Nagle's algorithm does not wait for an acknowledgement that waits for our answer.")
    func firstRequestIsNotHeldBack() async throws {
        let authority = try HandlerEnds.authority()
        let context = try HandlerEnds.server(authority)
        let trust = try HandlerEnds.client(trusting: [authority.certificate])
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        TLSHandler(
                            context: context,
                            configuration: .server(alpn: ServerProtocols(accepted: "http/1.1"))
                        ), Echo(),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let plain = try await shortest(port, trust, noDelay: 1)
        let nagle = try await shortest(port, trust, noDelay: 0)
        // The system's patience is forty milliseconds, a hundred times as long as the answer takes.
        #expect(nagle < plain * 8, "\(nagle.nanoseconds / 1000) us instead of \(plain.nanoseconds / 1000) us")
        try await server.close().get()
    }
}
