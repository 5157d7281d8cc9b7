internal import Captures
internal import NIOCore
internal import TLS

/// Whom an ``UpstreamLeg`` tells what happens.
protocol UpstreamLegOwner: AnyObject {
    func providerHandshakeEnded(_ outcome: HandshakeOutcome)
    /// Bytes came.
    func upstreamSpoke()
    func upstreamEnded(_ error: (any Error)?)
}

/// The provider's connection until the tee takes it over: reports to its owner, keeps what comes early.
final class UpstreamLeg: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private(set) var context: ChannelHandlerContext?
    weak var owner: (any UpstreamLegOwner)?
    private var early: ByteBuffer
    /// How the provider's bytes ended; nil while they have not.
    ///
    /// NIO tells of it once, also before there is an owner.
    private(set) var end: End?

    struct End {
        /// What broke the connection; nil where the provider closed it.
        var error: (any Error)?
    }

    /// At the end of the pipeline of a connection that was just made.
    init(of connection: UpstreamConnection) throws {
        early = ByteBuffer(bytes: connection.early)
        try connection.channel.pipeline.syncOperations.addHandler(self)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
    }

    /// Whether there is no use in the connection: it is gone, or nothing comes of its other end and nothing has.
    func isUseless(acceptsSilence: Bool) -> Bool {
        context == nil || end != nil && !acceptsSilence && early.readableBytes == 0
    }

    func startReading() {
        guard let context else { return }
        guard early.readableBytes == 0 else { return owner?.upstreamSpoke() ?? () }
        startReading(context)
    }

    /// Also after this handler has left the pipeline.
    func startReading(_ context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }

    func startTLS(_ handler: TLSHandler) {
        guard let context else { return }
        try? context.pipeline.syncOperations.addHandler(handler, position: .before(self))
        startReading(context)
    }

    func takeEarlyBytes() -> ByteBuffer {
        defer { early = ByteBuffer() }
        return early
    }

    func close() {
        owner = nil
        context?.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        early.writeBuffer(&bytes)
        // One chunk is enough until somebody takes it.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        owner?.upstreamSpoke()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let outcome as HandshakeOutcome:
            // From here on the provider waits until the client's handshake is done.
            if case .completed = outcome {
                try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            }
            owner?.providerHandshakeEnded(outcome)
        case ChannelEvent.inputClosed as ChannelEvent: ended(nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ended(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended(nil)
        context.fireChannelInactive()
    }

    private func ended(_ error: (any Error)?) {
        end = End(error: end?.error ?? error)
        owner?.upstreamEnded(error)
    }
}

extension ProxyContext {
    /// Dials the origin of an entry, and waits until it is known who the client is.
    ///
    /// - Parameters:
    ///   - entry: of what is to come; takes note of the connection.
    ///   - loop: of the client's connection.
    ///   - isChosenByClient: whether it was the client that named the origin.
    ///   - done: is given the provider's connection, not read yet, and the entry. It closes what it has no use for.
    func dial(
        _ entry: TunnelEntry,
        on loop: any EventLoop,
        isChosenByClient: Bool = true,
        _ done: @escaping (Result<UpstreamLeg, UpstreamFailure>, TunnelEntry) -> Void
    ) {
        let began = clock()
        let request = UpstreamRequest(
            origin: entry.origin,
            isRestricted: isChosenByClient && isRestricted(entry.identity)
        )
        connector.connect(request, on: loop).assumeIsolated().whenComplete { [self] result in
            var entry = entry
            let outcome: Result<UpstreamLeg, UpstreamFailure>
            do {
                let connection = try result.get()
                let leg = try UpstreamLeg(of: connection)
                entry.connected(to: connection.address, in: clock() - began)
                outcome = .success(leg)
            } catch {
                outcome = .failure(error as? UpstreamFailure ?? .dialing(entry.origin, error))
            }
            entry.identity.whenKnown { [entry] in done(outcome, entry) }
        }
    }

    /// Whether this machine's loopback is closed to a client.
    func isRestricted(_ identity: ClientIdentity) -> Bool {
        identity.isRemote && !configuration.allowsRemoteLoopback
    }
}
