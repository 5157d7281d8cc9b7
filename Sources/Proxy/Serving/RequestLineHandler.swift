import Captures
internal import NIOCore

/// Percent-encodes what of a request's line is no ASCII, as lenient servers read it: what parses the line refuses such bytes
/// without a word, and an app's raw `ü` in a path would look like a fault of the provider.
///
/// A second request that came with the end of the first in one read is left as it is.
struct RequestLineEncoder {
    private var isInLine = true
    private var hasBegun = false

    /// To be called when a request is complete: what comes next is another one's line.
    mutating func expectLine() {
        isInLine = true
        hasBegun = false
    }

    /// What is to be read in the place of bytes as they came; nil where they are read as they are.
    mutating func encoding(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        guard isInLine else { return nil }
        let line = bytes.prefix { byte in
            // Empty lines before it are none (RFC 9112, section 2.2).
            guard byte == 0x0a || byte == 0x0d else {
                hasBegun = true
                return true
            }
            return !hasBegun
        }
        isInLine = line.endIndex == bytes.endIndex
        guard line.contains(where: { $0 >= 0x80 }) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 32)
        for byte in line {
            if byte < 0x80 {
                output.append(byte)
            } else {
                output.append(0x25)
                output += Hexadecimal.digits(of: byte, isUppercase: true)
            }
        }
        return output + bytes[line.endIndex...]
    }
}

/// Stands before what parses requests, and shows it their lines in ASCII.
final class RequestLineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var encoder = RequestLineEncoder()

    /// To be called when a request is complete.
    func expectLine() { encoder.expectLine() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let other = encoder.encoding(unwrapInboundIn(data).readableBytesView) else {
            return context.fireChannelRead(data)
        }
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: other)))
    }
}
