import LibCrypto

/// Who opens files: the private key of an X25519 recipient.
package struct AgeIdentity: Sendable, Equatable {
    static let beginning = "AGE-SECRET-KEY-"

    let secret: [UInt8]
    let publicKey: [UInt8]

    /// Reads `AGE-SECRET-KEY-1…`.
    ///
    /// - Throws: ``AgeError/notAnIdentity(line:reason:)`` with line 1, which never repeats the text.
    package init(_ text: String) throws(AgeError) {
        self = try Self.read(text, line: 1)
    }

    /// The recipient that it belongs to.
    package var recipient: AgeRecipient { .x25519(publicKey) }

    /// The identities of a file: one a line, comments after `#`, empty lines.
    ///
    /// Identities of kinds that only age itself can use are passed over, as long as there are others.
    /// - Parameter text: the file's.
    /// - Returns: one at least.
    /// - Throws: ``AgeError`` for the first line that is none, and for a file without any.
    package static func all(in text: String) throws(AgeError) -> [AgeIdentity] {
        var found: [AgeIdentity] = []
        var others: [String] = []
        for (number, line) in AgeKeyLines.lines(of: text) {
            if line.hasPrefix("-----BEGIN ") {
                // The lines of such a file are no keys of their own.
                throw .noUsableIdentity(found: others + ["an SSH key or another PEM file"])
            }
            if let other = otherKinds.first(where: { line.hasPrefix($0.beginning) }) {
                if !others.contains(other.name) { others.append(other.name) }
            } else {
                found.append(try read(line, line: number))
            }
        }
        guard !found.isEmpty else { throw .noUsableIdentity(found: others) }
        return found
    }

    private static let otherKinds = [
        (beginning: "AGE-PLUGIN-", name: "a plugin's identity"),
        (beginning: "\(beginning)PQ-1", name: "a post-quantum identity"),
    ]

    private static func read(_ text: String, line: Int) throws(AgeError) -> AgeIdentity {
        let reason: String
        if text.hasPrefix("age1") {
            reason = "is a recipient, the public half"
        } else if !text.hasPrefix("\(beginning)1") {
            reason = "does not begin with \(beginning)1"
        } else {
            do {
                let (prefix, secret) = try Bech32.decode(text)
                if prefix == beginning, secret.count == KeyAgreement.size,
                    let publicKey = KeyAgreement.share(of: secret)
                {
                    return AgeIdentity(secret: secret, publicKey: publicKey)
                }
                reason = "has \(secret.count) bytes, not \(KeyAgreement.size)"
            } catch {
                reason = "\(error)"
            }
        }
        throw .notAnIdentity(line: line, reason: reason)
    }

    private init(secret: [UInt8], publicKey: [UInt8]) {
        self.secret = secret
        self.publicKey = publicKey
    }
}
