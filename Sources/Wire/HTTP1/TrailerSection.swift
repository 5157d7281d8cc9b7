internal import Captures

/// The fields behind a chunked body, up to the empty line that ends them (RFC 9112, section 7.1.2).
struct TrailerSection {
    enum Output: Equatable {
        case needsMore
        case fields(HeaderFields)
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
            if isEmpty { return .fields(fields) }
        }
        return .needsMore
    }

    private var fields: HeaderFields {
        let text = Array("GET / HTTP/1.1\r\n".utf8) + bytes
        return text.withUnsafeBufferPointer { HeadParser.parse($0, isRequest: true)?.headers }
            ?? HeaderFields()
    }
}
