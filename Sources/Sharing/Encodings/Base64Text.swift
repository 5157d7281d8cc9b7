import Captures
import JOSE

/// A value that is, as a whole, a text in base64 or base64url.
struct Base64Text {
    /// Decoded.
    let text: [UInt8]
    private let isURL: Bool
    private let isPadded: Bool
    /// How many characters each line has, and what is between two of them; nil where there is one line.
    private let lines: (width: Int, ending: [UInt8])?

    /// Nil for what is no base64, or encodes no text with parts; in several lines any text is meant.
    ///
    /// Of base64 around base64 the outer one.
    init?(_ value: [UInt8]) {
        let isInLines = Self.lines(of: value) != nil
        self.init(value) { isInLines || TextKind.guessed($0[...]) != .text || Base64Text($0) != nil }
    }

    /// Nil for what is no base64 of a text that is meant.
    init?(_ value: [UInt8], where isMeant: ([UInt8]) -> Bool) {
        guard value.count >= 12 else { return nil }
        lines = Self.lines(of: value)
        let value = lines == nil ? value : value.filter { !BinaryCoding.isOfLineBreak($0) }
        let body = value.prefix { $0 != 0x3d }
        guard value.count - body.count <= 2, body.count % 4 != 1,
            body.allSatisfy({ byte in
                byte.isASCIIAlphanumeric
                    || [0x2b, 0x2d, 0x2f, 0x5f].contains(byte)
            })
        else { return nil }
        let decoded = BinaryCoding.base64.decoded(Array(body))
        guard String(validating: decoded, as: UTF8.self) != nil, isMeant(decoded) else { return nil }
        text = decoded
        isURL = lines == nil && !body.contains { $0 == 0x2b || $0 == 0x2f }
        isPadded = value.count > body.count || lines != nil && value.count % 4 == 0
    }

    /// The lines of a value that is base64 from end to end: all but the last one have the same length.
    private static func lines(of value: [UInt8]) -> (width: Int, ending: [UInt8])? {
        guard let width = value.prefix(longestLine).firstIndex(where: BinaryCoding.isOfLineBreak),
            width >= BinaryCoding.shortestLine, let document = BinaryCoding.documents(in: value).first,
            document.lowerBound == 0, document.upperBound > width,
            value[document.upperBound...].allSatisfy({ $0 == 0x3d })
        else { return nil }
        return (width, Array(value[width...].prefix(while: BinaryCoding.isOfLineBreak)))
    }

    /// In characters.
    private static let longestLine = 128

    /// Another text in the same manner.
    func encoding(_ other: [UInt8]) -> [UInt8] {
        var encoded = isURL ? Base64URL.encode(other) : Base64.encode(other)
        while !isURL, !isPadded, encoded.utf8.last == 0x3d { encoded.removeLast() }
        if isURL, isPadded { encoded += String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4) }
        guard let lines else { return Array(encoded.utf8) }
        let digits = Array(encoded.utf8)
        return Array(
            stride(from: 0, to: digits.count, by: lines.width).map { digits[$0...].prefix(lines.width) }
                .joined(separator: lines.ending)
        )
    }
}
