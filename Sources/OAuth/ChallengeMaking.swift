import JOSE
import LibCrypto

/// A way in which a code challenge is made of a verifier.
package struct ChallengeMaking: Sendable {
    /// How the challenge is related to the verifier.
    package let relation: ChallengeRelation
    /// Of every challenge it makes, in characters; nil where it goes by the verifier's.
    let length: Int?
    /// The challenge of a verifier; empty where the way leads nowhere from it.
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
