import Foundation
import LibCrypto
import NIOCore
import NIOPosix
import Synchronization
import TLS

/// A client in TLS inside a tunnel of the recorder, which sends bytes as they are and keeps what comes.
final class TunnelClient: Sendable {
    private let channel: any Channel
    private let state: State

    private final class State: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let isSecure = Mutex(false)
    }

    /// `protocolName`: the one that it offers (ALPN).
    init(_ rig: ProxyRig, target: String, protocolName: String) async throws {
        let state = State()
        self.state = state
        let pem = try Array(Data(contentsOf: URL(filePath: rig.authorityFile)))
        let trust = try TLSContext.client(
            .init(trustsSystemRoots: false, furtherRoots: Certificate.all(pem: pem))
        )
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Handler(target: target, protocolName: protocolName, trust: trust, state)
                    )
                }
            }
            .connect(host: "127.0.0.1", port: rig.port).get()
        for _ in 0..<2000 where !state.isSecure.withLock({ $0 }) {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    func close() async throws { try await channel.close().get() }

    /// Waits, by looking, until what has come satisfies the condition; at most twenty seconds.
    func until(_ condition: ([UInt8]) -> Bool) async throws -> Bool {
        for _ in 0..<2000 {
            if condition(state.bytes.withLock { $0 }) { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let target: String
        private let protocolName: String
        private let trust: TLSContext
        private let state: State
        private var isTunnelled = false

        init(target: String, protocolName: String, trust: TLSContext, _ state: State) {
            self.target = target
            self.protocolName = protocolName
            self.trust = trust
            self.state = state
        }

        func channelActive(context: ChannelHandlerContext) {
            let text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            guard isTunnelled else {
                // The answer to CONNECT comes in one piece, and nothing behind it before our hello.
                isTunnelled = true
                let configuration = TLSConfiguration.client(serverName: "localhost", alpn: [protocolName])
                let handler = TLSHandler(context: trust, configuration: configuration)
                try? context.pipeline.syncOperations.addHandler(handler, position: .before(self))
                return
            }
            state.bytes.withLock { $0 += bytes.readableBytesView }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard let outcome = event as? HandshakeOutcome, case .completed = outcome else { return }
            state.isSecure.withLock { $0 = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
