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

    /// What stands in the place of a coding and is none: charsets and the words of mail (RFC 2045, section 6) as often as
    /// `identity`; every client takes such a body as it is.
    private static let none: Set<String> = [
        "identity", "none", "binary", "7bit", "8bit", "utf-8", "utf8", "us-ascii", "iso-8859-1",
    ]

    /// The codings of a message in the order in which they were applied, those left out that are none.
    ///
    /// Those of its transfer come last (RFC 9112, section 7); `chunked` frames a message, and is undone where that is read.
    package static func codings(of headers: HeaderFields) -> [String] {
        let codings = codings(listedIn: headers.all("content-encoding"))
        guard headers.contains("transfer-encoding") else { return codings }
        let transfer = TransferCodings(headers.all("transfer-encoding").map(\.utf8))
        return codings + transfer.names.filter { $0 != "chunked" && !none.contains($0) }
    }

    /// The codings that values of `Content-Encoding` list, in order, or what was left of them (``Result/remaining``).
    package static func codings(listedIn values: [String]) -> [String] {
        HeaderFields.elements(of: values).filter { !none.contains($0) }
    }

    /// The bytes that each body of a coding begins with; nil where any may be there.
    static func magic(of coding: String?) -> [UInt8]? {
        switch coding {
        case "gzip", "x-gzip": [0x1f, 0x8b]
        case "zstd": [0x28, 0xb5, 0x2f, 0xfd]
        default: nil
        }
    }

    /// Undoes the codings, the last applied first.
    ///
    /// `limit`: bytes of output at most; a small body that would become a large one ends there.
    package static func decode(_ bytes: [UInt8], codings: [String], limit: Int) -> Result {
        var coded = BodyStore()
        _ = bytes.withUnsafeBufferPointer { coded.append($0) }
        let result = decode(coded, codings: codings, limit: limit, folder: nil)
        return Result(bytes: result.body.bytes, remaining: result.remaining, isWhole: result.isWhole)
    }

    /// Undoes the codings that a message's fields name, unless that was done before: some programs do it, and leave the fields.
    ///
    /// At most ``largestDecoded`` bytes.
    static func decodeUnlessDone(_ bytes: [UInt8], headers: HeaderFields) -> Result {
        let codings = codings(of: headers)
        let isDone =
            magic(of: codings.last).map { !bytes.starts(with: $0) }
            ?? bytes.withUnsafeBufferPointer(TextCheck.isText)
        guard !codings.isEmpty, !isDone else { return Result(bytes: bytes, remaining: nil, isWhole: true) }
        return decode(bytes, codings: codings, limit: largestDecoded)
    }

    /// What a body may become that a file of another program holds as it came over the wire.
    static let largestDecoded = 64 << 20

    /// As above, for a body that may be in a file, and become one in `folder`.
    static func decode(_ coded: BodyStore, codings: [String], limit: Int, folder: String?) -> (
        body: BodyStore, remaining: String?, isWhole: Bool
    ) {
        guard codings.count <= maximumCodings else { return (coded, codings.joined(separator: ", "), true) }
        var body = coded
        var isWhole = true
        for (index, coding) in codings.enumerated().reversed() {
            guard let decoded = decode(body, coding: coding, limit: limit, folder: folder) else {
                return (body, codings[...index].joined(separator: ", "), isWhole)
            }
            body = decoded.body
            isWhole = isWhole && decoded.isWhole
        }
        return (body, nil, isWhole)
    }

    /// Nil where the coding is not known here, or nothing comes out of what is no such coding.
    private static func decode(_ body: BodyStore, coding: String, limit: Int, folder: String?) -> DecodedBody?
    {
        switch coding {
        case "gzip", "x-gzip": InflateDecoder(.gzip)?.decode(body, limit: limit, folder: folder)
        // Zlib-wrapped says the specification; raw is what some servers send.
        case "deflate":
            InflateDecoder(.zlib)?.decode(body, limit: limit, folder: folder)
                ?? InflateDecoder(.raw)?.decode(body, limit: limit, folder: folder)
        case "br": BrotliDecoder()?.decode(body, limit: limit, folder: folder)
        case "zstd": ZstandardDecoder()?.decode(body, limit: limit, folder: folder)
        default: nil
        }
    }
}
