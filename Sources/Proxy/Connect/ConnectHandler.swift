internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's connection from its acceptance to the tee.
///
/// Carries out what ``ConnectStateMachine`` decides. For a tunnel: dial, answer 200, look at the first bytes; TLS to the
/// provider with what the client asked for, then TLS to the client with what the provider chose; then the tee.
final class ConnectHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case readingHead
        case dialing
        /// The tunnel is open; whose bytes come first, and which, decides what it is.
        case peeking
        case providerHandshake
        case clientHandshake
        /// The client's handshake is done so that it can be told why there is no provider.
        case refusing(UpstreamFailure)
        /// What comes is dropped; waits for the client to close.
        case closing
        case done
    }

    private let proxy: ProxyContext
    private let identity: ClientIdentity
    private var context: ChannelHandlerContext?
    private var machine: ConnectStateMachine
    private var phase = Phase.readingHead
    private var held = ByteBuffer()
    private var peek = ClientHelloPeek()
    private var hello = ClientHello()
    private var origin: Origin?
    private var upstream: UpstreamLeg?
    private var facts = ConnectionFacts()
    private var timings = Timings()
    private var startedAt = Timestamp(nanoseconds: 0)
    private var phaseBegan = Timestamp(nanoseconds: 0)
    private var deadline: Scheduled<Void>?
    private var isReadPending = false

    init(proxy: ProxyContext) {
        self.proxy = proxy
        identity = ClientIdentity(connectionID: proxy.connections.nextID())
        let own = proxy.own
        machine = ConnectStateMachine(
            maximumHeadBytes: proxy.configuration.limits.headBytes,
            isOwn: { own.isNamed(by: $0) }
        )
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard deadline == nil, case .readingHead = phase else { return }
        startedAt = proxy.clock()
        identity.find(for: context.channel, proxy: proxy)
        setDeadline(proxy.configuration.limits.headTime) { [self] in
            if let action = machine.timedOut() { carryOut(action) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        clientLeft()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome: clientHandshakeEnded(outcome)
        case ChannelEvent.inputClosed as ChannelEvent:
            switch phase {
            case .closing, .readingHead, .peeking: context.close(promise: nil)
            default: break
            }
        case let stop as StopRecording:
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .readingHead: carryOut(machine.received(bytes.readableBytesView))
        case .peeking:
            held.writeImmutableBuffer(bytes)
            look(at: bytes.readableBytesView)
        case .dialing, .providerHandshake, .clientHandshake: held.writeBuffer(&bytes)
        case .refusing, .closing, .done: break
        }
    }

    /// While we wait for the provider the client is not read, so what it sends stays with the system.
    func read(context: ChannelHandlerContext) {
        switch phase {
        case .dialing, .providerHandshake: isReadPending = true
        default: context.read()
        }
    }

    private func resumeReading() {
        guard isReadPending, let context else { return }
        isReadPending = false
        context.read()
    }

    // MARK: The first request

    private func carryOut(_ action: ConnectStateMachine.Action) {
        guard let context else { return }
        switch action {
        case .waitForMoreBytes: break
        case .respond(let refusal):
            answer(
                PlainResponse.problem(refusal.status, "authreel cannot use this request", refusal.reason)
                    .bytes()
            )
        case .serve(let method, let path):
            answer(
                SetUpPage(certificate: proxy.authority.certificate).response(to: path).bytes(
                    forMethod: method
                )
            )
        case .forward(let bytes):
            phase = .done
            deadline?.cancel()
            let handler = AbsoluteFormHandler(proxy: proxy, identity: identity)
            try? context.pipeline.syncOperations.addHandler(handler, position: .after(self))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            handler.received(ByteBuffer(bytes: bytes))
            handler.resume()
        case .tunnel(let origin, let rest):
            held = ByteBuffer(bytes: rest)
            self.origin = origin
            dial(origin)
        }
    }

    /// Answers, and closes when the client has read it, or has had the time to.
    private func answer(_ bytes: [UInt8]) {
        guard let context else { return }
        phase = .closing
        resumeReading()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        context.close(mode: .output, promise: nil)
        setDeadline(proxy.configuration.limits.lingerTime) { [self] in self.context?.close(promise: nil) }
    }

    // MARK: The tunnel

    private func dial(_ origin: Origin) {
        guard let context else { return }
        phase = .dialing
        deadline?.cancel()
        phaseBegan = proxy.clock()
        proxy.connector.connect(to: origin, on: context.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            switch result {
            case .success(let channel):
                guard self.context != nil else { return channel.close(promise: nil) }
                timings.connect = proxy.clock() - phaseBegan
                facts.serverAddress = channel.remoteAddress.flatMap { address in
                    address.ipAddress.map {
                        "\($0.utf8.contains(0x3a) ? "[\($0)]" : $0):\(address.port ?? 0)"
                    }
                }
                let leg = UpstreamLeg(owner: self)
                do {
                    try channel.pipeline.syncOperations.addHandler(leg)
                } catch {
                    return channel.close(promise: nil)
                }
                upstream = leg
                identity.whenKnown { self.openTunnel(origin) }
            case .failure(let error):
                let failure = error as? UpstreamFailure ?? .dialing(origin, error)
                identity.whenKnown { self.refuse(origin, failure) }
            }
        }
    }

    private func refuse(_ origin: Origin, _ failure: UpstreamFailure) {
        guard context != nil else { return }
        note(failure, origin)
        answer(Self.page(for: failure, origin: origin).bytes())
    }

    private func openTunnel(_ origin: Origin) {
        guard let context, let upstream else { return }
        // Raw: an encoder would add a body to it (RFC 9110, section 9.3.6).
        let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(established), promise: nil)
        phase = .peeking
        guard proxy.configuration.opens(origin.host) else { return join(conversation: nil) }
        // Some protocols begin with the server's greeting.
        upstream.startReading()
        resumeReading()
        if held.readableBytes > 0 { look(at: held.readableBytesView) }
    }

    private func look(at bytes: ByteBufferView) {
        guard let origin else { return }
        switch peek.received(bytes) {
        case .needsMoreBytes:
            // A connection that is kept open for later may be silent; one that has begun may not stop.
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in context?.close(promise: nil) }
        case .notTLS: joinInClear(origin)
        case .found(let hello):
            self.hello = hello
            begin(hello, origin)
        }
    }

    private func joinInClear(_ origin: Origin) {
        var configuration = Conversation.Configuration(scheme: "http", authority: origin.description)
        configure(&configuration)
        join(conversation: Conversation(configuration))
    }

    // MARK: TLS to the provider

    private func begin(_ hello: ClientHello, _ origin: Origin) {
        guard let upstream else { return }
        let alpn = hello.alpn.filter { $0 != "h2" }
        guard !alpn.isEmpty || hello.alpn.isEmpty else {
            return acceptToRefuse(
                UpstreamFailure(reason: "the client offers HTTP/2 only (ALPN h2), which is not recorded yet"),
                origin
            )
        }
        phase = .providerHandshake
        phaseBegan = proxy.clock()
        facts.serverName = hello.serverName
        setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
            acceptToRefuse(.handshakeTimeout(origin), origin)
        }
        upstream.startTLS(
            TLSHandler(
                context: proxy.upstreamTLS,
                configuration: .client(serverName: serverName(origin), alpn: alpn)
            )
        )
    }

    /// The name the client asks for: in its hello, else that of the tunnel.
    private func serverName(_ origin: Origin) -> String {
        if let name = hello.serverName, Origin.isHostName(name) { return name }
        return origin.host
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard case .providerHandshake = phase, let origin else { return }
        deadline?.cancel()
        switch outcome {
        case .completed(let agreed):
            timings.tls = proxy.clock() - phaseBegan
            facts.serverTLSVersion = agreed.version
            facts.cipher = agreed.cipher
            facts.alpn = agreed.alpn
            if let problem = agreed.tolerated {
                proxy.notify(.toleratedCertificate(host: origin.description, reason: problem.description))
            }
            accept(ServerProtocols(accepted: agreed.alpn), origin, next: .clientHandshake)
        case .failed(let failure):
            acceptToRefuse(.handshake(origin, serverName: serverName(origin), failure), origin)
        case .clientRejectedCertificate:
            acceptToRefuse(.handshake(origin, serverName: serverName(origin), .closed), origin)
        }
    }

    // MARK: TLS to the client

    /// `CONNECT` has been answered already: only inside TLS the client can still be told.
    private func acceptToRefuse(_ failure: UpstreamFailure, _ origin: Origin) {
        upstream?.close()
        upstream = nil
        accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), origin, next: .refusing(failure))
    }

    private func accept(_ protocols: ServerProtocols, _ origin: Origin, next: Phase) {
        guard let context else { return }
        phase = next
        do {
            let leaf = try proxy.leaves.context(for: serverName(origin), now: proxy.clock())
            let firstBytes = held
            held = ByteBuffer()
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
                self.context?.close(promise: nil)
            }
            try context.pipeline.syncOperations.addHandler(
                TLSHandler(context: leaf, configuration: .server(alpn: protocols), firstBytes: firstBytes),
                position: .before(self)
            )
            resumeReading()
        } catch {
            note(UpstreamFailure(reason: "no certificate for \(serverName(origin)): \(error)"), origin)
            context.close(promise: nil)
        }
    }

    private func clientHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard let context, let origin else { return }
        deadline?.cancel()
        switch (outcome, phase) {
        case (.completed(let agreed), .clientHandshake):
            facts.clientTLSVersion = agreed.version
            join(conversation: Conversation(configured("https", origin)))
        case (.completed(let agreed), .refusing(let failure)):
            facts.clientTLSVersion = agreed.version
            phase = .done
            proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason))
            let handler = RefusalHandler(
                proxy: proxy,
                conversation: Conversation(configured("https", origin)),
                identity: identity,
                page: Self.page(for: failure, origin: origin),
                failure: failure,
                fallback: exchange(origin, failure.reason)
            )
            try? context.pipeline.syncOperations.addHandler(handler, position: .after(self))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        case (.clientRejectedCertificate(let alert), .clientHandshake):
            phase = .closing
            rejected(alert, origin)
            context.close(promise: nil)
        case (_, .refusing(let failure)):
            phase = .closing
            note(failure, origin)
            context.close(promise: nil)
        case (.failed(let failure), .clientHandshake):
            phase = .closing
            proxy.gate.keep([
                exchange(origin, "TLS handshake of the client with the recorder failed: \(failure)")
            ])
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }

    private func rejected(_ alert: TLSAlert?, _ origin: Origin) {
        let how = alert.map { "alert \($0.name)" } ?? "it closed the connection after the certificate"
        var reason = "Client TLS handshake failed. The client does not trust the proxy's certificate (\(how))"
        if let process = identity.facts.process {
            reason += ": \(process)" + (identity.facts.processID.map { ", process \($0)" } ?? "")
        }
        proxy.gate.keep([exchange(origin, reason)])
        proxy.notify(
            .clientRejectedCertificate(host: origin.description, client: identity.facts, alert: alert?.name)
        )
    }

    // MARK: The end of this handler

    private func join(conversation: Conversation?) {
        guard let context, let origin, let upstream, let upstreamContext = upstream.context else { return }
        phase = .done
        deadline?.cancel()
        let tee = Tee(
            proxy: proxy,
            origin: origin,
            identity: identity,
            loop: context.eventLoop,
            conversation: conversation
        )
        let handlers = tee.makeHandlers()
        let pipeline = context.pipeline.syncOperations
        let upstreamPipeline = upstreamContext.pipeline.syncOperations
        do {
            try pipeline.addHandler(handlers.client, position: .after(self))
            try upstreamPipeline.addHandler(handlers.server, position: .after(upstream))
        } catch {
            return context.close(promise: nil)
        }
        let early = upstream.takeEarlyBytes()
        upstreamPipeline.removeHandler(upstream, promise: nil)
        let bytes = held
        held = ByteBuffer()
        self.upstream = nil
        pipeline.removeHandler(self, promise: nil)
        if early.readableBytes > 0 {
            tee.received(early, from: .server)
            handlers.client.flush()
        }
        if bytes.readableBytes > 0 {
            tee.received(bytes, from: .client)
            handlers.server.flush()
        }
        upstream.startReading(upstreamContext)
        // Through the whole pipeline: this handler is no longer part of it.
        if isReadPending { context.channel.read() }
    }

    private func clientLeft() {
        deadline?.cancel()
        upstream?.close()
        upstream = nil
        // A client that went away during its handshake was told of by TLSHandler before.
        phase = .closing
    }

    // MARK: The provider's side, before the tee

    /// The provider spoke first, or its connection ended.
    func upstreamSpoke() {
        guard case .peeking = phase, let origin, held.readableBytes == 0 else { return }
        joinInClear(origin)
    }

    func upstreamEnded() {
        guard let origin else { return }
        switch phase {
        case .peeking, .clientHandshake:
            // Nothing was asked of it yet; the client will see the end and dial again.
            context?.close(promise: nil)
        case .providerHandshake:
            acceptToRefuse(.handshake(origin, serverName: serverName(origin), .closed), origin)
        default: break
        }
    }

    // MARK: -

    private func configured(_ scheme: String, _ origin: Origin) -> Conversation.Configuration {
        var configuration = Conversation.Configuration(scheme: scheme, authority: origin.description)
        configure(&configuration)
        return configuration
    }

    private func configure(_ configuration: inout Conversation.Configuration) {
        configuration.maximumBodyBytes = proxy.configuration.maximumBodyBytes
        facts.id = identity.connectionID
        configuration.connection = facts
        configuration.client = identity.facts
        configuration.timings = timings
    }

    private func note(_ failure: UpstreamFailure, _ origin: Origin) {
        if proxy.configuration.opens(origin.host) { proxy.gate.keep([exchange(origin, failure.reason)]) }
        proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason))
    }

    /// A tunnel in which no request was seen, as an entry.
    private func exchange(_ origin: Origin, _ reason: String) -> Exchange {
        facts.id = identity.connectionID
        let port = origin.port == 443 ? "" : ":\(origin.port)"
        return Exchange(
            startedAt: startedAt,
            duration: proxy.clock() - startedAt,
            request: RecordedRequest(
                method: "CONNECT",
                url: RecordedURL("https://\(origin.hostInURL)\(port)/")
            ),
            failure: reason,
            timings: timings,
            connection: facts,
            client: identity.facts
        )
    }

    static func page(for failure: UpstreamFailure, origin: Origin) -> PlainResponse {
        .problem(
            502,
            "authreel cannot reach \(origin)",
            failure.reason,
            hint: failure.reason.utf8.starts(with: "ERR_CERT_AUTHORITY_INVALID".utf8)
                ? "Trust the provider's authority with --upstream-ca FILE, or check nothing with --insecure-upstream."
                : nil
        )
    }

    private func setDeadline(_ time: Duration, _ body: @escaping () -> Void) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), body)
    }
}
