import CZlib

/// Undoes content codings (RFC 9110, section 8.4): gzip and deflate; others are kept as they came and named.
package enum ContentCoding {
    /// A body with as many codings undone as could be.
    package struct Result: Sendable {
        package var bytes: [UInt8]
        /// Codings that were not undone, outermost last, as `Content-Encoding` writes them; nil when none is
        /// left.
        package var remaining: String?
        /// Whether the bytes are all of the body: false behind a limit, or where the coded bytes break off.
        package var isWhole: Bool
    }

    /// The codings of a message in the order in which they were applied, `identity` left out.
    package static func codings(of headers: HeaderFields) -> [String] {
        headers.all("content-encoding").flatMap { $0.split(separator: ",") }.map {
            String($0.filter { $0 != " " && $0 != "\t" }).lowercased()
        }.filter { !$0.isEmpty && $0 != "identity" }
    }

    /// Undoes the codings, the last applied first.
    ///
    /// `limit`: bytes of output at most; a small body that would become a large one ends there.
    /// `isTruncated`: whether `bytes` are only the beginning, so that their end is no defect.
    package static func decode(_ bytes: [UInt8], codings: [String], limit: Int, isTruncated: Bool) -> Result {
        var result = Result(bytes: bytes, remaining: nil, isWhole: true)
        for (index, coding) in codings.enumerated().reversed() {
            let decoded: (bytes: [UInt8], isWhole: Bool)? =
                switch coding {
                case "gzip", "x-gzip": inflate(result.bytes, windowBits: 15 + 16, limit: limit)
                // Zlib-wrapped says the specification; raw is what some servers send.
                case "deflate":
                    inflate(result.bytes, windowBits: 15, limit: limit)
                        ?? inflate(result.bytes, windowBits: -15, limit: limit)
                default: nil
                }
            guard let decoded else {
                result.remaining = codings[...index].joined(separator: ", ")
                return result
            }
            result.bytes = decoded.bytes
            result.isWhole = result.isWhole && decoded.isWhole
        }
        return result
    }

    /// Nil when not a single byte comes out of what is no such coding.
    private static func inflate(_ bytes: [UInt8], windowBits: Int32, limit: Int) -> (
        bytes: [UInt8], isWhole: Bool
    )? {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var input = bytes
        return input.withUnsafeMutableBufferPointer { buffer -> (bytes: [UInt8], isWhole: Bool)? in
            stream.next_in = buffer.baseAddress
            stream.avail_in = UInt32(clamping: buffer.count)
            while true {
                let (status, count) = chunk.withUnsafeMutableBufferPointer { out -> (Int32, Int) in
                    stream.next_out = out.baseAddress
                    stream.avail_out = UInt32(out.count)
                    let status = CZlib.inflate(&stream, Z_NO_FLUSH)
                    return (status, out.count - Int(stream.avail_out))
                }
                output.append(contentsOf: chunk[..<min(count, limit - output.count)])
                guard output.count < limit else { return (output, status == Z_STREAM_END) }
                switch status {
                case Z_STREAM_END:
                    // A gzip body may be several members (RFC 1952, section 2.2).
                    guard windowBits > 15, stream.avail_in > 0, inflateReset(&stream) == Z_OK else {
                        return (output, true)
                    }
                case Z_OK: if stream.avail_in == 0, count < chunk.count { return (output, false) }
                case Z_BUF_ERROR: return output.isEmpty ? nil : (output, false)
                default: return output.isEmpty ? nil : (output, false)
                }
            }
        }
    }
}
