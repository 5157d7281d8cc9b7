package import Captures
package import LibCrypto
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import TLS
internal import Wire

/// Sends requests with their header bytes as they are given, and reads the answers with the recorder's own
/// decoder: what was sent and what came is an exchange as the recorder would have written it.
///
/// Connections are kept for the next request to the same origin. A request that may change something is never sent
/// twice: a code would be used up by the first (RFC 9110, section 9.2.2). No redirects, no cookies, no header of its
/// own but `Host` and `Content-Length` where they are missing.
package final class HTTPSender: Sendable {
    /// The way to the servers.
    package struct Configuration: Sendable {
        /// `HOST:PORT` of an HTTP proxy; nil connects directly.
        package var proxy: (host: String, port: Int)?
        /// Whom to trust.
        package var tls: TLSContext
        /// What a server that asks for a certificate is shown, by its host and port; nil for none.
        package var clientCertificate: @Sendable (_ host: String, _ port: Int) -> CertifiedKey?
        /// For a request as a whole.
        package var timeout: Duration
        /// The same at an origin that let one wait for so long: a login has a dozen requests.
        package var timeoutOfTheSilent: Duration
        /// Whether names below `localhost` are dialled as that: a resolver may ask others for them (RFC 6761, section 6.3).
        package var staysOnThisMachine: Bool
        /// The time, for the exchanges; without one they all begin at the epoch.
        package var clock: @Sendable () -> Timestamp

        package init(
            proxy: (host: String, port: Int)? = nil,
            tls: TLSContext,
            clientCertificate: @escaping @Sendable (_ host: String, _ port: Int) -> CertifiedKey? = { _, _ in
                nil
            },
            timeout: Duration = .seconds(15),
            timeoutOfTheSilent: Duration = .seconds(5),
            staysOnThisMachine: Bool = false,
            clock: @escaping @Sendable () -> Timestamp = { Timestamp(nanoseconds: 0) }
        ) {
            self.proxy = proxy
            self.tls = tls
            self.clientCertificate = clientCertificate
            self.timeout = timeout
            self.timeoutOfTheSilent = timeoutOfTheSilent
            self.staysOnThisMachine = staysOnThisMachine
            self.clock = clock
        }
    }

    private let configuration: Configuration
    private let group: MultiThreadedEventLoopGroup
    private let executor: EventLoopExecutor
    private let connections = Mutex(Connections())

    /// Connections that wait for their next request, by origin.
    private struct Connections {
        var idle: [String: [(connection: SendingConnection, since: NIODeadline)]] = [:]
        var count = 0
        /// Origins that let a request wait until its time was over.
        var silent: Set<String> = []
    }

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        executor = EventLoopExecutor(group.any())
    }

    /// Closes every connection and ends its thread; nothing can be sent afterwards.
    package func stop() async {
        let idle = connections.withLock { state in
            defer { state.idle = [:] }
            return state.idle.values.flatMap { $0 }
        }
        for kept in idle { kept.connection.close() }
        try? await group.shutdownGracefully()
    }

    /// Does something between whose requests there is little to do, without a change of threads at each of them.
    package func withoutDetours<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
        await withTaskExecutorPreference(executor, operation: body)
    }

    /// Sends one request and reads the final answer to it.
    ///
    /// - Throws: ``HTTPSenderError``.
    package func send(_ request: RecordedRequest) async throws -> RecordedResponse {
        let exchange = try await perform(request)
        guard let response = exchange.response, exchange.failure == nil else {
            throw HTTPSenderError.broken(reason: exchange.failure ?? "no answer")
        }
        return response
    }

    /// Sends one request; what came of it is an exchange, whatever it was.
    ///
    /// A request without an answer has a `failure` in the words in which the recorder writes it; so has one whose task
    /// is cancelled.
    package func exchange(_ request: RecordedRequest) async -> Exchange {
        let started = configuration.clock()
        do {
            let exchange = try await perform(request)
            guard exchange.failure != nil, Task.isCancelled else { return exchange }
            throw HTTPSenderError.interrupted
        } catch {
            let error = Task.isCancelled ? HTTPSenderError.interrupted : error
            let reason = (error as? HTTPSenderError)?.reason ?? "\(error)"
            let ended = configuration.clock()
            return Exchange(startedAt: started, duration: ended - started, request: request, failure: reason)
        }
    }

    private func perform(_ request: RecordedRequest) async throws -> Exchange {
        try Self.check(request)
        let target = try SendingTarget(request.url, proxy: configuration.proxy)
        let bytes = target.bytes(of: request)
        let isRepeatable = Self.safeMethods.contains(request.method)
        if let connection = takeIdle(target.key, since: isRepeatable ? nil : .now() - Self.longestIdle) {
            do {
                return try await submit(bytes, on: connection, target)
            } catch HTTPSenderError.closedWhileIdle where !Task.isCancelled {
                // Nothing was written.
            } catch HTTPSenderError.closedUnanswered where isRepeatable && !Task.isCancelled {
                // Most likely the server ended it in the same moment, and if not, it was only asked to look.
            }
        }
        return try await submit(bytes, on: try await dial(target), target)
    }

    /// A capture is somebody else's: what ends a line in it must not begin another (RFC 9110, section 5.5).
    private static func check(_ request: RecordedRequest) throws(HTTPSenderError) {
        let isBroken: (String) -> Bool = { $0.utf8.contains { $0 == 0x0d || $0 == 0x0a || $0 == 0 } }
        if isBroken(request.method) { throw .unsendable(part: "the method") }
        if isBroken(request.url.text) { throw .unsendable(part: "the URL") }
        for field in request.headers.fields where isBroken(field.name) || isBroken(field.value) {
            let name = field.name.unicodeScalars.prefix { $0.value > 0x20 && $0 != ":" }
            throw .unsendable(part: "the header \(String(name))")
        }
    }

    private func timeout(_ target: SendingTarget) -> Duration {
        let isSilent = connections.withLock { $0.silent.contains(target.key) }
        return isSilent ? min(configuration.timeout, configuration.timeoutOfTheSilent) : configuration.timeout
    }

    private func note(_ target: SendingTarget, isSilent: Bool) {
        connections.withLock { state in
            if isSilent {
                state.silent.insert(target.key)
            } else {
                state.silent.remove(target.key)
            }
        }
    }

    /// RFC 9110, section 9.2.1.
    private static let safeMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE"]

    /// Below what servers wait before they end a connection that nobody uses (5 s with Node.js and Apache).
    ///
    /// A request may meet that end on its way: what cannot be sent again is given a connection of its own then.
    private static let longestIdle: TimeAmount = .seconds(1)

    /// `since`: the connection has been in use after this time.
    private func takeIdle(_ key: String, since earliest: NIODeadline?) -> SendingConnection? {
        connections.withLock { state in
            while let kept = state.idle[key]?.last {
                if let earliest, kept.since < earliest { return nil }
                state.idle[key]?.removeLast()
                if kept.connection.isActive { return kept.connection }
            }
            return nil
        }
    }

    private func submit(_ bytes: [UInt8], on connection: SendingConnection, _ target: SendingTarget)
        async throws
        -> Exchange
    {
        let exchange: Exchange
        do {
            exchange = try await connection.submit(bytes, timeout: timeout(target))
            note(target, isSilent: false)
        } catch {
            if case HTTPSenderError.timedOut = error { note(target, isSilent: true) }
            connection.close()
            throw error
        }
        if connection.isReusable(after: exchange) {
            connections.withLock { $0.idle[target.key, default: []].append((connection, .now())) }
        } else {
            connection.close()
        }
        return exchange
    }

    /// Opens a connection: TCP, CONNECT where a proxy is in between, TLS where the URL wants it.
    private func dial(_ target: SendingTarget) async throws -> SendingConnection {
        let opened = group.any().makePromise(of: Void.self)
        let seconds = timeout(target).components.seconds
        let channel: any Channel
        do {
            channel = try await connect(target, plan(for: target), opened, within: seconds)
        } catch {
            if Self.isTimeout(error) { note(target, isSilent: true) }
            let failure = HTTPSenderError.cannotConnect(
                host: target.host,
                port: target.port,
                reason: Self.words(error, target)
            )
            opened.fail(failure)
            throw failure
        }
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(seconds)) {
            opened.fail(HTTPSenderError.timedOut(seconds: seconds))
        }
        defer { deadline.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await opened.futureResult.get()
            } onCancel: {
                opened.fail(CancellationError())
            }
        } catch {
            if case HTTPSenderError.timedOut = error { note(target, isSilent: true) }
            channel.close(promise: nil)
            throw error
        }
        return SendingConnection(channel: channel)
    }

    /// What the handler of a new connection has to know.
    private func plan(for target: SendingTarget) -> SendingHandler.Plan {
        let number = connections.withLock { state in
            state.count += 1
            return state.count
        }
        return SendingHandler.Plan(
            connect: target.connect,
            serverName: target.serverName,
            tls: configuration.tls,
            certificate: target.serverName.flatMap { configuration.clientCertificate($0, target.serverPort) },
            origin: target.origin,
            authority: target.authority,
            scheme: target.scheme,
            number: number,
            isProxied: configuration.proxy != nil,
            startedAt: configuration.clock(),
            clock: configuration.clock
        )
    }

    /// Connects; `opened` is kept by the handler of the connection, for what is done on it before the first request.
    private func connect(
        _ target: SendingTarget,
        _ plan: SendingHandler.Plan,
        _ opened: EventLoopPromise<Void>,
        within seconds: Int64
    ) async throws -> any Channel {
        let bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(.seconds(seconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SendingHandler(plan: plan, opened: opened))
                }
            }
        let connected = group.any().makePromise(of: (any Channel).self)
        let isBelow = configuration.staysOnThisMachine && target.host.hasSuffix(".localhost")
        let connecting = bootstrap.connect(host: isBelow ? "localhost" : target.host, port: target.port)
        connecting.cascade(to: connected)
        // What is connected behind a cancellation is nobody's.
        connected.futureResult.whenFailure { _ in connecting.whenSuccess { $0.close(promise: nil) } }
        return try await withTaskCancellationHandler {
            try await connected.futureResult.get()
        } onCancel: {
            connected.fail(CancellationError())
        }
    }

    private static func words(_ error: any Error, _ target: SendingTarget) -> String {
        if let error = error as? NIOConnectionError {
            // The last attempt is IPv4 where there is one: the more telling of `localhost`'s two refusals.
            guard let last = error.connectionErrors.last else { return TransportReason.notFound(target.host) }
            return words(last.error, address: "\(last.target.ipAddress ?? target.host):\(target.port)")
        }
        return words(error, address: "\(target.host):\(target.port)")
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        if let error = error as? NIOConnectionError {
            return error.connectionErrors.contains { isTimeout($0.error) }
        }
        guard case ChannelError.connectTimeout? = error as? ChannelError else { return false }
        return true
    }

    private static func words(_ error: any Error, address: String) -> String {
        if isTimeout(error) {
            return TransportReason.timedOut(address)
        }
        return (error as? IOError).map { TransportReason.dialing($0.errnoCode, address: address) }
            ?? "\(error)"
    }
}
