import Captures
import NIOCore
import NIOPosix
import Synchronization
import TLS

/// A small forward proxy on loopback, to have another one on the way: HTTP (`CONNECT` and absolute form) or SOCKS 5.
///
/// Everything is for one connection's good behaviour; it is no example of a robust one.
final class SmallProxy: Sendable {
    enum Kind: Sendable {
        case http
        case socks
    }

    /// Answers to the head of a request in place of the proxy; nil lets it do its work.
    typealias Answer = @Sendable (_ head: String) -> [UInt8]?

    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let log: Log

    final class Log: Sendable {
        let heads = Mutex<[String]>([])
        let accepted = Mutex(0)
    }

    /// Heads of requests, or `name:port` and `address:port` that a SOCKS client asked for.
    var heads: [String] { log.heads.withLock { $0 } }

    /// How many connections there were.
    var accepted: Int { log.accepted.withLock { $0 } }

    /// `hosts`: addresses of names that nobody else knows; `credentials`: `user:password`, for SOCKS.
    init(
        _ kind: Kind,
        tls: TLSContext? = nil,
        hosts: [String: String] = [:],
        credentials: String? = nil,
        answer: @escaping Answer = { _ in nil }
    ) async throws {
        let log = Log()
        self.log = log
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                log.accepted.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = TLSHandler(
                            context: tls,
                            configuration: .server(alpn: .init(accepted: "http/1.1"))
                        )
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        FrontHandler(kind, log, hosts, credentials, answer)
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }

    /// The client's side; `other` is where its bytes go.
    private final class FrontHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let kind: Kind
        private let log: Log
        private let hosts: [String: String]
        private let credentials: String?
        private let answer: Answer
        private var bytes: [UInt8] = []
        private var other: (any Channel)?
        private var isBusy = false
        private var socksStep = 0

        init(
            _ kind: Kind,
            _ log: Log,
            _ hosts: [String: String],
            _ credentials: String?,
            _ answer: @escaping Answer
        ) {
            self.kind = kind
            self.log = log
            self.hosts = hosts
            self.credentials = credentials
            self.answer = answer
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += unwrapInboundIn(data).readableBytesView
            goOn(context)
        }

        private func goOn(_ context: ChannelHandlerContext) {
            if let other {
                other.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
                bytes = []
            } else if !isBusy {
                kind == .http ? readHead(context) : readSOCKS(context)
            }
        }

        private func readHead(_ context: ChannelHandlerContext) {
            guard let end = String(decoding: bytes, as: UTF8.self).firstRange(of: "\r\n\r\n") else { return }
            let text = String(decoding: bytes, as: UTF8.self)
            let head = String(text[..<end.upperBound])
            bytes.removeFirst(head.utf8.count)
            log.heads.withLock { $0.append(head) }
            if let answer = answer(head) {
                return context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
            }
            let words = head.split(separator: " ", maxSplits: 2)
            let isConnect = words[0] == "CONNECT"
            let authority = isConnect ? words[1] : words[1].dropFirst("http://".count).prefix { $0 != "/" }
            let path = isConnect ? "" : words[1].dropFirst("http://".count + authority.count)
            let colon = authority.lastIndex(of: ":") ?? authority.endIndex
            let port = Int(authority[colon...].dropFirst()) ?? 80
            let host = authority[..<colon].filter { $0 != "[" && $0 != "]" }
            dial(host, port, context) { [self] context in
                if isConnect {
                    send("HTTP/1.1 200 Go ahead\r\nX-Proxy: small\r\n\r\n".utf8, context)
                } else {
                    bytes = Array("\(words[0]) \(path) \(words[2])".utf8) + bytes
                }
            } refuse: { [self] context in
                send("HTTP/1.1 503 Cannot reach it\r\nContent-Length: 0\r\n\r\n".utf8, context)
            }
        }

        private func readSOCKS(_ context: ChannelHandlerContext) {
            switch socksStep {
            case 0:
                guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return }
                let methods = bytes[2..<(2 + Int(bytes[1]))]
                bytes.removeFirst(2 + methods.count)
                let method: UInt8 = credentials == nil ? 0 : 2
                guard methods.contains(method) else { return send([5, 0xff], context) }
                send([5, method], context)
                socksStep = credentials == nil ? 2 : 1
                readSOCKS(context)
            case 1:
                guard bytes.count >= 2, bytes.count >= 3 + Int(bytes[1]) else { return }
                let user = bytes[2..<(2 + Int(bytes[1]))]
                let length = Int(bytes[2 + user.count])
                guard bytes.count >= 3 + user.count + length else { return }
                let password = bytes[(3 + user.count)..<(3 + user.count + length)]
                bytes.removeFirst(3 + user.count + length)
                let given =
                    String(decoding: user, as: UTF8.self) + ":" + String(decoding: password, as: UTF8.self)
                send([1, given == credentials ? 0 : 1], context)
                socksStep = 2
                readSOCKS(context)
            default:
                guard bytes.count >= 5 else { return }
                let length = [1: 4, 4: 16][bytes[3]] ?? Int(bytes[4]) + 1
                guard bytes.count >= 4 + length + 2 else { return }
                let address = bytes[4..<(4 + length)]
                let port = Int(bytes[4 + length]) << 8 | Int(bytes[5 + length])
                let isName = bytes[3] == 3
                bytes.removeFirst(6 + length)
                let host =
                    isName
                    ? String(decoding: address.dropFirst(), as: UTF8.self)
                    : (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: address), port: 0))?.ipAddress
                        ?? ""
                let asked = "\(host):\(port)"
                log.heads.withLock { $0.append(asked) }
                if let answer = answer(asked) { return send(answer, context) }
                dial(host, port, context) { [self] context in
                    send([5, 0, 0, 1, 127, 0, 0, 1, 0, 80], context)
                } refuse: { [self] context in
                    send([5, 5, 0, 1, 0, 0, 0, 0, 0, 0], context)
                }
            }
        }

        private func send(_ bytes: some Sequence<UInt8>, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }

        private func dial(
            _ host: String,
            _ port: Int,
            _ context: ChannelHandlerContext,
            then: @escaping (ChannelHandlerContext) -> Void,
            refuse: @escaping (ChannelHandlerContext) -> Void
        ) {
            isBusy = true
            let front = context.channel
            ClientBootstrap(group: context.eventLoop)
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(BackHandler(front))
                    }
                }
                .connect(host: hosts[host] ?? host, port: port).assumeIsolated().whenComplete {
                    [self] result in
                    switch result {
                    case .success(let channel):
                        then(context)
                        other = channel
                        goOn(context)
                    case .failure:
                        isBusy = false
                        refuse(context)
                    }
                }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard event as? ChannelEvent == .inputClosed else { return }
            if let other { other.close(mode: .output, promise: nil) } else { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { other?.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class BackHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let front: any Channel

        init(_ front: any Channel) { self.front = front }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            front.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { front.close(mode: .output, promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { front.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
