/// Tells a request line of HTTP/1 from a body, byte by byte: some clients whose request was answered before they were told to
/// go on send its body all the same, others the next request (RFC 9110, section 10.1.1).
///
/// A body may be one word in capitals with another request behind it: only the methods that are in use begin a request.
package struct RequestLineProbe: Equatable {
    private enum Part: Equatable {
        /// What there is of it.
        case method([UInt8])
        case target(count: Int)
        case version(matched: Int)
    }

    private var part = Part.method([])

    /// RFC 9110, section 9.1, and RFC 5789.
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ].map { Array($0.utf8) }
    private static let version = Array("HTTP/1.".utf8)
    private static let longestTarget = 8 << 10

    package init() {}

    /// Whether this is a request line; nil as long as it may be one.
    package mutating func next(_ byte: UInt8) -> Bool? {
        switch part {
        case .method(let begun) where byte == 0x20:
            guard Self.methods.contains(begun) else { return false }
            part = .target(count: 0)
        case .method(let begun):
            let method = begun + [byte]
            guard Self.methods.contains(where: { $0.starts(with: method) }) else { return false }
            part = .method(method)
        case .target(let count) where byte == 0x20 && count > 0: part = .version(matched: 0)
        case .target(let count):
            guard byte > 0x20, count < Self.longestTarget else { return false }
            part = .target(count: count + 1)
        case .version(let matched):
            guard byte == Self.version[matched] else { return false }
            guard matched + 1 < Self.version.count else { return true }
            part = .version(matched: matched + 1)
        }
        return nil
    }
}
