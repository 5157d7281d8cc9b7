import Captures
import LibCrypto
import NIOCore
import NIOPosix
import Synchronization
import TLS
import Testing
import Wire

@testable import Proxy

/// The end of a connection whose client has not taken yet what came before it.
@Suite(.timeLimit(.minutes(1)))
struct TeeHandlerTests {
    /// More than the system holds for a client that does not read.
    private static let size = 16 << 20

    private final class State: Sendable {
        let isFilled = Mutex(false)
        let received = Mutex(0)
    }

    /// As when the provider has ended its side, and the time is over that a client has to close its own.
    @Test func whoTakesItsTimeInTLSHasAllThatCameBeforeTheEnd() async throws {
        let state = State()
        let origin = try #require(Origin(authority: "localhost:1", defaultPort: nil))
        let proxy = try Self.proxy(ProxyConfiguration(port: 0))
        let tls = try ProxyRig.originTLS()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tee = Tee(
                        proxy: proxy,
                        origin: origin,
                        identity: ClientIdentity(connectionID: "1"),
                        loop: channel.eventLoop,
                        conversation: nil
                    )
                    let handler = TeeHandler(side: .client, tee: tee)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        TLSHandler(context: tls, configuration: .server(alpn: .init(accepted: nil)))
                    )
                    try pipeline.addHandler(handler)
                    try pipeline.addHandler(Filler(handler, state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let trust = try TLSContext.client(
            .init(trustsSystemRoots: false, furtherRoots: [ProxyRig.originAuthority().certificate])
        )
        let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        TLSHandler(
                            context: trust,
                            configuration: .client(serverName: "localhost", alpn: [])
                        )
                    )
                    try pipeline.addHandler(LateReader(state))
                }
            }
            .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).get()
        try await until { state.isFilled.withLock { $0 } }
        try await client.setOption(.autoRead, value: true).get()
        try await until { state.received.withLock { $0 } == Self.size }
        #expect(state.received.withLock { $0 } == Self.size)
        try? await client.close().get()
        try await listener.close().get()
    }

    private static func proxy(_ configuration: ProxyConfiguration) throws -> ProxyContext {
        try ProxyContext(
            configuration: configuration,
            authority: CertificateAuthority.make(now: ProxyRig.now()).0,
            clock: { ProxyRig.now() },
            record: { _ in },
            notify: { _ in }
        )
    }

    /// As when the client has gone and the provider still has much of a request to take.
    @Test func whoNeverReadsDoesNotKeepItsConnection() async throws {
        let origin = try #require(Origin(authority: "localhost:1", defaultPort: nil))
        var configuration = ProxyConfiguration(port: 0)
        configuration.limits.lingerTime = .milliseconds(50)
        let proxy = try Self.proxy(configuration)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tee = Tee(
                        proxy: proxy,
                        origin: origin,
                        identity: ClientIdentity(connectionID: "1"),
                        loop: channel.eventLoop,
                        conversation: nil
                    )
                    let handler = TeeHandler(side: .server, tee: tee)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    try channel.pipeline.syncOperations.addHandler(Sender(handler))
                }
            }
            .connect(host: "127.0.0.1", port: listener.localAddress?.port ?? 0).get()
        try await until { !channel.isActive }
        #expect(!channel.isActive)
        try await listener.close().get()
    }

    @Test func whoTakesALittleIsWaitedFor() {
        var watch = OutputWatch(patience: .seconds(30))
        let start = NIODeadline.now()
        func isStalled(_ queued: Int, _ unsent: UInt32, at seconds: Int64) -> Bool {
            watch.isStalled(OutputWatch.Left(queued: queued, unsent: unsent), at: start + .seconds(seconds))
        }
        #expect(!isStalled(9, 9, at: 0) && !isStalled(9, 9, at: 29))
        // The system's queue, then ours.
        #expect(!isStalled(9, 8, at: 30) && !isStalled(9, 8, at: 59))
        #expect(!isStalled(8, 8, at: 60) && !isStalled(8, 8, at: 89) && isStalled(8, 8, at: 90))
    }

    /// Waits, by looking, until the condition holds; at most ten seconds.
    private func until(_ condition: () -> Bool) async throws {
        for _ in 0..<1000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Says it all at once, and closes twice: its half, then the rest.
    private final class Filler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let handler: TeeHandler
        private let state: State

        init(_ handler: TeeHandler, _ state: State) {
            self.handler = handler
            self.state = state
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard let outcome = event as? HandshakeOutcome, case .completed = outcome else { return }
            handler.write(ByteBuffer(repeating: 0x78, count: TeeHandlerTests.size))
            handler.closeOutput()
            handler.closeAfterFlush()
            state.isFilled.withLock { $0 = true }
        }
    }

    /// Says it all at once, and closes.
    private final class Sender: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let handler: TeeHandler

        init(_ handler: TeeHandler) { self.handler = handler }

        func channelActive(context: ChannelHandlerContext) {
            handler.write(ByteBuffer(repeating: 0x78, count: TeeHandlerTests.size))
            handler.closeAfterFlush()
        }
    }

    /// Reads the handshake, and the rest once told to.
    private final class LateReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let state: State

        init(_ state: State) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let count = unwrapInboundIn(data).readableBytes
            state.received.withLock { $0 += count }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard let outcome = event as? HandshakeOutcome, case .completed = outcome else { return }
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
