import Captures
import JOSE
import LibCrypto

/// The ways in which clients are known to make a challenge.
extension ChallengeMaking {
    /// The right ways first, then the wrong ones, from the plainest to the last resort.
    package static let known: [ChallengeMaking] =
        right + inOtherAlphabets + inHexadecimal + ofHashes + ofOtherBytes + byOtherDigests + ofOtherTexts

    private static let right = [s256, ChallengeMaking(.plain) { $0.text }]

    /// The right hash in Base64 as it is elsewhere, with padding, or with one of the two replacements made, or made the wrong way round.
    private static let inOtherAlphabets = [
        ChallengeMaking(.padded, length: 44) { Base64URL.encode($0.hash) + "=" },
        ChallengeMaking(.base64, length: 44) { Base64.encode($0.hash) },
        ChallengeMaking(.base64, length: 43) { unpadded($0) },
        ChallengeMaking(.base64SlashAsDash, length: 43) { swapped(unpadded($0)) },
        ChallengeMaking(.base64SlashAsDash, length: 43) { slashAsDash(unpadded($0)) },
        ChallengeMaking(.base64SlashAsDash, length: 44) { swapped(unpadded($0)) + "=" },
        ChallengeMaking(.base64SlashAsDash, length: 44) { slashAsDash(unpadded($0)) + "=" },
    ]

    /// The right hash as most libraries print one, as it is or in Base64 once more.
    private static let inHexadecimal = [
        ChallengeMaking(.hex, length: 64) { Hexadecimal.encode($0.hash) },
        ChallengeMaking(.hex, length: 64) { Hexadecimal.encode($0.hash, isUppercase: true) },
        ChallengeMaking(.hexBase64URL, length: 86) { Base64URL.encode(Hexadecimal.encode($0.hash).utf8) },
        ChallengeMaking(.hexBase64URL, length: 88) { Base64.encode(Array(Hexadecimal.encode($0.hash).utf8)) },
        ChallengeMaking(.hexBase64URL, length: 86) {
            Base64URL.encode(Hexadecimal.encode($0.hash, isUppercase: true).utf8)
        },
        ChallengeMaking(.hexBase64URL, length: 88) {
            Base64.encode(Array(Hexadecimal.encode($0.hash, isUppercase: true).utf8))
        },
    ]

    /// Hashed twice, in between as it is, in hexadecimal or in Base64.
    private static let ofHashes = [
        ChallengeMaking(.doubleHash, length: 43) { Base64URL.encode(Digest.of($0.hash)) },
        ChallengeMaking(.doubleHash, length: 43) {
            Base64URL.encode(Digest.of(Hexadecimal.encode($0.hash).utf8))
        },
        ChallengeMaking(.doubleHash, length: 43) { CodeChallenge.s256(of: Base64URL.encode($0.hash)) },
    ]

    /// The hash of other bytes than those of the verifier's characters.
    private static let ofOtherBytes = [
        ChallengeMaking(.decodedVerifier, length: 43) {
            Base64URL.encode(Digest.of(Base64URL.decodeLeniently($0.text).bytes))
        },
        ChallengeMaking(.utf16, length: 43) {
            Base64URL.encode(
                Digest.of($0.text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
            )
        },
    ]

    /// Another hash function, or what became of the right hash's letters.
    private static let byOtherDigests = [
        ChallengeMaking(.sha1, length: 27) { Base64URL.encode(Digest.of($0.text.utf8, .sha1)) },
        ChallengeMaking(.sha512, length: 86) { Base64URL.encode(Digest.of($0.text.utf8, .sha512)) },
        ChallengeMaking(.letterCase, length: 43) { Base64URL.encode($0.hash).lowercased() },
        ChallengeMaking(.letterCase, length: 43) { Base64URL.encode($0.hash).uppercased() },
    ]

    /// The right hash of a verifier that was sent in quotes, or re-coded on its way.
    private static let ofOtherTexts: [ChallengeMaking] =
        [
            ChallengeMaking(.quoted, length: 43) { verifier in
                let text = verifier.text.utf8
                guard text.count > 2, text.first == 0x22, text.last == 0x22 else { return "" }
                return CodeChallenge.s256(of: String(Substring(text.dropFirst().dropLast())))
            }
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

    // MARK: - Spellings

    private static func unpadded(_ verifier: HashedVerifier) -> String {
        String(decoding: Base64.encode(verifier.hash).utf8.prefix { $0 != 0x3d }, as: UTF8.self)
    }

    private static func swapped(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 0x2f ? 0x2d : $0 == 0x2b ? 0x5f : $0 }, as: UTF8.self)
    }

    private static func slashAsDash(_ text: String) -> String {
        text.replacing(0x2f, by: 0x2d)
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
