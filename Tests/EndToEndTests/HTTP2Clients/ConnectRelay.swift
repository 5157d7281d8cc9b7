import NIOCore
import NIOPosix

/// Takes connections on loopback and leads each through a proxy's tunnel: the way to the recorder for clients that know no
/// proxy.
final class ConnectRelay: Sendable {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// Listens on a port that the system picks.
    ///
    /// `proxyPort`: of the recorder on 127.0.0.1.
    /// `target`: `HOST:PORT` that each connection is for.
    init(proxyPort: Int, target: String) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // A client is not read before its tunnel is there.
            .childChannelInitializer { client in
                let opened = client.eventLoop.makePromise(of: Void.self)
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelInitializer { tunnel in
                        tunnel.eventLoop.makeCompletedFuture {
                            try tunnel.pipeline.syncOperations.addHandler(
                                TunnelHandler(target: target, client: client, opened: opened)
                            )
                        }
                    }
                    .connect(host: "127.0.0.1", port: proxyPort)
                    .flatMap { tunnel in
                        opened.futureResult.flatMapThrowing {
                            try client.pipeline.syncOperations.addHandler(ForwardingHandler(to: tunnel))
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }

    /// Asks for the tunnel, then passes on what comes out of it.
    private final class TunnelHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        struct Refused: Error { var answer: String }

        private let target: String
        private let client: any Channel
        private let opened: EventLoopPromise<Void>
        private var answer: [UInt8]? = []

        init(target: String, client: any Channel, opened: EventLoopPromise<Void>) {
            self.target = target
            self.client = client
            self.opened = opened
        }

        func channelActive(context: ChannelHandlerContext) {
            let text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            guard var answer else { return client.writeAndFlush(bytes, promise: nil) }
            answer += bytes.readableBytesView
            self.answer = answer
            // Nothing comes behind the answer before the client's hello.
            guard answer.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
            self.answer = nil
            let text = String(decoding: answer, as: UTF8.self)
            guard text.hasPrefix("HTTP/1.1 200 ") else { return opened.fail(Refused(answer: text)) }
            opened.succeed()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if answer != nil { opened.fail(ChannelError.eof) }
            client.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class ForwardingHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(to other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
