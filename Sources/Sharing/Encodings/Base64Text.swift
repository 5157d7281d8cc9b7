import Captures
import JOSE

/// A value that is, as a whole, a text in base64 or base64url.
struct Base64Text {
    /// Decoded.
    let text: [UInt8]
    private let isURL: Bool
    private let isPadded: Bool

    /// Nil for what is no base64, or encodes no text with parts.
    ///
    /// Of base64 around base64 the outer one.
    init?(_ value: [UInt8]) {
        self.init(value) { TextKind.guessed($0[...]) != .text || Base64Text($0) != nil }
    }

    /// Nil for what is no base64 of a text that is meant.
    init?(_ value: [UInt8], where isMeant: ([UInt8]) -> Bool) {
        guard value.count >= 12 else { return nil }
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
        isURL = !body.contains { $0 == 0x2b || $0 == 0x2f }
        isPadded = value.count > body.count
    }

    /// Another text in the same manner.
    func encoding(_ other: [UInt8]) -> [UInt8] {
        var encoded = isURL ? Base64URL.encode(other) : Base64.encode(other)
        while !isURL, !isPadded, encoded.utf8.last == 0x3d { encoded.removeLast() }
        if isURL, isPadded { encoded += String(repeating: "=", count: (4 - encoded.utf8.count % 4) % 4) }
        return Array(encoded.utf8)
    }
}
