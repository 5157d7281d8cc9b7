import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A client that sends bytes as they are and keeps what comes.
final class RawClient: Sendable {
    private let channel: any Channel
    private let state: State

    final class State: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let isEnded = Mutex(false)
    }

    init(port: Int, reads: Bool = true) async throws {
        let state = State()
        self.state = state
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func finishSending() async throws { try await channel.close(mode: .output).get() }

    func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    func close() async throws { try await channel.close().get() }

    /// Ends the connection with a RST.
    func reset() async throws {
        let options = channel as? any SocketOptionProvider
        try await options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await close()
    }

    var localAddress: SocketAddress? { channel.localAddress }
    var received: String { String(decoding: state.bytes.withLock { $0 }, as: UTF8.self) }
    var count: Int { state.bytes.withLock { $0.count } }
    var isEnded: Bool { state.isEnded.withLock { $0 } }

    /// Waits, by looking, until the condition holds; at most ten seconds.
    @discardableResult
    func until(_ condition: (RawClient) -> Bool) async throws -> Bool {
        for _ in 0..<1000 {
            if condition(self) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return condition(self)
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let state: State

        init(_ state: State) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            state.bytes.withLock { $0 += bytes.readableBytesView }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { state.isEnded.withLock { $0 = true } }
        }

        func channelInactive(context: ChannelHandlerContext) { state.isEnded.withLock { $0 = true } }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
