import Captures
import NIOCore
import NIOPosix
import Synchronization
import Testing

/// Clients that end their half of the connection before the answer comes: those that have gone, and those that wait for it.
@Suite(.timeLimit(.minutes(1)))
struct GoneClientTests {
    /// A provider that minds no client's end, and answers when it is told to.
    private final class Origin: Sendable {
        private final class Asked: Sendable {
            let channel = Mutex<(any Channel)?>(nil)
            let isEnded = Mutex(false)
        }

        let port: Int
        private let listener: any Channel
        private let asked: Asked

        init() async throws {
            let asked = Asked()
            self.asked = asked
            listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Listener(asked))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            port = listener.localAddress?.port ?? 0
        }

        private final class Listener: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let asked: Asked

            init(_ asked: Asked) { self.asked = asked }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let channel = context.channel
                asked.channel.withLock { $0 = channel }
            }

            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if event as? ChannelEvent == .inputClosed { asked.isEnded.withLock { $0 = true } }
            }
        }

        var isAsked: Bool { asked.channel.withLock { $0 != nil } }
        /// Whether the client's end has come.
        var isEnded: Bool { asked.isEnded.withLock { $0 } }

        func answer(_ text: String, thenCloses: Bool) async throws {
            let channel = try #require(asked.channel.withLock { $0 })
            try await channel.writeAndFlush(ByteBuffer(string: text)).get()
            if thenCloses { try await channel.close().get() }
        }

        func stop() async throws {
            asked.channel.withLock { $0 }?.close(promise: nil)
            try await listener.close().get()
        }
    }

    private static let tokens = #"{"access_token":"a"}"#
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(tokens.utf8.count)\r\n\r\n\(tokens)"

    /// Asks the origin for tokens, and ends the client's half in one way or another, which the origin has heard of when this returns.
    private func ask(
        _ origin: Origin,
        by rig: ProxyRig,
        ending end: (RawClient) async throws -> Void
    ) async throws -> RawClient {
        let client = try await RawClient(port: rig.port)
        let host = "127.0.0.1:\(origin.port)"
        try await client.send("GET http://\(host)/token HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        try await client.until { _ in origin.isAsked }
        try await end(client)
        try await client.until { _ in origin.isEnded }
        return client
    }

    /// It is in the capture what the provider answered, and that nobody has it.
    @Test(arguments: [false, true]) func answerThatFindsNobodyIsNone(providerCloses: Bool) async throws {
        let origin = try await Origin()
        let rig = try await ProxyRig()
        _ = try await ask(origin, by: rig) { try await $0.close() }
        try await origin.answer(Self.answer, thenCloses: providerCloses)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.failure == AnswerLoss.clientLeft)
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body?.text == Self.tokens)
        await rig.stop()
        #expect(rig.exchanges.count == 1)
        try await origin.stop()
    }

    /// Its end is told by a length, or that of the connection, which the client waits for.
    @Test(arguments: [(true, false), (true, true), (false, true)])
    func whoStillListensHasItsAnswer(hasLength: Bool, providerCloses: Bool) async throws {
        let origin = try await Origin()
        let rig = try await ProxyRig()
        let client = try await ask(origin, by: rig) { try await $0.finishSending() }
        let answer = hasLength ? Self.answer : "HTTP/1.1 200 OK\r\n\r\n\(Self.tokens)"
        try await origin.answer(answer, thenCloses: providerCloses)
        #expect(
            try await client.until { $0.received == answer && (hasLength || $0.isEnded) },
            "\(client.received)"
        )
        // Written before the answer goes on; where there is no length, before the connection's end does.
        let exchange = try #require(rig.exchanges.first)
        #expect(exchange.failure == nil)
        #expect(exchange.response?.body?.text == Self.tokens)
        try? await client.close()
        await rig.stop()
        #expect(rig.exchanges.count == 1)
        try await origin.stop()
    }

    /// The byte that waits does so also where its answer turns out not to be HTTP meanwhile.
    @Test func whatCannotBeReadComesInItsOrder() async throws {
        let origin = try await Origin()
        let rig = try await ProxyRig()
        let client = try await ask(origin, by: rig) { try await $0.finishSending() }
        try await origin.answer(Self.answer + "12", thenCloses: false)
        try await client.until { $0.received.hasSuffix("1") }
        try await origin.answer("34", thenCloses: true)
        #expect(try await client.until { $0.received == Self.answer + "1234" }, "\(client.received)")
        try? await client.close()
        await rig.stop()
        try await origin.stop()
    }
}
