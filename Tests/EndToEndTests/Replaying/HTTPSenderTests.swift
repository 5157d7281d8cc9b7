import Captures
import Foundation
import LibCrypto
import NIOCore
import NIOPosix
import Proxy
import Replay
import Synchronization
import TLS
import Testing

/// The sender against a real server of ours, in clear and over TLS.
@Suite(.timeLimit(.minutes(1)))
struct HTTPSenderTests {
    private func trustingNobody() throws -> TLSContext {
        try TLSContext.client(.init(trustsSystemRoots: false))
    }

    @Test func headersGoAsTheyAreGivenAndTheAnswerComesWhole() async throws {
        let server = try await LocalServer.start { request in
            let told = request.headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            return RecordedResponse(
                status: 201,
                headers: HeaderFields([("X-A", "1")]),
                body: Body(text: "\(request.method) \(told)\n\(request.body?.text ?? "")")
            )
        }
        let sender = HTTPSender(.init(tls: try trustingNobody()))
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL("http://127.0.0.1:\(server.port)/x?y"),
            headers: HeaderFields([("X-second", "2"), ("x-First", "1")]),
            body: Body(text: "a=b", mediaType: FormBody.mediaType)
        )
        let response = try await sender.send(request)
        #expect(response.status == 201 && response.headers.first("x-a") == "1")
        let text = response.body?.text ?? ""
        #expect(text.contains("X-second: 2\nx-First: 1") && text.hasSuffix("a=b"), "\(text)")
        await sender.stop()
        await server.stop()
    }

    @Test func whatTheServerCanIsAskedOfItself() async throws {
        let text = try await sent {
            RecordedRequest(method: "OPTIONS", url: RecordedURL("http://127.0.0.1:\($0)"))
        }
        #expect(text.hasPrefix("OPTIONS * HTTP/1.1\r\n"), "\(text)")
    }

    /// RFC 9110, section 4.2.4.
    @Test func userInformationStaysHere() async throws {
        let text = try await sent {
            RecordedRequest(method: "GET", url: RecordedURL("http://user:word@127.0.0.1:\($0)/a"))
        }
        #expect(text.hasPrefix("GET /a HTTP/1.1\r\nHost: 127.0.0.1:") && !text.contains("user"), "\(text)")
    }

    @Test func bytesThatAreNoUTF8GoAsTheyCame() async throws {
        let text = try await sent { port in
            var request = RecordedRequest(
                method: "GET",
                url: RecordedURL("http://127.0.0.1:\(port)/é"),
                headers: HeaderFields([HeaderFields.Field(name: "X", value: "ü", isLatin1: true)])
            )
            request.isURLLatin1 = true
            return request
        }
        #expect(text.hasPrefix("GET /é HTTP/1.1\r\n") && text.contains("\r\nX: ü\r\n"), "\(text)")
    }

    @Test(arguments: [
        ("GET", "/", ("X-A", "1\r\nX-B: 2"), "the header X-A"),
        ("GET", "/", ("X-A\nX-B", "1"), "the header X-A"),
        ("GET", "/", ("X-A", "1\0"), "the header X-A"),
        ("GET", "/ HTTP/1.1\r\nX-B: 2", ("X-A", "1"), "the URL"),
        ("GET / HTTP/1.1\r\nX", "/", ("X-A", "1"), "the method"),
    ])
    func whatWouldBeginAnotherLineIsNotSent(
        method: String,
        path: String,
        field: (String, String),
        part: String
    ) async throws {
        let sender = HTTPSender(.init(tls: try trustingNobody()))
        let url = RecordedURL("http://127.0.0.1:1" + path)
        let request = RecordedRequest(method: method, url: url, headers: HeaderFields([field]))
        await #expect(throws: HTTPSenderError.unsendable(part: part)) { try await sender.send(request) }
        await sender.stop()
    }

    /// The bytes of a request to a port, each as a character.
    private func sent(_ request: (Int) -> RecordedRequest) async throws -> String {
        let seen = SeenBytes()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Listening(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let sender = HTTPSender(.init(tls: try trustingNobody()))
        #expect(try await sender.send(request(server.localAddress?.port ?? 0)).status == 204)
        await sender.stop()
        try await server.close().get()
        return Latin1.text(of: seen.bytes)
    }

    @Test func untrustedServerIsAHandshakeError() async throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let now = Int64(Date.now.timeIntervalSince1970)
        let validity = CertificateIssuer.Validity(notBefore: now - 60, notAfter: now + 3600)
        let root = try CertificateIssuer.authority(commonName: "test", key: key, validity: validity)
        let leafKey = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try CertificateIssuer(certificate: root, key: key).leaf(
            for: .host("localhost"),
            key: leafKey,
            validity: validity
        )
        let server = try await LocalServer.start(tls: try TLSContext.server(chain: [leaf], key: leafKey)) {
            _ in
            RecordedResponse(status: 204)
        }
        let url = RecordedURL("https://localhost:\(server.port)/")
        let strict = HTTPSender(.init(tls: try trustingNobody()))
        let error = await #expect(throws: HTTPSenderError.self) {
            try await strict.send(RecordedRequest(method: "GET", url: url))
        }
        guard case .handshake = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let trusting = HTTPSender(
            .init(tls: try TLSContext.client(.init(trustsSystemRoots: false, furtherRoots: [root])))
        )
        #expect(try await trusting.send(RecordedRequest(method: "GET", url: url)).status == 204)
        await strict.stop()
        await trusting.stop()
        await server.stop()
    }

    @Test func closedPortAndForeignSchemesAreErrorsThatSaySo() async throws {
        let server = try await LocalServer.start { _ in RecordedResponse(status: 204) }
        let port = server.port
        await server.stop()
        let sender = HTTPSender(.init(tls: try trustingNobody()))
        let refused = await #expect(throws: HTTPSenderError.self) {
            try await sender.send(
                RecordedRequest(method: "GET", url: RecordedURL("http://127.0.0.1:\(port)/"))
            )
        }
        #expect("\(refused.map { "\($0)" } ?? "")".contains("127.0.0.1:\(port)"))
        for url in ["app:/cb", "http://127.0.0.1:99999/", "http:///x"] {
            await #expect(throws: HTTPSenderError.self) {
                try await sender.send(RecordedRequest(method: "GET", url: RecordedURL(url)))
            }
        }
        await sender.stop()
    }

    @Test func silentServerIsNotWaitedForEndlesslyAndNotForAsLongAgain() async throws {
        // Accepts and says nothing.
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(
            host: "127.0.0.1",
            port: 0
        ).get()
        let sender = HTTPSender(
            .init(tls: try trustingNobody(), timeout: .seconds(2), timeoutOfTheSilent: .seconds(1))
        )
        let request = RecordedRequest(
            method: "GET",
            url: RecordedURL("http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        )
        for seconds in [2, 1] as [Int64] {
            await #expect(throws: HTTPSenderError.timedOut(seconds: seconds)) {
                try await sender.send(request)
            }
        }
        await sender.stop()
        try await server.close().get()
    }

    @Test func requestThatIsCancelledIsAnExchangeThatSaysSo() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(
            host: "127.0.0.1",
            port: 0
        ).get()
        let sender = HTTPSender(.init(tls: try trustingNobody(), timeout: .seconds(120)))
        let url = RecordedURL("http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        let sending = Task { await sender.exchange(RecordedRequest(method: "GET", url: url)) }
        try await Task.sleep(for: .milliseconds(100))
        sending.cancel()
        #expect(await sending.value.failure?.hasPrefix("ERR_ABORTED") == true)
        await sender.stop()
        try await server.close().get()
    }

    @Test func connectionOfACancelledRequestIsClosed() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let ended = group.any().makePromise(of: Void.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.closeFuture.cascade(to: ended)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let sender = HTTPSender(.init(tls: try trustingNobody(), timeout: .seconds(120)))
        let url = RecordedURL("http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        let exchange = await Task {
            // Before it dials: the connection stands behind the cancellation.
            withUnsafeCurrentTask { $0?.cancel() }
            return await sender.exchange(RecordedRequest(method: "GET", url: url))
        }.value
        #expect(exchange.failure?.hasPrefix("ERR_ABORTED") == true)
        let deadline = group.any().scheduleTask(in: .seconds(10)) {
            ended.fail(HTTPSenderError.timedOut(seconds: 10))
        }
        await #expect(throws: Never.self) { try await ended.futureResult.get() }
        deadline.cancel()
        await sender.stop()
        try await server.close().get()
    }

    /// What a server that hangs up on its second request is sent, and what is told of it.
    @Test(arguments: [("GET", 3, nil), ("POST", 2, "ERR_EMPTY_RESPONSE")] as [(String, Int, String?)])
    func onlyWhatChangesNothingIsSentAgain(method: String, count: Int, failure: String?) async throws {
        let seen = SeenMethods()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HangingUp(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = RecordedURL("http://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        let sender = HTTPSender(.init(tls: try trustingNobody()))
        #expect(try await sender.send(RecordedRequest(method: "GET", url: url)).status == 200)
        let exchange = await sender.exchange(
            RecordedRequest(method: method, url: url, body: method == "POST" ? Body(text: "code=1") : nil)
        )
        #expect(exchange.response?.status == (failure == nil ? 200 : nil))
        #expect(exchange.failure?.prefix(18) == failure.map { $0[...] }, "\(exchange.failure ?? "")")
        #expect(seen.methods == ["GET"] + Array(repeating: method, count: count - 1))
        await sender.stop()
        try await server.close().get()
    }
}

private final class SeenMethods: Sendable {
    private let state = Mutex<[String]>([])

    var methods: [String] { state.withLock { $0 } }

    func append(_ method: String) { state.withLock { $0.append(method) } }
}

private final class SeenBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    var bytes: [UInt8] { state.withLock { $0 } }

    func append(_ bytes: ByteBufferView) { state.withLock { $0 += bytes } }
}

/// Answers a request, and keeps what it was.
private final class Listening: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let seen: SeenBytes

    init(_ seen: SeenBytes) { self.seen = seen }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        seen.append(unwrapInboundIn(data).readableBytesView)
        guard Latin1.text(of: seen.bytes).hasSuffix("\r\n\r\n") else { return }
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n")),
            promise: nil
        )
    }
}

/// Answers the first request of a connection, and closes it at the second, which it has read.
private final class HangingUp: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let seen: SeenMethods
    private var count = 0

    init(_ seen: SeenMethods) { self.seen = seen }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let text = String(buffer: unwrapInboundIn(data))
        seen.append(String(text.prefix { $0 != " " }))
        count += 1
        guard count == 1 else { return context.close(promise: nil) }
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
