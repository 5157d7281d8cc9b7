import Captures
import JOSE
import LibCrypto

/// A way in which a code challenge is made of a verifier.
package struct ChallengeMaking: Sendable {
    package let relation: ChallengeRelation
    /// Of every challenge it makes, in characters; nil where it goes by the verifier's.
    let length: Int?
    let spell: @Sendable (HashedVerifier) -> String

    /// As RFC 7636 wants it.
    package static let s256 = ChallengeMaking(.s256, length: 43) { Base64URL.encode($0.hash) }

    init(
        _ relation: ChallengeRelation,
        length: Int? = nil,
        _ spell: @escaping @Sendable (HashedVerifier) -> String
    ) {
        self.relation = relation
        self.length = length
        self.spell = spell
    }

    /// The challenge of a verifier.
    package func make(_ verifier: String) -> String { spell(HashedVerifier(verifier)) }

    /// The right ways first, then the wrong ones, from the plainest to the last resort.
    package static let known: [ChallengeMaking] =
        [
            s256,
            ChallengeMaking(.plain) { $0.text },
            ChallengeMaking(.padded, length: 44) { Base64URL.encode($0.hash) + "=" },
            ChallengeMaking(.base64, length: 44) { Base64.encode($0.hash) },
            ChallengeMaking(.base64, length: 43) { unpadded($0) },
            // Only one of the two replacements made, or made the wrong way round.
            ChallengeMaking(.base64SlashAsDash, length: 43) { swapped(unpadded($0)) },
            ChallengeMaking(.base64SlashAsDash, length: 43) { slashAsDash(unpadded($0)) },
            ChallengeMaking(.base64SlashAsDash, length: 44) { swapped(unpadded($0)) + "=" },
            ChallengeMaking(.base64SlashAsDash, length: 44) { slashAsDash(unpadded($0)) + "=" },
            ChallengeMaking(.hex, length: 64) { Hexadecimal.encode($0.hash) },
            ChallengeMaking(.hex, length: 64) { Hexadecimal.encode($0.hash, isUppercase: true) },
            ChallengeMaking(.hexBase64URL, length: 86) { Base64URL.encode(Hexadecimal.encode($0.hash).utf8) },
            ChallengeMaking(.hexBase64URL, length: 88) {
                Base64.encode(Array(Hexadecimal.encode($0.hash).utf8))
            },
            ChallengeMaking(.hexBase64URL, length: 86) {
                Base64URL.encode(Hexadecimal.encode($0.hash, isUppercase: true).utf8)
            },
            ChallengeMaking(.hexBase64URL, length: 88) {
                Base64.encode(Array(Hexadecimal.encode($0.hash, isUppercase: true).utf8))
            },
            ChallengeMaking(.doubleHash, length: 43) { Base64URL.encode(Digest.of($0.hash)) },
            ChallengeMaking(.doubleHash, length: 43) {
                Base64URL.encode(Digest.of(Hexadecimal.encode($0.hash).utf8))
            },
            ChallengeMaking(.doubleHash, length: 43) {
                CodeChallenge.s256(of: Base64URL.encode($0.hash))
            },
            ChallengeMaking(.decodedVerifier, length: 43) {
                Base64URL.encode(Digest.of(Base64URL.decodeLeniently($0.text).bytes))
            },
            ChallengeMaking(.utf16, length: 43) {
                Base64URL.encode(
                    Digest.of($0.text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
                )
            },
            ChallengeMaking(.sha1, length: 27) { Base64URL.encode(Digest.of($0.text.utf8, .sha1)) },
            ChallengeMaking(.sha512, length: 86) { Base64URL.encode(Digest.of($0.text.utf8, .sha512)) },
            ChallengeMaking(.letterCase, length: 43) { Base64URL.encode($0.hash).lowercased() },
            ChallengeMaking(.letterCase, length: 43) { Base64URL.encode($0.hash).uppercased() },
            ChallengeMaking(.quoted, length: 43) { verifier in
                let text = verifier.text.utf8
                guard text.count > 2, text.first == 0x22, text.last == 0x22 else { return "" }
                return CodeChallenge.s256(of: String(Substring(text.dropFirst().dropLast())))
            },
        ]
        + respellings.map { respelling in
            ChallengeMaking(.trimmed) { verifier in
                let other = respelling(verifier.text)
                return other == verifier.text ? "" : CodeChallenge.s256(of: other)
            }
        }

    /// What a verifier may have been before something on the way re-coded it.
    private static let respellings: [@Sendable (String) -> String] = [
        { trimmed($0) }, { $0 + "\n" }, { $0 + "\r\n" }, { $0 + "=" }, { replacing(0x20, by: "+", in: $0) },
        { replacing(0x2b, by: " ", in: $0) }, { replacing(0x7e, by: "%7E", in: $0) },
        { PercentEncoding.decode($0) }, { replacing(0x3d, by: "", in: $0) }, { PercentEncoding.encode($0) },
    ]

    private static func unpadded(_ verifier: HashedVerifier) -> String {
        String(decoding: Base64.encode(verifier.hash).utf8.prefix { $0 != 0x3d }, as: UTF8.self)
    }

    private static func swapped(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 0x2f ? 0x2d : $0 == 0x2b ? 0x5f : $0 }, as: UTF8.self)
    }

    private static func slashAsDash(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 0x2f ? 0x2d : $0 }, as: UTF8.self)
    }

    private static func trimmed(_ verifier: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
        guard let first = verifier.utf8.first, let last = verifier.utf8.last, isSpace(first) || isSpace(last)
        else { return verifier }
        return String(
            decoding: Array(verifier.utf8).drop(while: isSpace).reversed().drop(while: isSpace).reversed(),
            as: UTF8.self
        )
    }

    private static func replacing(_ byte: UInt8, by other: String, in text: String) -> String {
        guard text.utf8.contains(byte) else { return text }
        return String(decoding: text.utf8.flatMap { $0 == byte ? Array(other.utf8) : [$0] }, as: UTF8.self)
    }
}

/// A code verifier with its hash, which nearly every way begins with.
struct HashedVerifier {
    let text: String
    /// SHA-256 of its bytes.
    let hash: [UInt8]

    init(_ text: String) {
        self.text = text
        hash = Digest.of(text.utf8)
    }
}
