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
        making(challenge, from: verifier)?.relation
    }

    /// How this challenge was made of this verifier, to be done again with another one.
    ///
    /// - Returns: nil when none of the known ways leads from the one to the other.
    package static func making(_ challenge: String, from verifier: String) -> ChallengeMaking? {
        guard !challenge.isEmpty, !verifier.isEmpty else { return nil }
        if let making = ChallengeMaking.known.first(where: { $0.make(verifier) == challenge }) {
            return making
        }
        let right = s256(of: verifier)
        guard challenge.utf8.count >= 8 else { return nil }
        if right.hasPrefix(challenge) {
            let count = challenge.utf8.count
            return ChallengeMaking(.truncated) { String(s256(of: $0).prefix(count)) }
        }
        if challenge.hasPrefix(right) {
            let rest = String(challenge.dropFirst(right.utf8.count))
            return ChallengeMaking(.truncated) { s256(of: $0) + rest }
        }
        return nil
    }
}

/// A way in which a code challenge is made of a verifier.
package struct ChallengeMaking: Sendable {
    package let relation: ChallengeRelation
    package let make: @Sendable (String) -> String

    /// As RFC 7636 wants it.
    package static let s256 = ChallengeMaking(.s256) { CodeChallenge.s256(of: $0) }

    init(_ relation: ChallengeRelation, _ make: @escaping @Sendable (String) -> String) {
        self.relation = relation
        self.make = make
    }

    /// The right ways first, then the wrong ones, from the plainest to the last resort.
    package static let known: [ChallengeMaking] =
        [
            s256,
            ChallengeMaking(.plain) { $0 },
            ChallengeMaking(.padded) { CodeChallenge.s256(of: $0) + "=" },
            ChallengeMaking(.base64) { base64($0) },
            ChallengeMaking(.base64) { unpadded(base64($0)) },
            // Only one of the two replacements made, or made the wrong way round.
            ChallengeMaking(.base64SlashAsDash) { swapped(unpadded(base64($0))) },
            ChallengeMaking(.base64SlashAsDash) { slashAsDash(unpadded(base64($0))) },
            ChallengeMaking(.base64SlashAsDash) { swapped(unpadded(base64($0))) + "=" },
            ChallengeMaking(.base64SlashAsDash) { slashAsDash(unpadded(base64($0))) + "=" },
            ChallengeMaking(.hex) { hexadecimal(hash($0)) },
            ChallengeMaking(.hex) { hexadecimal(hash($0)).uppercased() },
            ChallengeMaking(.hexBase64URL) { Base64URL.encode(hexadecimal(hash($0)).utf8) },
            ChallengeMaking(.hexBase64URL) { Base64.encode(Array(hexadecimal(hash($0)).utf8)) },
            ChallengeMaking(.hexBase64URL) { Base64URL.encode(hexadecimal(hash($0)).uppercased().utf8) },
            ChallengeMaking(.hexBase64URL) { Base64.encode(Array(hexadecimal(hash($0)).uppercased().utf8)) },
            ChallengeMaking(.doubleHash) { Base64URL.encode(Digest.of(hash($0))) },
            ChallengeMaking(.doubleHash) { Base64URL.encode(Digest.of(hexadecimal(hash($0)).utf8)) },
            ChallengeMaking(.doubleHash) { CodeChallenge.s256(of: CodeChallenge.s256(of: $0)) },
        ]
        + respellings.map { respelling in
            ChallengeMaking(.trimmed) { verifier in
                let other = respelling(verifier)
                return other == verifier ? "" : CodeChallenge.s256(of: other)
            }
        }

    /// What a verifier may have been before something on the way re-coded it.
    private static let respellings: [@Sendable (String) -> String] = [
        { trimmed($0) }, { $0 + "\n" }, { $0 + "\r\n" }, { $0 + "=" }, { replacing(0x20, by: "+", in: $0) },
        { replacing(0x2b, by: " ", in: $0) }, { replacing(0x7e, by: "%7E", in: $0) },
        { PercentEncoding.decode($0) }, { replacing(0x3d, by: "", in: $0) }, { PercentEncoding.encode($0) },
    ]

    private static func hash(_ verifier: String) -> [UInt8] { Digest.of(verifier.utf8) }

    private static func base64(_ verifier: String) -> String { Base64.encode(hash(verifier)) }

    private static func unpadded(_ text: String) -> String { String(text.prefix { $0 != "=" }) }

    private static func swapped(_ text: String) -> String {
        String(text.map { $0 == "/" ? "-" : $0 == "+" ? "_" : $0 })
    }

    private static func slashAsDash(_ text: String) -> String { String(text.map { $0 == "/" ? "-" : $0 }) }

    private static func trimmed(_ verifier: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
        return String(
            decoding: Array(verifier.utf8).drop(while: isSpace).reversed().drop(while: isSpace).reversed(),
            as: UTF8.self
        )
    }

    private static func replacing(_ byte: UInt8, by other: String, in text: String) -> String {
        String(decoding: text.utf8.flatMap { $0 == byte ? Array(other.utf8) : [$0] }, as: UTF8.self)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
