internal import Captures
internal import NIOCore
internal import TLS

/// TLS with a provider whose client speaks to the recorder in clear: agreed on by the recorder itself, in HTTP/1.1.
final class ProviderHandshake: UpstreamLegOwner {
    private let leg: UpstreamLeg
    private let origin: Origin
    private let proxy: ProxyContext
    private let began: Timestamp
    private var deadline: Scheduled<Void>?
    /// Told once, with how long it took; nil where nobody wants to know any more.
    private var tell: ((Result<(agreed: HandshakeFacts, took: Duration), UpstreamFailure>) -> Void)?

    init(over leg: UpstreamLeg, with origin: Origin, proxy: ProxyContext) {
        self.leg = leg
        self.origin = origin
        self.proxy = proxy
        began = proxy.clock()
    }

    /// `tell` is told once, possibly before this returns.
    func start(
        on loop: any EventLoop,
        _ tell: @escaping (Result<(agreed: HandshakeFacts, took: Duration), UpstreamFailure>) -> Void
    ) {
        self.tell = tell
        leg.owner = self
        deadline = loop.assumeIsolated().scheduleTask(
            in: TimeAmount(proxy.configuration.limits.handshakeTime)
        ) { [self] in fail(proxy.handshakeTimeout(origin)) }
        leg.startTLS(
            TLSHandler(
                context: proxy.upstreamTLS,
                configuration: .client(
                    serverName: origin.hostInTLS,
                    alpn: ["http/1.1"],
                    certificate: proxy.configuration.clientCertificate(origin.host, origin.port),
                    endpoint: origin.description
                ),
                firstBytes: leg.takeEarlyBytes()
            )
        )
    }

    /// Closes the connection and tells nobody.
    func cancel() {
        tell = nil
        deadline?.cancel()
        leg.close()
    }

    func providerHandshakeEnded(_ outcome: HandshakeOutcome) {
        switch outcome {
        case .completed(let agreed):
            guard let tell else { return }
            self.tell = nil
            deadline?.cancel()
            proxy.noteHandshake(agreed, with: origin)
            tell(.success((agreed, proxy.clock() - began)))
        case .failed(let failure): fail(failure)
        case .clientRejectedCertificate: fail(.closed)
        }
    }

    func upstreamSpoke() {}

    func upstreamEnded(_ error: (any Error)?) { fail(.closed) }

    private func fail(_ failure: HandshakeFailure) {
        guard tell != nil else { return }
        fail(proxy.failure(of: failure, with: origin, named: origin.hostInTLS))
    }

    private func fail(_ failure: UpstreamFailure) {
        guard let tell else { return }
        cancel()
        tell(.failure(failure))
    }
}
