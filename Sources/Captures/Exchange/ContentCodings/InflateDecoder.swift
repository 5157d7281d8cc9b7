import CZlib

/// Undoes gzip (RFC 1952) and deflate (RFC 1950, 1951).
package final class InflateDecoder: ContentDecoder {
    /// What stands around the deflated bytes.
    package enum Frame: Int32 {
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    private let frame: Frame
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil when there is no memory for it.
    package init?(_ frame: Frame) {
        self.frame = frame
        // Zlib remembers where its stream lies.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, frame.rawValue, ZLIB_VERSION, size) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    package func step(
        _ input: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    )
        -> (used: Int, filled: Int, step: DecodingStep)
    {
        let count = min(input.count, Int(UInt32.max))
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        let status = inflate(stream, Z_NO_FLUSH)
        let used = count - Int(stream.pointee.avail_in)
        let filled = output.count - Int(stream.pointee.avail_out)
        let step: DecodingStep =
            switch status {
            case Z_STREAM_END: .ended
            // Room that is left means that it waits.
            case Z_OK: used == input.count && filled < output.count ? .needsInput : .goesOn
            case Z_BUF_ERROR: .needsInput
            default: .failed
            }
        return (used, filled, step)
    }

    /// A gzip body may be several members (RFC 1952, section 2.2).
    package func restart() -> Bool { frame == .gzip && inflateReset(stream) == Z_OK }
}
