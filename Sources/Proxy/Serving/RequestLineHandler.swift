import Captures
internal import NIOCore

/// Percent-encodes what of requests' lines is no ASCII, as lenient servers read it: what parses the line refuses such bytes
/// without a word, and an app's raw `ü` in a path would look like a fault of the provider.
struct RequestLineEncoder {
    /// Longer heads are left as they are, and so is what follows them.
    private static let longestHead = 1 << 16

    private var splitter = RequestSplitter(maximumHeadBytes: longestHead, isForServer: true)

    /// What is to be read in the place of bytes as they came; a head is held until it is whole.
    mutating func encoding(_ bytes: ByteBuffer) -> ByteBuffer {
        splitter.received(bytes)
        var output = ByteBuffer()
        while let piece = splitter.next() {
            switch piece {
            case .head(let request): output.writeBytes(Self.encoded(request.rewritten))
            case .body(var part): output.writeBuffer(&part)
            case .end: break
            // What parses it says what is wrong.
            case .refused: splitter.becomeOpaque()
            }
        }
        return output
    }

    private static func encoded(_ head: [UInt8]) -> [UInt8] {
        let line = head.prefix { $0 != 0x0a }
        return PercentEncoding.encodingNonASCII(line).map { $0 + head[line.endIndex...] } ?? head
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
