internal import Captures
internal import NIOCore

/// Writes the heads of answers whose texts have a character for each byte (see ``Latin1``): what encodes them knows UTF-8
/// only.
///
/// Stands before the encoder, which writes each head as one buffer.
final class HeadBytesHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether the next buffer is such a head.
    private var isHead = false

    /// To be called right before the head is written.
    func expectHead() { isHead = true }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isHead else { return context.write(data, promise: promise) }
        isHead = false
        let text = String(buffer: unwrapOutboundIn(data))
        guard let bytes = Latin1.bytes(of: text) else { return context.write(data, promise: promise) }
        context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
    }
}
