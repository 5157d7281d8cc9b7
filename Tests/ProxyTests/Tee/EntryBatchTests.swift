import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Proxy

/// What becomes complete at the same time goes into the file in one write, and before anybody has its answer.
@Suite(.timeLimit(.minutes(1)))
struct EntryBatchTests {
    /// A server that answers when it is told to.
    private final class Origin: Sendable {
        private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        private let channel: any Channel
        private let asking: Asking

        init() async throws {
            let asking = Asking()
            self.asking = asking
            channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { child in
                    child.eventLoop.makeCompletedFuture {
                        try child.pipeline.syncOperations.addHandler(Listener(asking))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        private final class Asking: Sendable {
            let channels = Mutex<[any Channel]>([])
        }

        private final class Listener: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let asking: Asking

            init(_ asking: Asking) { self.asking = asking }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let channel = context.channel
                asking.channels.withLock { $0.append(channel) }
            }
        }

        var port: Int { channel.localAddress?.port ?? 0 }
        var asked: Int { asking.channels.withLock { $0.count } }

        func answer(_ index: Int, _ text: String) async throws {
            try await asking.channels.withLock { $0[index] }.writeAndFlush(ByteBuffer(string: text)).get()
        }

        func stop() async throws {
            try await channel.close().get()
            try await group.shutdownGracefully()
        }
    }

    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func answersOfOneTurnAreOneWrite() async throws {
        let origin = try await Origin()
        let clients = Mutex<[RawClient]>([])
        let begun = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let calls = Mutex<[(exchanges: Int, seen: [Int])]>([])
        let rig = try await ProxyRig(record: { exchanges in
            begun.signal()
            goOn.wait()
            // Whatever was let out too early has every chance to arrive.
            Thread.sleep(forTimeInterval: 0.05)
            let seen = clients.withLock { $0 }.map(\.count)
            calls.withLock { $0.append((exchanges.count, seen)) }
        })
        for index in 0..<4 {
            let client = try await RawClient(port: rig.port)
            clients.withLock { $0.append(client) }
            try await client.send("GET http://127.0.0.1:\(origin.port)/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.until { _ in origin.asked == index + 1 })
        }
        try await origin.answer(0, Self.answer)
        await Self.wait(for: begun)
        // The recorder is busy with the first; the others are all there when it looks again.
        for index in 1..<4 { try await origin.answer(index, Self.answer) }
        goOn.signal()
        await Self.wait(for: begun)
        goOn.signal()
        let length = Self.answer.utf8.count
        for client in clients.withLock({ $0 }) { #expect(try await client.until { $0.count == length }) }
        let found = calls.withLock { $0 }
        #expect(found.map(\.exchanges) == [1, 3])
        #expect(found.map(\.seen) == [[0, 0, 0, 0], [length, 0, 0, 0]])
        for client in clients.withLock({ $0 }) { try await client.close() }
        await rig.stop()
        try await origin.stop()
    }

    /// A provider that ends right behind its answer: the answer is not lost with what is held.
    @Test func answerBeforeTheEndOfTheConnectionArrives() async throws {
        let origin = try await LoopbackOrigin(tls: nil) { _ in
            .sendAndFinish(Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok".utf8))
        }
        let rig = try await ProxyRig()
        for round in 1...20 {
            let client = try await RawClient(port: rig.port)
            try await client.send("GET http://127.0.0.1:\(origin.port)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await client.until { $0.isEnded })
            #expect(client.received.hasSuffix("\r\n\r\nok"))
            #expect(rig.exchanges.count == round)
            try? await client.close()
        }
        await rig.stop()
        try await origin.stop()
    }

    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
