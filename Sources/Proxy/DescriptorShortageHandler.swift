internal import NIOCore
internal import TLS

/// Tells that the process may open no more files, on a listening channel whose connections wait with the system then.
///
/// NIO tries again after a second, and drops the error behind this handler.
final class DescriptorShortageHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let notify: @Sendable (ProxyNotice) -> Void

    init(_ notify: @escaping @Sendable (ProxyNotice) -> Void) { self.notify = notify }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, SystemError.isShortage(error.errnoCode) {
            notify(.outOfDescriptors)
        }
        context.fireErrorCaught(error)
    }
}
