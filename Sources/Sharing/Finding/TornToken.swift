import JOSE
import JSON

/// A signed token that was cut off, or has a part too many: a header, and what there is of payload and signature.
struct TornToken {
    let header: String
    /// In base64url, as it stands.
    let encodedPayload: String
    /// Decoded; its end may be missing.
    let payload: [UInt8]
    /// With the dots before its parts; empty where it is missing.
    let rest: String

    /// Nil for a whole token, and for what begins with no header of one.
    init?(_ text: String) {
        guard text.utf8.starts(with: "ey".utf8), text.utf8.count <= 1 << 16 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...4).contains(parts.count),
            let object = try? JSONParser.parse(Base64URL.decodeLeniently(parts[0]).bytes),
            object["alg"] != nil
        else { return nil }
        let decoded = Base64URL.decodeLeniently(parts[1]).bytes
        guard decoded.first == 0x7b else { return nil }
        let isWhole = parts.count == 3 && (try? JSONParser.parse(decoded)) != nil
        guard !isWhole else { return nil }
        header = String(parts[0])
        encodedPayload = String(parts[1])
        payload = decoded
        rest = parts.dropFirst(2).map { "." + $0 }.joined()
    }
}
