import Captures
internal import NIOCore

/// Percent-encodes what of requests' lines is no ASCII, as lenient servers read it: what parses the line refuses such bytes
/// without a word, and an app's raw `ü` in a path would look like a fault of the provider.
struct RequestLineEncoder {
    /// Of longer heads the line alone is changed, where it came before the rest, and nothing of what follows them.
    private static let longestHead = 1 << 16

    private var splitter = RequestSplitter(maximumHeadBytes: longestHead, isForServer: true)
    /// How many bytes of a head that is not whole yet were handed on.
    private var shown = 0

    /// What is to be read in the place of bytes as they came.
    ///
    /// A line is held until it is whole and goes on then, so that one that is none is refused without the rest of its head (RFC 9112,
    /// section 3).
    mutating func encoding(_ bytes: ByteBuffer) -> ByteBuffer {
        splitter.received(bytes)
        var output = ByteBuffer()
        while let piece = splitter.next() {
            switch piece {
            case .head(let request):
                show(request.rewritten, in: &output)
                shown = 0
            case .body(var part):
                part.moveReaderIndex(forwardBy: min(shown, part.readableBytes))
                shown = 0
                output.writeBuffer(&part)
            case .end: break
            // What parses it says what is wrong.
            case .refused: splitter.becomeOpaque()
            }
        }
        if splitter.isInsideHead, shown > 0 || bytes.readableBytesView.contains(0x0a) {
            show(splitter.rest.readableBytesView, in: &output)
        }
        return output
    }

    /// Hands on what of a head was not yet, once its line is there.
    private mutating func show(_ head: some Collection<UInt8>, in output: inout ByteBuffer) {
        if shown == 0 {
            guard let end = head.firstIndex(of: 0x0a) else { return }
            let line = Array(head[..<end])
            // What is no request's is left to what parses it.
            let isRequest = (try? ProxyRequest.parseForServer(line + [0x0a, 0x0a])) != nil
            output.writeBytes(isRequest ? PercentEncoding.encodingNonASCII(line) ?? line : line)
            shown = line.count
        }
        output.writeBytes(head.dropFirst(shown))
        shown = head.count
    }
}

/// Stands before what parses requests, and shows it their lines in ASCII.
final class RequestLineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var encoder = RequestLineEncoder()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = encoder.encoding(unwrapInboundIn(data))
        if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    }
}
