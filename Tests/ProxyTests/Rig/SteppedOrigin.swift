import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import Synchronization
import TLS

/// A server on loopback that answers when and as far as its test tells it to, over HTTP/1.1 or HTTP/2 and TLS.
final class SteppedOrigin: Sendable {
    /// A request under way, and the way to answer it.
    final class Call: Sendable {
        let path: String
        fileprivate let channel: any Channel
        fileprivate let text = Mutex("")

        /// What of its body has come.
        var body: String { text.withLock { $0 } }

        fileprivate init(path: String, channel: any Channel) {
            self.path = path
            self.channel = channel
        }

        func interim(_ status: HTTPResponseStatus) async throws { try await write(.head(head(status))) }

        func begin(_ headers: HTTPHeaders = [:]) async throws { try await write(.head(head(.ok, headers))) }

        func send(_ text: String) async throws {
            try await write(.body(.byteBuffer(ByteBuffer(string: text))))
        }

        func end() async throws { try await write(.end(nil)) }

        private func head(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:]) -> HTTPResponseHead {
            HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        }

        private func write(_ part: HTTPServerResponsePart) async throws {
            try await channel.writeAndFlush(part).get()
        }
    }

    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let calls: Calls

    private final class Calls: Sendable {
        let all = Mutex<[Call]>([])
    }

    init(http2: Bool, tls: TLSContext) async throws {
        let calls = Calls()
        self.calls = calls
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        channel = try await ServerBootstrap(group: group)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let protocols = ServerProtocols(accepted: http2 ? "h2" : "http/1.1", refusesOthers: true)
                    try pipeline.addHandler(TLSHandler(context: tls, configuration: .server(alpn: protocols)))
                    guard http2 else {
                        try pipeline.configureHTTPServerPipeline()
                        return try pipeline.addHandler(CallHandler(calls))
                    }
                    try pipeline.addHandlers([
                        NIOHTTP2Handler(mode: .server),
                        HTTP2StreamMultiplexer(
                            mode: .server,
                            channel: channel,
                            outboundBufferSizeHighWatermark: 1 << 16,
                            outboundBufferSizeLowWatermark: 1 << 15
                        ) { stream in
                            stream.eventLoop.makeCompletedFuture {
                                let pipeline = stream.pipeline.syncOperations
                                try pipeline.addHandlers([HTTP2FramePayloadToHTTP1ServerCodec()])
                                try pipeline.addHandler(CallHandler(calls))
                            }
                        },
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// The request for a path; waits for it, by looking, at most twenty seconds.
    func call(_ path: String) async throws -> Call? {
        for _ in 0..<2000 {
            if let call = calls.all.withLock({ $0.first { $0.path == path } }) { return call }
            try await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }

    private final class CallHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        private let calls: Calls
        private var call: Call?

        init(_ calls: Calls) { self.calls = calls }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let call = Call(path: head.uri, channel: context.channel)
                self.call = call
                calls.all.withLock { $0.append(call) }
            case .body(let bytes): call?.text.withLock { $0 += String(buffer: bytes) }
            case .end: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
