import Glibc
import LibCrypto
import NIOCore
import NIOPosix
import Synchronization
import TLS

/// A server on loopback that answers each request by a script, over TLS or in clear.
final class LoopbackOrigin: Sendable {
    /// What to do with the bytes of one connection so far.
    enum Step: Sendable {
        case wait
        /// Send, drop what was read.
        case send([UInt8])
        /// Send and end our half.
        case sendAndFinish([UInt8])
        /// Break the connection.
        case reset
        /// Send so many bytes as the client takes them.
        case flood(head: [UInt8], count: Int)
        /// Send the head, then the rest a byte at a time.
        case drip(head: [UInt8], [UInt8], every: TimeAmount)
    }

    typealias Script = @Sendable (_ received: [UInt8]) -> Step

    let port: Int
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    private let counts = Counts()

    final class Counts: Sendable {
        let sent = Mutex(0)
        let received = Mutex(0)
        let ended = Mutex(0)
    }

    /// Bytes of floods that were handed to the socket so far.
    var sent: Int { counts.sent.withLock { $0 } }
    /// Bytes that came in, over all connections.
    var received: Int { counts.received.withLock { $0 } }
    /// Connections whose other side has ended its half.
    var ended: Int { counts.ended.withLock { $0 } }

    init(
        tls: TLSContext?,
        reads: Bool = true,
        greeting: String = "",
        resetsAfter patience: TimeAmount? = nil,
        host: String = "127.0.0.1",
        port: Int = 0,
        script: @escaping Script
    ) async throws {
        let counts = counts
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.autoRead, value: reads)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            TLSHandler(
                                context: tls,
                                configuration: .server(alpn: .init(accepted: "http/1.1"))
                            )
                        )
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        ScriptHandler(script, counts, greeting, patience)
                    )
                }
            }
            .bind(host: host, port: port).get()
        self.port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close().get()
        try await group.shutdownGracefully()
    }

    private final class ScriptHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let script: Script
        private var received: [UInt8] = []
        private var flooding = 0
        private var isDripping = false

        private let counts: Counts

        private let greeting: String
        /// How long after its TLS handshake a connection is broken.
        private let patience: TimeAmount?

        init(_ script: @escaping Script, _ counts: Counts, _ greeting: String, _ patience: TimeAmount?) {
            self.patience = patience
            self.greeting = greeting
            self.script = script
            self.counts = counts
        }

        func channelActive(context: ChannelHandlerContext) {
            guard !greeting.isEmpty else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil)
        }

        private func reset(_ context: ChannelHandlerContext) {
            // (on, 0 s): closing resets. The struct's members belong to a module of NIO's that tests
            // cannot import.
            let abortive = unsafeBitCast((CInt(1), CInt(0)), to: linger.self)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(abortive)
            // Below TLS, which would say goodbye first.
            let tls = try? context.pipeline.syncOperations.context(handlerType: TLSHandler.self)
            (tls ?? context).close(promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            received += bytes.readableBytesView
            counts.received.withLock { $0 += bytes.readableBytes }
            while !received.isEmpty {
                switch script(received) {
                case .wait: return
                case .send(let bytes):
                    received = []
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
                case .sendAndFinish(let bytes):
                    received = []
                    let channel = context.channel
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).whenComplete { _ in
                        channel.close(promise: nil)
                    }
                case .reset:
                    received = []
                    reset(context)
                case .flood(let head, let count):
                    received = []
                    context.write(wrapOutboundOut(ByteBuffer(bytes: head)), promise: nil)
                    flooding = count
                    pump(context)
                case .drip(let head, let rest, let pause):
                    received = []
                    isDripping = true
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: head)), promise: nil)
                    for (number, byte) in rest.enumerated() {
                        context.eventLoop.assumeIsolated().scheduleTask(in: pause * (number + 1)) {
                            context.writeAndFlush(
                                self.wrapOutboundOut(ByteBuffer(bytes: [byte])),
                                promise: nil
                            )
                        }
                    }
                }
            }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) { pump(context) }

        private func pump(_ context: ChannelHandlerContext) {
            while flooding > 0, context.channel.isWritable {
                let count = min(flooding, 65_536)
                flooding -= count
                counts.sent.withLock { $0 += count }
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(repeating: 0x78, count: count)),
                    promise: nil
                )
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let patience, case .completed? = event as? HandshakeOutcome {
                context.eventLoop.assumeIsolated().scheduleTask(in: patience) { self.reset(context) }
            }
            guard event as? ChannelEvent == .inputClosed else { return }
            counts.ended.withLock { $0 += 1 }
            // Whoever still has to answer does so first.
            if received.isEmpty, !isDripping { context.close(promise: nil) }
        }
    }
}
