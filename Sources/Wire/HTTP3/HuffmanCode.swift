internal import NIOCore
internal import NIOHPACK

/// The code of HPACK's strings, which QPACK shares (RFC 7541, appendix B; RFC 9204, section 4.1.2).
///
/// The library's decoder of header blocks knows it: it is handed a block of one field with such a value.
struct HuffmanCode {
    private var decoder = HPACKDecoder(
        allocator: ByteBufferAllocator(),
        maxDynamicTableSize: 0,
        // What a coded string stands for is at most 8/5 as long, and a field is counted with 32 bytes besides.
        maxHeaderListSize: 2 * FrameReader.maximumHeaderBlock
    )

    /// Nil where the bytes are not of the code.
    mutating func string(of coded: ArraySlice<UInt8>) -> String? {
        guard !coded.isEmpty else { return "" }
        var block = ByteBuffer()
        block.reserveCapacity(coded.count + 12)
        // A literal that is never indexed, with a name of its own: `x` (RFC 7541, section 6.2.3).
        block.writeBytes([0x10, 1, 0x78])
        if coded.count < 127 {
            block.writeBytes([0x80 | UInt8(coded.count)])
        } else {
            block.writeBytes([0xff])
            var rest = coded.count - 127
            while rest >= 128 {
                block.writeBytes([UInt8(rest & 127) | 128])
                rest >>= 7
            }
            block.writeBytes([UInt8(rest)])
        }
        block.writeBytes(coded)
        guard let fields = try? decoder.decodeHeaders(from: &block), let field = fields.first else {
            return nil
        }
        return field.value
    }
}
