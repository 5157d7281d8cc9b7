import JOSE

/// The longest stretch of base64url and dots that begins at a position of a text: a token, what apps put into `state` in
/// base64url, or any word.
///
/// What has dots is a signed thing more often than not, and is never taken apart: another content would not fit its
/// signature.
struct EncodedRun {
    /// Where it stands, with its padding.
    let range: Range<Int>
    /// What it says in base64url, which nothing is lost of when it is encoded again; nil where it does not.
    let content: [UInt8]?
    /// Whether it is a token, which is valid as it is or not at all (RFC 7515, section 7.1).
    let isToken: Bool
    private let isPadded: Bool

    /// Shorter ones hold no value that is looked for inside of texts.
    private static let shortest = 11

    /// - Returns: nil where none begins.
    init?(in bytes: [UInt8], at start: Int) {
        guard start < bytes.count, Self.isOfOne(bytes[start]), Self.mayBegin(in: bytes, at: start) else {
            return nil
        }
        let end = bytes[start...].firstIndex { !Self.isOfOne($0) } ?? bytes.count
        let padded = bytes[end...].prefix(2).prefix { $0 == 0x3d }.endIndex
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        isToken = JSONWebToken.parse(text) != nil
        isPadded = padded > end && (padded - start).isMultiple(of: 4)
        range = start..<(isPadded ? padded : end)
        let isPiece =
            Self.isOfStandardOne(bytes[..<start].last)
            || Self.isOfStandardOne(end < bytes.count ? bytes[end] : nil)
        content = isPiece || end - start < Self.shortest ? nil : Base64URL.decode(text)
    }

    /// Another content, spelled as this one is.
    func spelling(_ content: [UInt8]) -> [UInt8] {
        let bytes = Array(Base64URL.encode(content).utf8)
        return isPadded ? bytes + [UInt8](repeating: 0x3d, count: (4 - bytes.count % 4) % 4) : bytes
    }

    /// The digits behind a `%` belong to it, and what comes behind them does not (RFC 3986, section 2.1).
    private static func mayBegin(in bytes: [UInt8], at start: Int) -> Bool {
        let before = bytes[..<start].suffix(3)
        if let sign = before.lastIndex(of: 0x25) { return start - sign == 3 }
        return before.last.map { !isOfOne($0) } ?? true
    }

    private static func isOfOne(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }

    /// What only the standard alphabet has (RFC 4648, section 4): beside it stands a piece of something longer.
    private static func isOfStandardOne(_ byte: UInt8?) -> Bool { byte == 0x2b || byte == 0x2f }

    /// What each of a text's runs says.
    static func contents(of text: String) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        var contents: [[UInt8]] = []
        var position = 0
        while position < bytes.count {
            guard let run = EncodedRun(in: bytes, at: position) else {
                position += 1
                continue
            }
            if let content = run.content { contents.append(content) }
            position = run.range.upperBound
        }
        return contents
    }
}
