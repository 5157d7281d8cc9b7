import Captures
import NIOCore
import NIOPosix
import Proxy
import Synchronization
import Testing

/// How a server delivers, as its client sees it: by what arrives, and by whether it ends.
struct DeliveryTests {
    /// The bytes that arrive, each as a character.
    private static func received(
        _ delivery: LocalServer.Delivery,
        status: Int = 200,
        headers: [HeaderFields.Field] = [],
        to request: String = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        within limit: TimeAmount
    ) async throws -> String {
        let server = try await LocalServer.start(delivery: { _ in delivery }) { _ in
            RecordedResponse(
                status: status,
                headers: HeaderFields(headers),
                body: Body(text: "0123456789", mediaType: "text/plain")
            )
        }
        let collector = TextCollector()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { $0.pipeline.addHandler(collector) }
            .connect(host: "127.0.0.1", port: server.port).get()
        try await channel.writeAndFlush(ByteBuffer(string: request))
        channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        try await channel.closeFuture.get()
        await server.stop()
        return collector.text.withLock { $0 }
    }

    @Test func wholeAndLateAnswersArrive() async throws {
        for delivery in [LocalServer.Delivery.whole, .late(.milliseconds(50))] {
            let text = try await Self.received(delivery, within: .seconds(20))
            #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("0123456789"))
        }
    }

    /// RFC 9112, section 3: whatever would have followed it.
    @Test(arguments: ["hello\r\n", "GET / HTTP/9.9\r\nHost: x\r\n"])
    func brokenLineIsRefusedWithoutTheRestOfItsHead(request: String) async throws {
        let text = try await Self.received(.whole, to: request, within: .seconds(20))
        #expect(text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func headersHaveTheirBytes() async throws {
        let fields = [
            HeaderFields.Field(name: "X-A", value: "é"),
            HeaderFields.Field(name: "X-B", value: "é", isLatin1: true),
        ]
        let text = try await Self.received(.whole, headers: fields, within: .seconds(20))
        #expect(text.contains("\r\nX-A: \u{c3}\u{a9}\r\nX-B: \u{e9}\r\n"), "\(text)")
    }

    /// As lenient servers do: what of a target is no ASCII is read as if it were percent-encoded, in each request of a connection.
    @Test func bytesBeyondASCIIInATargetArePercentEncoded() async throws {
        let asked = Mutex<[String]>([])
        let server = try await LocalServer.start { request in
            asked.withLock { $0.append(request.method + " " + request.url.text) }
            return RecordedResponse(status: 200, body: Body(text: "ü", mediaType: "text/plain"))
        }
        let collector = TextCollector()
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { $0.pipeline.addHandler(collector) }
            .connect(host: "127.0.0.1", port: server.port).get()
        channel.eventLoop.scheduleTask(in: .seconds(20)) { channel.close(promise: nil) }
        let body = "ä b HTTP/1.1"
        try await channel.writeAndFlush(
            ByteBuffer(
                string: "POST /ü HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        )
        while collector.text.withLock({ !$0.hasSuffix("\u{c3}\u{bc}") }), channel.isActive {
            await Task.yield()
        }
        try await channel.writeAndFlush(
            ByteBuffer(string: "GET /a?name=Jörg HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        )
        try await channel.closeFuture.get()
        await server.stop()
        #expect(asked.withLock { $0 } == ["POST http://x/%C3%BC", "GET http://x/a?name=J%C3%B6rg"])
    }

    @Test(arguments: [204, 304]) func answersWithoutABodyHaveNone(status: Int) async throws {
        let text = try await Self.received(.whole, status: status, within: .seconds(20))
        #expect(text.hasPrefix("HTTP/1.1 \(status)") && text.hasSuffix("\r\n\r\n"), "\(text)")
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func lastAnswerOfAConnectionSaysSo(version: String) async throws {
        // Only that of HTTP/1.0 is the last one unasked.
        let wish = version == "HTTP/1.1" ? "Connection: close\r\n" : ""
        let request = "GET / \(version)\r\nHost: x\r\n\(wish)\r\n"
        let text = try await Self.received(.whole, to: request, within: .seconds(20))
        #expect(text.hasPrefix("HTTP/1.1 200") && text.contains("\r\nConnection: close\r\n"), "\(text)")
    }

    @Test func cutShortAnnouncesMoreThanItSends() async throws {
        let text = try await Self.received(.cutShort, within: .seconds(20))
        #expect(text.lowercased().contains("content-length: 10\r\n") && text.hasSuffix("\r\n\r\n01234"))
    }

    @Test func hangingSendsNothing() async throws {
        #expect(try await Self.received(.never, within: .milliseconds(300)) == "")
    }
}

private final class TextCollector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let text = Mutex("")

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        text.withLock { $0 += Latin1.text(of: bytes.readableBytesView) }
    }
}
