package import Captures
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import TLS

/// A small HTTP/1.1 server on loopback around a pure responder: the built-in provider, the mock, the viewer.
///
/// Bodies are bounded; what is larger is answered with 413.
package final class LocalServer: Sendable {
    /// What is asked, with the address it was asked at, to what is answered.
    package typealias Responder = @Sendable (RecordedRequest) async -> RecordedResponse

    /// How an answer is delivered; whole and at once unless said otherwise.
    package enum Delivery: Sendable, Equatable {
        case whole
        /// After a pause; no longer than ``longestPause``.
        case late(Duration)
        /// The length is announced and half of the body sent, then the connection is closed.
        case cutShort
        /// Nothing is sent; the connection stays open until ``longestPause`` is over.
        case never
    }

    /// What nobody waits longer for.
    package static let longestPause: Duration = .seconds(300)

    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    /// The port that is listened on.
    package let port: Int

    private init(group: MultiThreadedEventLoopGroup, channel: any Channel, port: Int) {
        self.group = group
        self.channel = channel
        self.port = port
    }

    /// Listens on an address of this machine.
    ///
    /// `host`: a loopback address or name, without brackets.
    /// `port`: 0 lets the system pick one.
    /// `tls`: a server's context; nil speaks plain HTTP.
    /// `delivery`: how the answer to a request is delivered.
    /// Throws ``ProxyError`` when the port is not to be had.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TLSContext? = nil,
        delivery: @escaping @Sendable (RecordedRequest) -> Delivery = { _ in .whole },
        responder: @escaping Responder
    ) async throws -> LocalServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let scheme = tls == nil ? "http" : "https"
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls {
                        let protocols = ServerProtocols(accepted: "http/1.1")
                        try pipeline.addHandlers(
                            PlainHTTPHandler(),
                            TLSHandler(context: tls, configuration: .server(alpn: protocols))
                        )
                    }
                    let headBytes = HeadBytesHandler()
                    try pipeline.addHandlers(headBytes, RequestLineHandler())
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(
                        LocalServerHandler(
                            scheme: scheme,
                            headBytes: headBytes,
                            delivery: delivery,
                            responder: responder
                        )
                    )
                }
            }
        do {
            let channel = try await bootstrap.bind(host: host, port: port).get()
            return LocalServer(group: group, channel: channel, port: channel.localAddress?.port ?? port)
        } catch {
            try? await group.shutdownGracefully()
            if let error = error as? IOError, error.errnoCode == SystemError.addressInUse {
                throw ProxyError.addressInUse(host: host, port: port)
            }
            throw ProxyError.cannotListen(host: host, port: port, reason: ProxyServer.words(error))
        }
    }

    /// Closes every connection.
    package func stop() async {
        try? await channel.close().get()
        try? await group.shutdownGracefully()
    }
}

/// Collects a request, asks the responder, writes the answer; one request of a connection at a time.
private final class LocalServerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let maximumBodyBytes = 1 << 20

    private let scheme: String
    private let headBytes: HeadBytesHandler
    private let delivery: @Sendable (RecordedRequest) -> LocalServer.Delivery
    private let responder: LocalServer.Responder
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(
        scheme: String,
        headBytes: HeadBytesHandler,
        delivery: @escaping @Sendable (RecordedRequest) -> LocalServer.Delivery,
        responder: @escaping LocalServer.Responder
    ) {
        self.scheme = scheme
        self.headBytes = headBytes
        self.delivery = delivery
        self.responder = responder
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            isTooLarge = false
        case .body(let bytes):
            isTooLarge = isTooLarge || body.count + bytes.readableBytes > Self.maximumBodyBytes
            if !isTooLarge { body.append(contentsOf: bytes.readableBytesView) }
        case .end: answer(context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let outcome = event as? HandshakeOutcome, case .completed = outcome { return }
        if event is HandshakeOutcome { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head else { return }
        self.head = nil
        guard !isTooLarge else {
            let headers = HeaderFields([("Cache-Control", "no-store")])
            return write(RecordedResponse(status: 413, headers: headers), to: head, context)
        }
        let request = request(head)
        let responder = responder
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // The pipeline hands out the next request only when this one is answered.
        context.eventLoop.makeFutureWithTask { await responder(request) }.whenSuccess { response in
            let (handler, context) = bound.value
            handler.deliver(response, to: head, handler.delivery(request), context)
        }
    }

    private func deliver(
        _ response: RecordedResponse,
        to head: HTTPRequestHead,
        _ delivery: LocalServer.Delivery,
        _ context: ChannelHandlerContext
    ) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        switch delivery {
        case .whole: write(response, to: head, context)
        case .cutShort: write(response, to: head, context, isCutShort: true)
        case .late(let pause):
            context.eventLoop.scheduleTask(in: TimeAmount(min(pause, LocalServer.longestPause))) {
                let (handler, context) = bound.value
                if context.channel.isActive { handler.write(response, to: head, context) }
            }
        case .never:
            context.eventLoop.scheduleTask(in: TimeAmount(LocalServer.longestPause)) {
                bound.value.1.close(promise: nil)
            }
        }
    }

    private func request(_ head: HTTPRequestHead) -> RecordedRequest {
        let host = head.headers.first(name: "host") ?? "localhost"
        return RecordedRequest(
            method: head.method.rawValue,
            url: RecordedURL(head.uri.utf8.first == 0x2f ? "\(scheme)://\(host)\(head.uri)" : head.uri),
            headers: HeaderFields(head.headers.map { ($0.name, $0.value) }),
            body: body.isEmpty
                ? nil
                : Body(
                    content: .bytes(body),
                    mediaType: head.headers.first(name: "content-type"),
                    size: body.count
                )
        )
    }

    private func write(
        _ response: RecordedResponse,
        to request: HTTPRequestHead,
        _ context: ChannelHandlerContext,
        isCutShort: Bool = false
    ) {
        let bytes = response.body?.bytes ?? []
        var headers = HTTPHeaders(
            response.headers.fields.map { ($0.sentName.asLatin1.text, $0.sentValue.asLatin1.text) }
        )
        headers.replaceOrAdd(name: "Content-Length", value: String(bytes.count))
        let isLast = !request.isKeepAlive
        // Also to a client of HTTP/1.0, which may take an answer of HTTP/1.1 for a promise to go on.
        if isLast { headers.replaceOrAdd(name: "Connection", value: "close") }
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status),
            headers: headers
        )
        headBytes.expectHead()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        // The next answer would be looked for in a body where there is none (RFC 9110, section 6.4.1).
        let isEmpty = response.status < 200 || response.status == 204 || response.status == 304
        if request.method != .HEAD, !isEmpty, !bytes.isEmpty {
            let sent = isCutShort ? bytes.prefix(bytes.count / 2) : bytes[...]
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: sent)))), promise: nil)
        }
        let channel = context.channel
        guard !isCutShort else {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.flush()
            // Behind what was flushed.
            return context.eventLoop.execute { bound.value.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if isLast { channel.close(promise: nil) }
        }
    }
}
