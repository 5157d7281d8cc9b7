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
    /// Of the bytes that the verifier stands for in base64url, not of its characters.
    case decodedVerifier = "decoded-verifier"
    /// Of the verifier in UTF-16, little end first.
    case utf16
    case sha1
    case sha512
    /// The right hash but for upper and lower case.
    case letterCase = "letter-case"
    /// Of the verifier without the quotes that it was sent in.
    case quoted
    case truncated
    case trimmed

    /// What every challenge that is made in this way shows: the alphabets of Base64 differ by `+` and `/` alone, which a hash need
    /// not have.
    package var kind: ChallengeRelation {
        switch self {
        case .padded, .base64SlashAsDash: .base64
        default: self
        }
    }
}

/// Proof key for code exchange (RFC 7636).
package enum CodeChallenge {
    /// BASE64URL(SHA256(ASCII(verifier))): 43 characters.
    package static func s256(of verifier: String) -> String { Base64URL.encode(Digest.of(verifier.utf8)) }

    /// Whether a text has the form of a verifier: 43 to 128 unreserved characters (section 4.1).
    package static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(\.isUnreserved)
    }

    /// The relation that turns this verifier into this challenge; nil when none of the known ones does.
    package static func relation(of challenge: String, to verifier: String) -> ChallengeRelation? {
        making(challenge, from: verifier)?.relation
    }

    /// How this challenge was made of this verifier, to be done again with another one.
    ///
    /// - Returns: nil when none of the known ways leads from the one to the other.
    package static func making(_ challenge: String, from verifier: String) -> ChallengeMaking? {
        guard !challenge.isEmpty, !verifier.isEmpty else { return nil }
        let hashed = HashedVerifier(verifier)
        let count = challenge.utf8.count
        if let making = ChallengeMaking.known.first(where: {
            ($0.length ?? count) == count && $0.spell(hashed) == challenge
        }) {
            return making
        }
        let right = Base64URL.encode(hashed.hash)
        guard challenge.utf8.count >= 8 else { return nil }
        if right.hasPrefix(challenge) {
            return ChallengeMaking(.truncated) { String(Base64URL.encode($0.hash).prefix(count)) }
        }
        if challenge.hasPrefix(right) {
            let rest = String(challenge.dropFirst(right.utf8.count))
            return ChallengeMaking(.truncated) { Base64URL.encode($0.hash) + rest }
        }
        return nil
    }
}
