internal import Captures

/// The fields behind a chunked body, up to the empty line that ends them (RFC 9112, section 7.1.2).
struct TrailerSection {
    enum Output {
        case needsMore
        /// The fields, and what of them is not allowed, with its offset in the section.
        case fields(HeaderFields, problems: [HeadParser.Problem])
        /// Longer than any honest sender's.
        case tooLong
    }

    static let maximumBytes = 64 << 10

    private var bytes: [UInt8] = []
    private var lineStart = 0

    /// Bytes that are held.
    var count: Int { bytes.count }

    /// Takes lines of the input from `index` on; moves `index` behind what it took.
    mutating func next(_ input: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Output {
        while index < input.count {
            let feed = ByteSearch.index(of: 0x0a, in: input, index..<input.count)
            let end = feed.map { $0 + 1 } ?? input.count
            guard bytes.count + end - index <= Self.maximumBytes else { return .tooLong }
            bytes.append(contentsOf: input[index..<end])
            index = end
            guard feed != nil else { return .needsMore }
            // Most bodies have no trailers, and the empty line stands alone.
            let isEmpty = bytes[lineStart...].allSatisfy { $0 == 0x0d || $0 == 0x0a }
            lineStart = bytes.count
            if isEmpty { return fields }
        }
        return .needsMore
    }

    private var fields: Output {
        let line = Array("GET / HTTP/1.1\r\n".utf8)
        let head = (line + bytes).withUnsafeBufferPointer { HeadParser.parse($0, isRequest: true) }
        let problems = (head?.problems ?? []).map { ($0.offset - line.count, $0.reason) }
        return .fields(head?.headers ?? HeaderFields(), problems: problems)
    }
}
