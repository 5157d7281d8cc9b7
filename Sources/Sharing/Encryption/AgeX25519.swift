import Captures
import LibCrypto

/// The `X25519` stanza: the file's key for the holder of one private key.
enum AgeX25519 {
    static let type = "X25519"
    private static let info = "age-encryption.org/v1/X25519"

    /// A stanza for one recipient.
    ///
    /// - Parameters:
    ///   - key: the file's.
    ///   - recipient: a public key, 32 bytes.
    ///   - random: gives the ephemeral secret, a new one for each stanza.
    /// - Returns: the stanza.
    /// - Throws: ``AgeError/smallOrderShare`` for a recipient that is no key of anybody.
    static func stanza(
        wrapping key: AgeFileKey,
        to recipient: [UInt8],
        random: (Int) -> [UInt8]
    ) throws(AgeError) -> AgeHeader.Stanza {
        let secret = random(KeyAgreement.size)
        guard let share = KeyAgreement.share(of: secret) else {
            throw .cryptography("no ephemeral key could be made")
        }
        guard let shared = KeyAgreement.sharedSecret(of: secret, with: recipient) else {
            throw .smallOrderShare
        }
        let wrapping = try AgeFileKey.derive(shared, salt: share + recipient, info: info)
        return AgeHeader.Stanza(
            type: type,
            arguments: [String(decoding: AgeHeader.base64(share), as: UTF8.self)],
            body: try key.wrapped(by: wrapping)
        )
    }

    /// What a stanza of this type holds.
    struct Share {
        private let share: [UInt8]
        private let body: [UInt8]

        /// - Throws: ``AgeError/malformedStanza(type:expected:)`` when the stanza is not as its type wants it.
        init(_ stanza: AgeHeader.Stanza) throws(AgeError) {
            guard stanza.arguments.count == 1,
                let share = Base64.decodeStrictly(Array(stanza.arguments[0].utf8)[...], isPadded: false),
                share.count == KeyAgreement.size
            else { throw .malformedStanza(type: type, expected: "one argument, 32 bytes in base64") }
            // Before it is tried: longer ones could be made to open with more than one key.
            guard stanza.body.count == AgeFileKey.wrappedSize else {
                throw .malformedStanza(type: type, expected: "a body of \(AgeFileKey.wrappedSize) bytes")
            }
            self.share = share
            body = stanza.body
        }

        /// The file's key, where the stanza is for this identity.
        func fileKey(of identity: AgeIdentity) throws(AgeError) -> AgeFileKey? {
            guard let shared = KeyAgreement.sharedSecret(of: identity.secret, with: share) else {
                throw .smallOrderShare
            }
            let wrapping = try AgeFileKey.derive(shared, salt: share + identity.publicKey, info: info)
            return AgeFileKey(unwrapping: body, by: wrapping)
        }
    }
}
