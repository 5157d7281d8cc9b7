/// Undoes content codings (RFC 9110, section 8.4): gzip, deflate, and, where this machine has their libraries, brotli
/// and zstd; others are kept as they came and named.
///
/// Brotli and zstd against a dictionary (`dcb`, `dcz`; RFC 9842) are among the others: what the client had before is
/// not in the message.
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

    /// More than this no message has; each layer of a hostile one would cost as much as a body of the greatest size.
    static let maximumCodings = 8

    /// The codings that can be undone on this machine.
    package static let known: Set<String> = {
        var known: Set<String> = ["gzip", "x-gzip", "deflate"]
        if BrotliDecoder.isAvailable { known.insert("br") }
        if ZstandardDecoder.isAvailable { known.insert("zstd") }
        return known
    }()

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
        guard codings.count <= maximumCodings else {
            result.remaining = codings.joined(separator: ", ")
            return result
        }
        for (index, coding) in codings.enumerated().reversed() {
            guard let decoded = decode(result.bytes, coding: coding, limit: limit) else {
                result.remaining = codings[...index].joined(separator: ", ")
                return result
            }
            result.bytes = decoded.bytes
            result.isWhole = result.isWhole && decoded.isWhole
        }
        return result
    }

    /// Nil where the coding is not known here, or nothing comes out of what is no such coding.
    private static func decode(_ bytes: [UInt8], coding: String, limit: Int) -> DecodedBytes? {
        switch coding {
        case "gzip", "x-gzip": InflateDecoder(.gzip)?.decode(bytes, limit: limit)
        // Zlib-wrapped says the specification; raw is what some servers send.
        case "deflate":
            InflateDecoder(.zlib)?.decode(bytes, limit: limit)
                ?? InflateDecoder(.raw)?.decode(bytes, limit: limit)
        case "br": BrotliDecoder()?.decode(bytes, limit: limit)
        case "zstd": ZstandardDecoder()?.decode(bytes, limit: limit)
        default: nil
        }
    }
}
