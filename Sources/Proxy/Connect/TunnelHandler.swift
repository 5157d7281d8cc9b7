internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// A client's tunnel from its `CONNECT` to the tee.
///
/// Dial, answer 200, look at the first bytes; TLS to the provider with what the client asked for, then TLS to
/// the client with what the provider chose; then the tee.
final class TunnelHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
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
    private let origin: Origin
    private var phase = Phase.dialing
    private var held: ByteBuffer
    private var peek = ClientHelloPeek()
    private var hello = ClientHello()
    private var upstream: UpstreamLeg?
    private var entry: TunnelEntry
    private var phaseBegan = Timestamp(nanoseconds: 0)
    private var deadline: Scheduled<Void>?
    private var isReadPending = false

    /// - Parameters:
    ///   - proxy: what all connections share.
    ///   - identity: who is at the client's end.
    ///   - origin: where the tunnel leads.
    ///   - startedAt: when the connection was accepted.
    ///   - rest: what came behind the head of the request.
    init(proxy: ProxyContext, identity: ClientIdentity, origin: Origin, startedAt: Timestamp, rest: [UInt8]) {
        self.proxy = proxy
        self.identity = identity
        self.origin = origin
        entry = TunnelEntry(origin: origin, startedAt: startedAt, identity: identity)
        held = ByteBuffer(bytes: rest)
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        dial()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        self.context = nil
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
            case .dialing, .providerHandshake:
                gaveUp()
                context.close(promise: nil)
            case .closing, .peeking: context.close(promise: nil)
            // TLS tells of it.
            case .clientHandshake, .refusing, .done: break
            }
        case let stop as StopRecording:
            phase = .closing
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
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

    // MARK: The tunnel

    /// Whether the client is still there, waiting for the provider.
    private var isDialing: Bool {
        if case .dialing = phase { context != nil } else { false }
    }

    private func dial() {
        guard let context else { return }
        phaseBegan = proxy.clock()
        proxy.connector.connect(to: origin, on: context.eventLoop).assumeIsolated().whenComplete {
            [self] result in
            switch result {
            case .success(let channel):
                guard isDialing else { return channel.close(promise: nil) }
                entry.timings.connect = proxy.clock() - phaseBegan
                entry.facts.serverAddress = channel.remoteAddress.flatMap { address in
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
                identity.whenKnown { self.openTunnel() }
            case .failure(let error):
                let failure = error as? UpstreamFailure ?? .dialing(origin, error)
                identity.whenKnown { self.refuse(failure) }
            }
        }
    }

    private func refuse(_ failure: UpstreamFailure) {
        guard isDialing else { return }
        note(failure)
        answer(PlainResponse.unreachable(origin, failure).bytes())
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

    private func openTunnel() {
        guard isDialing, let context, let upstream else { return }
        // Raw: an encoder would add a body to it (RFC 9110, section 9.3.6).
        let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(established), promise: nil)
        phase = .peeking
        if let reason = passReason { return join(conversation: nil, passed: reason) }
        // Some protocols begin with the server's greeting.
        upstream.startReading()
        resumeReading()
        if held.readableBytes > 0 { look(at: held.readableBytesView) }
    }

    /// Why the tunnel is not looked into; nil where it is.
    private var passReason: TunnelFacts.Reason? {
        if !proxy.configuration.opens(origin.host) { return .asked }
        guard proxy.configuration.passesPinningClients else { return nil }
        return proxy.pinning.passesThrough(identity.facts, origin) ? .clientRejectsRecorder : nil
    }

    private func look(at bytes: ByteBufferView) {
        switch peek.received(bytes) {
        case .needsMoreBytes:
            // A connection that is kept open for later may be silent; one that has begun may not stop.
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in context?.close(promise: nil) }
        case .notTLS: joinInClear()
        case .found(let hello):
            self.hello = hello
            begin(hello)
        }
    }

    private func joinInClear() { join(conversation: conversation("http")) }

    // MARK: TLS to the provider

    private func begin(_ hello: ClientHello) {
        guard let upstream else { return }
        let alpn = hello.alpn.filter { $0 != "h2" }
        guard !alpn.isEmpty || hello.alpn.isEmpty else {
            return acceptToRefuse(
                UpstreamFailure(reason: "the client offers HTTP/2 only (ALPN h2), which is not recorded yet")
            )
        }
        phase = .providerHandshake
        phaseBegan = proxy.clock()
        entry.facts.serverName = hello.serverName
        setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
            acceptToRefuse(.handshakeTimeout(origin))
        }
        upstream.startTLS(
            TLSHandler(
                context: proxy.upstreamTLS,
                configuration: .client(serverName: serverName, alpn: alpn)
            )
        )
    }

    /// The name the client asks for: in its hello, else that of the tunnel.
    private var serverName: String {
        if let name = hello.serverName, Origin.isHostName(name) { return name }
        // A final dot is for the resolver; certificates and the extension do not have it (RFC 6066, section
        // 3).
        return origin.host.utf8.last == 0x2e ? String(origin.host.dropLast()) : origin.host
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard case .providerHandshake = phase else { return }
        deadline?.cancel()
        switch outcome {
        case .completed(let agreed):
            entry.timings.tls = proxy.clock() - phaseBegan
            entry.facts.serverTLSVersion = agreed.version
            entry.facts.cipher = agreed.cipher
            entry.facts.alpn = agreed.alpn
            if let problem = agreed.tolerated {
                proxy.notify(.toleratedCertificate(host: origin.description, reason: problem.description))
            }
            accept(ServerProtocols(accepted: agreed.alpn), next: .clientHandshake)
        case .failed(let failure):
            acceptToRefuse(.handshake(origin, serverName: serverName, failure))
        case .clientRejectedCertificate:
            acceptToRefuse(.handshake(origin, serverName: serverName, .closed))
        }
    }

    // MARK: TLS to the client

    /// `CONNECT` has been answered already: only inside TLS the client can still be told.
    private func acceptToRefuse(_ failure: UpstreamFailure) {
        upstream?.close()
        upstream = nil
        accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), next: .refusing(failure))
    }

    private func accept(_ protocols: ServerProtocols, next: Phase) {
        guard let context else { return }
        phase = next
        do {
            let leaf = try proxy.leaves.context(for: serverName, now: proxy.clock())
            let firstBytes = held
            held = ByteBuffer()
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
                // Before the channel ends: a handshake that we break off is no rejection by the client.
                phase = .closing
                proxy.gate.keep([exchange("the client did not finish the TLS handshake in time")])
                self.context?.close(promise: nil)
            }
            try context.pipeline.syncOperations.addHandler(
                TLSHandler(context: leaf, configuration: .server(alpn: protocols), firstBytes: firstBytes),
                position: .before(self)
            )
            resumeReading()
        } catch {
            note(UpstreamFailure(reason: "no certificate for \(serverName): \(error)"))
            context.close(promise: nil)
        }
    }

    private func clientHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard let context else { return }
        deadline?.cancel()
        switch (outcome, phase) {
        case (.completed(let agreed), .clientHandshake):
            entry.facts.clientTLSVersion = agreed.version
            proxy.pinning.accepted(by: identity.facts, origin)
            join(conversation: conversation("https"))
        case (.completed(let agreed), .refusing(let failure)):
            entry.facts.clientTLSVersion = agreed.version
            phase = .done
            proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason))
            let handler = RefusalHandler(
                proxy: proxy,
                conversation: conversation("https"),
                identity: identity,
                page: .unreachable(origin, failure),
                failure: failure,
                fallback: exchange(failure.reason)
            )
            try? context.pipeline.syncOperations.addHandler(handler, position: .after(self))
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        case (.clientRejectedCertificate(let alert), .clientHandshake):
            phase = .closing
            rejected(alert)
            context.close(promise: nil)
        case (_, .refusing(let failure)):
            phase = .closing
            note(failure)
            context.close(promise: nil)
        case (.failed(let failure), .clientHandshake):
            phase = .closing
            proxy.gate.keep([
                exchange("TLS handshake of the client with the recorder failed: \(failure)")
            ])
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }

    private func rejected(_ alert: TLSAlert?) {
        let how = alert.map { "alert \($0.name)" } ?? "it closed the connection after the certificate"
        var reason = "Client TLS handshake failed. The client does not trust the proxy's certificate (\(how))"
        if let process = identity.facts.process {
            reason += ": \(process)" + (identity.facts.processID.map { ", process \($0)" } ?? "")
        }
        proxy.gate.keep([exchange(reason)])
        let isCertain = proxy.pinning.rejected(by: identity.facts, origin, saidSo: alert != nil)
        proxy.notify(
            .clientRejectedCertificate(
                host: origin.description,
                client: identity.facts,
                alert: alert?.name,
                passesThrough: isCertain && proxy.configuration.passesPinningClients
            )
        )
    }

    // MARK: The end of this handler

    private func join(conversation: Conversation?, passed reason: TunnelFacts.Reason? = nil) {
        guard let context, let upstream, let upstreamContext = upstream.context else { return }
        phase = .done
        deadline?.cancel()
        let tee = Tee(
            proxy: proxy,
            origin: origin,
            identity: identity,
            loop: context.eventLoop,
            conversation: conversation,
            passed: reason.map { reason in
                { [entry, proxy] sent, received in
                    let tunnel = TunnelFacts(reason: reason, sentBytes: sent, receivedBytes: received)
                    return entry.passed(tunnel, at: proxy.clock())
                }
            }
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

    /// The client did not wait for the provider, which may be the very trouble: it is an entry.
    private func gaveUp() {
        guard proxy.configuration.opens(origin.host) else { return }
        phase = .closing
        proxy.gate.keep([exchange("the client closed the connection before \(origin) was connected")])
    }

    private func clientLeft() {
        deadline?.cancel()
        switch phase {
        case .dialing, .providerHandshake: gaveUp()
        default: break
        }
        upstream?.close()
        upstream = nil
        // A client that went away during its handshake was told of by TLSHandler before.
        phase = .closing
    }

    // MARK: The provider's side, before the tee

    /// The provider spoke first, or its connection ended.
    func upstreamSpoke() {
        guard case .peeking = phase, held.readableBytes == 0 else { return }
        joinInClear()
    }

    func upstreamEnded(_ error: (any Error)? = nil) {
        switch phase {
        case .peeking:
            // Nothing was asked of it yet; the client will see the end and dial again.
            context?.close(promise: nil)
        case .providerHandshake:
            acceptToRefuse(.handshake(origin, serverName: serverName, .closed))
        case .clientHandshake:
            // With TLS 1.3 a provider that wants a client certificate says so after its handshake.
            let reason = error.map { SystemError.broken($0, by: "provider") }
            phase = .refusing(
                UpstreamFailure(
                    reason: reason ?? "\(origin) closed the connection before it was asked anything"
                )
            )
            upstream?.close()
            upstream = nil
        default: break
        }
    }

    // MARK: -

    private func conversation(_ scheme: String) -> Conversation {
        entry.conversation(scheme: scheme, maximumBodyBytes: proxy.configuration.maximumBodyBytes)
    }

    private func note(_ failure: UpstreamFailure) {
        if proxy.configuration.opens(origin.host) { proxy.gate.keep([exchange(failure.reason)]) }
        proxy.notify(.upstreamFailed(host: origin.description, reason: failure.reason))
    }

    private func exchange(_ reason: String) -> Exchange { entry.failed(reason, at: proxy.clock()) }

    private func setDeadline(_ time: Duration, _ body: @escaping () -> Void) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time), body)
    }
}
