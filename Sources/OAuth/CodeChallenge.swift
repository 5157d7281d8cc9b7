import Captures
import JOSE
import LibCrypto

/// How a code challenge was made of a verifier: as RFC 7636 wants it, or in one of the ways in which it goes
/// wrong.
package enum ChallengeRelation: String, Sendable, Hashable, CaseIterable {
    /// BASE64URL(SHA256(ASCII(verifier))), section 4.2.
    case s256
    /// The verifier itself.
    case plain
    case padded
    case base64
    case base64SlashAsDash = "base64-slash-as-dash"
    case hex
    case hexBase64URL = "hex-base64url"
    case doubleHash = "double-hash"
    case truncated
    case trimmed
}

/// Proof key for code exchange (RFC 7636).
package enum CodeChallenge {
    /// BASE64URL(SHA256(ASCII(verifier))): 43 characters.
    package static func s256(of verifier: String) -> String { Base64URL.encode(Digest.of(verifier.utf8)) }

    /// The relation that turns this verifier into this challenge; nil when none of the known ones does.
    package static func relation(of challenge: String, to verifier: String) -> ChallengeRelation? {
        guard !challenge.isEmpty, !verifier.isEmpty else { return nil }
        let hash = Digest.of(verifier.utf8)
        let right = Base64URL.encode(hash)
        if challenge == right { return .s256 }
        if challenge == verifier { return .plain }
        let standard = Base64.encode(hash)
        let unpadded = String(standard.prefix { $0 != "=" })
        if challenge == right + "=" { return .padded }
        if challenge == standard || challenge == unpadded { return .base64 }
        // Only one of the two replacements made, or made the wrong way round.
        let slashAsDash = String(unpadded.map { $0 == "/" ? "-" : $0 == "+" ? "_" : $0 })
        let slashAsDashOnly = String(unpadded.map { $0 == "/" ? "-" : $0 })
        if [slashAsDash, slashAsDashOnly, slashAsDash + "=", slashAsDashOnly + "="].contains(challenge) {
            return .base64SlashAsDash
        }
        let hex = hexadecimal(hash)
        if challenge.lowercased() == hex { return .hex }
        for text in [hex, hex.uppercased()] {
            let encoded = Base64URL.encode(text.utf8)
            if challenge == encoded || challenge == Base64.encode(text.utf8) { return .hexBase64URL }
        }
        if doubleHashes(hash, hex).contains(challenge) { return .doubleHash }
        if challenge.utf8.count >= 8, right.hasPrefix(challenge) || challenge.hasPrefix(right) {
            return .truncated
        }
        if respellings(of: verifier).contains(where: { s256(of: $0) == challenge }) { return .trimmed }
        return nil
    }

    private static func doubleHashes(_ hash: [UInt8], _ hex: String) -> [String] {
        [
            Base64URL.encode(Digest.of(hash)), Base64URL.encode(Digest.of(hex.utf8)),
            Base64URL.encode(Digest.of(Base64URL.encode(hash).utf8)),
        ]
    }

    /// What a verifier may have been before something on the way re-coded it.
    private static func respellings(of verifier: String) -> Set<String> {
        let bytes = Array(verifier.utf8)
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
        let trimmed = String(
            decoding: bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed(),
            as: UTF8.self
        )
        let replace = { (text: String, from: UInt8, to: String) in
            String(decoding: text.utf8.flatMap { $0 == from ? Array(to.utf8) : [$0] }, as: UTF8.self)
        }
        var result: Set<String> = [
            trimmed, verifier + "\n", verifier + "\r\n", verifier + "=", replace(verifier, 0x20, "+"),
            replace(verifier, 0x2b, " "), replace(verifier, 0x7e, "%7E"), PercentEncoding.decode(verifier),
            replace(verifier, 0x3d, ""), PercentEncoding.encode(verifier),
        ]
        result.remove(verifier)
        return result
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
