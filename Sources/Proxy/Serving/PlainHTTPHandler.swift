internal import NIOCore

/// Tells whoever speaks plain HTTP to a port of TLS so, and closes: without that both wait, or the client hears of a broken connection.
///
/// Stands before what decrypts, and steps aside at the first byte of anything else.
final class PlainHTTPHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long the rest of the request is read and dropped: what comes to a closed socket would take the answer with it.
    private static let rest = TimeAmount.seconds(1)

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard let first = unwrapInboundIn(data).readableBytesView.first else { return }
        // RFC 9110, section 9.1: a method; what TLS begins with is a number (RFC 8446, section 5.1).
        guard (0x41...0x5a).contains(first) else {
            context.fireChannelRead(data)
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        isRefused = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: Self.answer)), promise: nil)
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.rest) { channel.close(promise: nil) }
    }

    private static let answer: [UInt8] = {
        let words = "This port speaks TLS: the address begins with https, not with http.\n"
        let head =
            "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            + "Content-Length: \(words.utf8.count)\r\nConnection: close\r\nCache-Control: no-store\r\n\r\n"
        return Array((head + words).utf8)
    }()
}
