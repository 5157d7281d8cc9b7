import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import TLS

/// A server on loopback that speaks HTTP/2 only, and answers each request with what it was asked.
final class HTTP2Origin: Sendable {
    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// `tls`: nil in clear, for clients that know beforehand.
    init(tls: TLSContext?) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let protocols = ServerProtocols(accepted: "h2", refusesOthers: true)
                        try pipeline.addHandler(
                            TLSHandler(context: tls, configuration: .server(alpn: protocols))
                        )
                    }
                    try pipeline.addHandlers([
                        NIOHTTP2Handler(
                            mode: .server,
                            initialSettings: nioDefaultSettings + [
                                HTTP2Setting(parameter: .enableConnectProtocol, value: 1)
                            ]
                        ),
                        HTTP2StreamMultiplexer(
                            mode: .server,
                            channel: channel,
                            outboundBufferSizeHighWatermark: 1 << 16,
                            outboundBufferSizeLowWatermark: 1 << 15
                        ) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                try stream.pipeline.syncOperations.addHandler(Echo())
                            }
                        },
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }

    /// Answers `METHOD PATH` and the body; `/long` with a megabyte, `/trailers` with trailers, `/early` without a body and before it
    /// has read one, `/never` not at all.
    ///
    /// What becomes another protocol (RFC 8441) is sent back as it comes.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private var line = ""
        private var path = ""
        private var body = ByteBuffer()
        private var isAnotherProtocol = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .headers(let headers):
                if headers.headers.contains(name: ":protocol") {
                    isAnotherProtocol = true
                    let head = HPACKHeaders([(":status", "200")])
                    return context.writeAndFlush(
                        wrapOutboundOut(.headers(.init(headers: head))),
                        promise: nil
                    )
                }
                if line.isEmpty {
                    path = headers.headers.first(name: ":path") ?? ""
                    line = "\(headers.headers.first(name: ":method") ?? "") \(path)"
                    if let cookie = headers.headers.first(name: "cookie") { line += " \(cookie)" }
                }
                if path == "/early" {
                    let head = HPACKHeaders([(":status", "401")])
                    context.writeAndFlush(
                        wrapOutboundOut(.headers(.init(headers: head, endStream: true))),
                        promise: nil
                    )
                } else if headers.endStream {
                    answer(context)
                }
            case .data(let data) where isAnotherProtocol:
                context.writeAndFlush(wrapOutboundOut(.data(data)), promise: nil)
            case .data(let data):
                if case .byteBuffer(var bytes) = data.data { body.writeBuffer(&bytes) }
                if data.endStream { answer(context) }
            default: break
            }
        }

        private func answer(_ context: ChannelHandlerContext) {
            guard path != "/never", path != "/early" else { return }
            var text = ByteBuffer(string: line + "\n")
            text.writeBuffer(&body)
            if path == "/long" { text.writeRepeatingByte(0x78, count: 1 << 20) }
            let hasTrailers = path == "/trailers"
            let head = HPACKHeaders([
                (":status", "200"), ("content-type", "text/plain"), ("set-cookie", "a=1"),
                ("set-cookie", "b=2"),
            ])
            context.write(wrapOutboundOut(.headers(.init(headers: head))), promise: nil)
            context.write(
                wrapOutboundOut(.data(.init(data: .byteBuffer(text), endStream: !hasTrailers))),
                promise: nil
            )
            if hasTrailers {
                let trailers = HPACKHeaders([("x-sum", "1")])
                context.write(
                    wrapOutboundOut(.headers(.init(headers: trailers, endStream: true))),
                    promise: nil
                )
            }
            context.flush()
        }
    }
}
