internal import NIOCore

/// Tells of what breaks a connection to a provider while something is written to it, as NIO does where it is read.
///
/// An upload mostly learns of a reset that way; without it the connection would seem to have been closed.
final class BrokenWriteHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private var hasTold = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenFailure { [self] error in
            // Where we have closed it ourselves the error is none of the system's.
            guard !hasTold, error is IOError else { return }
            hasTold = true
            context.fireErrorCaught(error)
        }
        context.write(data, promise: written)
    }
}
