import Captures
import Foundation
import Glibc
import NIOCore
import NIOEmbedded
import Testing

@testable import Proxy

/// Providers that break a connection that is being written to.
struct BrokenWriteHandlerTests {
    private final class FailingHandler: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private let error: any Error

        init(_ error: any Error) { self.error = error }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            promise?.fail(error)
        }
    }

    @Test func whatBreaksTheConnectionIsToldOnce() throws {
        let error = IOError(errnoCode: ECONNRESET, reason: "write")
        let channel = EmbeddedChannel(handlers: [FailingHandler(error), BrokenWriteHandler()])
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.write(ByteBuffer(string: "a"), promise: nil)
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        channel.write(ByteBuffer(string: "b"), promise: promise)
        try channel.throwIfErrorCaught()
        // Whoever writes is told as well.
        #expect(throws: IOError.self) { try promise.futureResult.wait() }
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test func whatWeCloseIsNoError() throws {
        let channel = EmbeddedChannel(handlers: [
            FailingHandler(ChannelError.ioOnClosedChannel), BrokenWriteHandler(),
        ])
        channel.write(ByteBuffer(string: "a"), promise: nil)
        try channel.throwIfErrorCaught()
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// Larger than what fits between the two, so that the reset meets a write.
    @Test(
        .timeLimit(.minutes(1)),
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"),
        arguments: ["http", "https"]
    )
    func resetDuringAnUploadIsTold(_ scheme: String) async throws {
        let origin = try await LoopbackOrigin(tls: scheme == "https" ? ProxyRig.originTLS() : nil) { _ in
            .reset
        }
        let rig = try await ProxyRig()
        let file = NSTemporaryDirectory() + "authreel-upload-\(UUID().uuidString)"
        try Data(repeating: 0x78, count: 16 << 20).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let url = "\(scheme)://localhost:\(origin.port)/upload"
        let output = try await rig.curl("-H", "Expect:", "-T", file, url)
        #expect(output.status != 0 && output.text.isEmpty)
        let exchange = try #require(try await rig.exchanges(atLeast: 1).first)
        #expect(exchange.request.url.path == "/upload" && exchange.response == nil)
        #expect(exchange.failure == "ECONNRESET: connection reset by the server")
        await rig.stop()
        try await origin.stop()
    }
}
