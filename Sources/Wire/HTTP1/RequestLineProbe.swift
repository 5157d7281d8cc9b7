/// Tells a request line of HTTP/1 from a body, byte by byte: some clients whose request was answered before they were told to
/// go on send its body all the same, others the next request (RFC 9110, section 10.1.1).
package struct RequestLineProbe: Equatable {
    private enum Part: Equatable {
        case method, target
        case version(matched: Int)
    }

    private var part = Part.method
    private var count = 0

    private static let version = Array("HTTP/1.".utf8)
    private static let longestMethod = 24
    private static let longestTarget = 8 << 10

    package init() {}

    /// Whether this is a request line; nil as long as it may be one.
    package mutating func next(_ byte: UInt8) -> Bool? {
        count += 1
        switch part {
        case .method where byte == 0x20 && count > 1:
            part = .target
            count = 0
        case .method:
            guard (0x41...0x5a).contains(byte), count <= Self.longestMethod else { return false }
        case .target where byte == 0x20 && count > 1: part = .version(matched: 0)
        case .target:
            guard byte > 0x20, count <= Self.longestTarget else { return false }
        case .version(let matched):
            guard byte == Self.version[matched] else { return false }
            guard matched + 1 < Self.version.count else { return true }
            part = .version(matched: matched + 1)
        }
        return nil
    }
}
