internal import Captures
internal import NIOCore
internal import TLS

/// The two handshakes: with the provider first, as far as the client's hello asks for one, then with the client, as the provider
/// chose.
extension InterceptionHandler: UpstreamLegOwner {
    // MARK: With the provider

    func begin(_ leg: UpstreamLeg) {
        upstream = leg
        leg.owner = self
        speak(to: leg)
        // Told while nobody owned the leg.
        if let end = leg.end { upstreamEnded(end.error) }
    }

    private func speak(to leg: UpstreamLeg) {
        if interception.passes != nil { return join() }
        guard let name = interception.providerName else {
            guard interception.hello != nil else { return join() }
            return accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), next: .clientHandshake)
        }
        guard let protocols = interception.protocols else {
            return refuse(
                UpstreamFailure(
                    reason:
                        "the client offers HTTP/2 only (ALPN h2), which an origin played by --reverse does not speak"
                )
            )
        }
        phaseBegan = proxy.clock()
        setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
            refuse(proxy.handshakeTimeout(origin))
        }
        leg.startTLS(
            TLSHandler(
                context: proxy.upstreamTLS,
                configuration: .client(
                    serverName: name,
                    alpn: protocols,
                    certificate: proxy.configuration.clientCertificate(origin.host, origin.port),
                    endpoint: origin.description
                ),
                firstBytes: leg.takeEarlyBytes()
            )
        )
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard case .providerHandshake = phase else { return }
        deadline?.cancel()
        switch outcome {
        case .completed(let agreed):
            interception.entry.agreed(agreed, in: proxy.clock() - phaseBegan)
            proxy.noteHandshake(agreed, with: origin)
            guard interception.hello != nil else { return join() }
            accept(ServerProtocols(accepted: agreed.alpn), next: .clientHandshake)
        case .failed(let failure): handshakeFailed(failure)
        case .clientRejectedCertificate: handshakeFailed(.closed)
        }
    }

    func upstreamSpoke() {}

    func upstreamEnded(_ error: (any Error)?) {
        switch phase {
        case .providerHandshake: handshakeFailed(.closed)
        case .clientHandshake:
            // With TLS 1.3 a provider that wants a client certificate says so after its handshake.
            phase = .refusing(proxy.unasked(origin, error))
            upstream?.close()
            upstream = nil
        default: break
        }
    }

    private func handshakeFailed(_ failure: HandshakeFailure) {
        refuse(proxy.failure(of: failure, with: origin, named: interception.providerName ?? origin.host))
    }

    // MARK: With the client

    /// `CONNECT` has been answered already, or was never asked: only inside TLS the client can be told.
    func refuse(_ failure: UpstreamFailure) {
        upstream?.close()
        upstream = nil
        guard interception.hello != nil else { return answer(failure, fallback: failure.reason) }
        accept(ServerProtocols(accepted: "http/1.1", refusesOthers: true), next: .refusing(failure))
    }

    private func accept(_ protocols: ServerProtocols, next: Phase) {
        guard let context else { return }
        phase = next
        do {
            let leaf = try proxy.leaves.context(
                for: interception.clientName,
                wantsRSA: interception.hello?.wantsRSA ?? false,
                now: proxy.clock()
            )
            let firstBytes = interception.held
            interception.held = ByteBuffer()
            setDeadline(proxy.configuration.limits.handshakeTime) { [self] in
                // Before the channel ends: a handshake that we break off is no rejection by the client.
                phase = .closing
                proxy.keep("the client did not finish the TLS handshake in time", of: entry)
                self.context?.close(promise: nil)
            }
            try context.pipeline.syncOperations.addHandler(
                TLSHandler(context: leaf, configuration: .server(alpn: protocols), firstBytes: firstBytes),
                position: .before(self)
            )
            resumeReading()
        } catch {
            let reason = "no certificate for \(interception.clientName): \(error)"
            proxy.note(UpstreamFailure(reason: reason), of: entry)
            context.close(promise: nil)
        }
    }

    func clientHandshakeEnded(_ outcome: HandshakeOutcome) {
        guard let context else { return }
        deadline?.cancel()
        switch (outcome, phase) {
        case (.completed(let agreed), .clientHandshake):
            interception.entry.facts.clientTLSVersion = agreed.version
            proxy.noteAgreement(agreed, of: entry)
            join()
        case (.completed(let agreed), .refusing(let failure)):
            interception.entry.facts.clientTLSVersion = agreed.version
            answer(failure, fallback: failure.reason)
        case (.clientRejectedCertificate(let alert), .clientHandshake):
            phase = .closing
            proxy.noteRejection(alert, of: entry)
            context.close(promise: nil)
        case (_, .refusing(let failure)):
            phase = .closing
            proxy.note(failure, of: entry)
            context.close(promise: nil)
        case (.failed(let failure), .clientHandshake):
            phase = .closing
            proxy.keep("TLS handshake of the client with the recorder failed: \(failure)", of: entry)
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }
}
