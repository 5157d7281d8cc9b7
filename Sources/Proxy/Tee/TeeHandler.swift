internal import Captures
internal import NIOCore
internal import TLS
internal import Wire

/// One end of a tee: hands its bytes to the other end, and a copy to the decoder before that.
///
/// Reads only while the other end can be written, so that a slow reader slows its sender down and nothing
/// piles up here.
final class TeeHandler: ChannelDuplexHandler, RemovableChannelHandler, PausingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let side: Side
    private var tee: Tee?
    private(set) var context: ChannelHandlerContext?
    var isReadPending = false
    /// Whether what is written waits in TLS, for a server that begins another handshake.
    private var isWritingDelayed = false
    /// How this end is reset in the end, as the other end was; nil where it is closed.
    var lateReset: LateReset?
    /// When all is with the system that was written before we said that nothing more comes; nil where we have not said so.
    private var outputEnd: EventLoopFuture<Void>?

    /// How long a provider may take nothing of what is left for it at the end.
    ///
    /// Nil for a client: whoever stops a program to look at it will let it go on.
    private let patience: TimeAmount?

    init(side: Side, tee: Tee) {
        self.side = side
        self.tee = tee
        patience = side == .client ? nil : TimeAmount(tee.proxy.configuration.limits.lingerTime * 6)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        tee = nil
    }

    /// Leaves the tee: what still happens on this channel concerns nobody.
    func detach() { tee = nil }

    // MARK: What happens on this side

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tee?.received(unwrapInboundIn(data), from: side)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        tee?.readComplete(side)
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed as ChannelEvent:
            guard let tee else { return context.close(promise: nil) }
            tee.inputClosed(side)
        case TLSEnd.unannounced as TLSEnd: tee?.endsUnannounced(side)
        case let late as LateClientCertificate: tee?.showed(late)
        case let writing as TLSWriting:
            isWritingDelayed = writing == .waits
            if isWritable { tee?.other(than: side)?.resumeReading() }
        case let stop as StopRecording:
            tee?.abandon()
            stop.done.succeed()
            context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let tee else { return context.close(promise: nil) }
        if let failure = error as? UpstreamFailure { return tee.failed(failure) }
        tee.broken(side, TransportReason.broken(error, by: side == .client ? "client" : tee.nameOfServer))
    }

    func channelInactive(context: ChannelHandlerContext) {
        tee?.gone(side)
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable { tee?.other(than: side)?.resumeReading() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if tee?.mayRead(side) ?? true { context.read() } else { isReadPending = true }
    }

    // MARK: What the other side asks for

    var isWritable: Bool { !isWritingDelayed && context?.channel.isWritable ?? true }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }

    func flush() { context?.flush() }

    /// Says that nothing more comes, after all that was written.
    func closeOutput() {
        guard let context else { return }
        context.flush()
        let end = context.eventLoop.makePromise(of: Void.self)
        context.close(mode: .output, promise: end)
        outputEnd = end.futureResult
    }

    /// Has the end of what is sent here come without a word of TLS's, as it came at the other side.
    func endUnannounced() { context?.triggerUserOutboundEvent(TLSEnd.unannounced, promise: nil) }

    /// Closes after all that was written is with the system, or a provider takes nothing of it.
    func closeAfterFlush() {
        guard let context else { return }
        let channel = context.channel
        if let lateReset {
            context.flush()
            return lateReset.begin(on: channel)
        }
        if let outputEnd {
            // Behind its end nothing can be written that would tell.
            outputEnd.whenComplete { _ in channel.close(promise: nil) }
        } else {
            Self.closeAfterFlush(context)
        }
        guard let patience, channel.isActive else { return }
        OutputWatch(patience: patience).wait(on: channel, until: { _ in false }) {
            channel.close(promise: nil)
        }
    }

    /// Closes after all that was written is with the system.
    ///
    /// `close()` alone drops what is queued, and half-closing a channel whose input has ended does the same.
    static func closeAfterFlush(_ context: ChannelHandlerContext) {
        let channel = context.channel
        context.writeAndFlush(NIOAny(channel.allocator.buffer(capacity: 0))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
