package import Captures
internal import NIOCore
internal import NIOPosix
package import TLS
internal import Wire

/// Sends requests with their header bytes as they are given, and reads the answers with the recorder's own
/// decoder.
///
/// A connection per request. No redirects, no cookies, no header of its own but `Host`, `Content-Length` and
/// `Connection` where they are missing.
package final class HTTPSender: Sendable {
    /// The way to the servers.
    package struct Configuration: Sendable {
        /// `HOST:PORT` of an HTTP proxy; nil connects directly.
        package var proxy: (host: String, port: Int)?
        /// Whom to trust.
        package var tls: TLSContext
        /// For a request as a whole.
        package var timeout: Duration

        package init(
            proxy: (host: String, port: Int)? = nil,
            tls: TLSContext,
            timeout: Duration = .seconds(15)
        ) {
            self.proxy = proxy
            self.tls = tls
            self.timeout = timeout
        }
    }

    private let configuration: Configuration
    private let group: MultiThreadedEventLoopGroup

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    /// Ends its thread; nothing can be sent afterwards.
    package func stop() async { try? await group.shutdownGracefully() }

    /// Sends one request and reads the final answer to it.
    ///
    /// - Throws: ``HTTPSenderError``.
    package func send(_ request: RecordedRequest) async throws -> RecordedResponse {
        let url = request.url
        guard url.isWeb, let host = url.host, let port = url.port else {
            throw HTTPSenderError.unsupportedURL(url.text)
        }
        let name = host.utf8.first == 0x5b ? String(host.dropFirst().dropLast()) : host
        let isTLS = url.scheme?.lowercased() == "https"
        let target = configuration.proxy ?? (name, port)
        let answer = group.any().makePromise(of: RecordedResponse.self)
        let plan = SendingHandler.Plan(
            connect: configuration.proxy != nil && isTLS ? "\(host):\(port)" : nil,
            serverName: isTLS ? name : nil,
            tls: configuration.tls,
            authority: url.authority ?? host,
            scheme: isTLS ? "https" : "http",
            request: Self.bytes(of: request, inAbsoluteForm: configuration.proxy != nil && !isTLS)
        )
        let seconds = configuration.timeout.components.seconds
        let bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(seconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SendingHandler(plan: plan, answer: answer))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(host: target.host, port: target.port).get()
        } catch {
            let failure = HTTPSenderError.cannotConnect(
                host: target.host,
                port: target.port,
                reason: "\(error)"
            )
            answer.fail(failure)
            throw failure
        }
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
            answer.fail(HTTPSenderError.timedOut(seconds: seconds))
        }
        defer {
            deadline.cancel()
            channel.close(promise: nil)
        }
        return try await answer.futureResult.get()
    }

    private static func bytes(of request: RecordedRequest, inAbsoluteForm: Bool) -> [UInt8] {
        let url = request.url
        let origin = (url.path.isEmpty ? "/" : url.path) + (url.query.map { "?\($0)" } ?? "")
        var text =
            "\(request.method) \(inAbsoluteForm ? "\(url.scheme ?? "http")://\(url.authority ?? "")\(origin)" : origin) HTTP/1.1\r\n"
        let body = request.body?.bytes ?? []
        if !request.headers.contains("host") { text += "Host: \(url.authority ?? "")\r\n" }
        for field in request.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        if !body.isEmpty || request.method == "POST", !request.headers.contains("content-length") {
            text += "Content-Length: \(body.count)\r\n"
        }
        if !request.headers.contains("connection") { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}
