import LibCrypto

/// For whom a file is encrypted.
package enum AgeRecipient: Sendable, Hashable {
    /// The holder of a private key, by the public one, 32 bytes.
    case x25519([UInt8])
    /// Whoever knows it; the binary logarithm of scrypt's work factor.
    case passphrase(String, logN: Int = AgeScrypt.logN)

    private static let prefix = "age"

    /// Reads `age1…`.
    ///
    /// - Throws: ``AgeError/notARecipient(line:reason:)``, which does not repeat the text: it may be a secret.
    package init(_ text: String) throws(AgeError) {
        let reason: String
        if text.hasPrefix("ssh-") {
            reason = "is an SSH key, which age itself takes"
        } else if text.uppercased().hasPrefix(AgeIdentity.beginning) {
            reason = "is an identity, the secret half, which stays with its owner"
        } else if !text.hasPrefix("\(Self.prefix)1") {
            reason = "does not begin with age1"
        } else {
            do {
                let (prefix, bytes) = try Bech32.decode(text)
                if prefix == Self.prefix, bytes.count == KeyAgreement.size {
                    self = .x25519(bytes)
                    return
                }
                reason =
                    prefix == Self.prefix
                    ? "has \(bytes.count) bytes, not \(KeyAgreement.size)"
                    : "is of another kind (\(prefix)1…), which age itself takes"
            } catch {
                reason = "\(error)"
            }
        }
        throw .notARecipient(line: nil, reason: reason)
    }

    /// The recipients of a file: one a line, comments after `#`, empty lines.
    ///
    /// - Parameter text: the file's.
    /// - Returns: one at least.
    /// - Throws: ``AgeError`` for the first line that is none, and for a file without any.
    package static func all(in text: String) throws(AgeError) -> [AgeRecipient] {
        var found: [AgeRecipient] = []
        for (number, line) in AgeKeyLines.lines(of: text) {
            do {
                found.append(try AgeRecipient(line))
            } catch .notARecipient(_, let reason) {
                throw .notARecipient(line: number, reason: reason)
            }
        }
        guard !found.isEmpty else { throw .noRecipients }
        return found
    }

    var isPassphrase: Bool {
        guard case .passphrase = self else { return false }
        return true
    }

    /// `age1…`; nil for a passphrase.
    package var text: String? {
        guard case .x25519(let key) = self else { return nil }
        return Bech32.encode(key, prefix: Self.prefix)
    }

    func stanza(wrapping key: AgeFileKey, random: (Int) -> [UInt8]) throws(AgeError) -> AgeHeader.Stanza {
        switch self {
        case .x25519(let recipient):
            try AgeX25519.stanza(wrapping: key, to: recipient, random: random)
        case .passphrase(let passphrase, let logN):
            try AgeScrypt.stanza(wrapping: key, passphrase: passphrase, logN: logN, random: random)
        }
    }
}
