import JOSE
package import OAuth

/// A code challenge of the recording.
package struct PlannedChallenge: Sendable {
    package var challenge: String
    /// The verifier that it belongs to; nil where the recording has none that fits.
    package var verifier: String?
    /// How it is made of a verifier.
    package var making: ChallengeMaking

    /// Whether it looks like the SHA-256 of a verifier in base64url (RFC 7636, section 4.2).
    var isHash: Bool { challenge.utf8.count == 43 && Base64URL.decode(challenge)?.count == 32 }
}
