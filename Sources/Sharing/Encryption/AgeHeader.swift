import Captures
import LibCrypto

/// The header of an age file: the file's key, wrapped once for each recipient, and a code over all of it.
package struct AgeHeader: Sendable, Equatable {
    /// One recipient's way to the file's key.
    package struct Stanza: Sendable, Equatable {
        /// The first argument: `X25519`, `scrypt`, or something that others made up.
        package var type: String
        /// The further ones.
        package var arguments: [String]
        package var body: [UInt8]

        package init(type: String, arguments: [String], body: [UInt8]) {
            self.type = type
            self.arguments = arguments
            self.body = body
        }
    }

    package let stanzas: [Stanza]
    /// What the code is over: all lines, and `---` of the last.
    package let text: [UInt8]
    /// HMAC-SHA256, 32 bytes.
    package let code: [UInt8]

    /// What was read.
    init(stanzas: [Stanza], text: [UInt8], code: [UInt8]) {
        self.stanzas = stanzas
        self.text = text
        self.code = code
    }

    /// One that is to be written.
    init(stanzas: [Stanza], key: AgeFileKey) throws(AgeError) {
        var text = AgeFile.introduction + AgeFile.version + [0x0a]
        for stanza in stanzas {
            text += Array("-> \(([stanza.type] + stanza.arguments).joined(separator: " "))\n".utf8)
            let body = Self.base64(stanza.body)
            // The last line is shorter than the others, and empty where they are full.
            for start in stride(from: 0, through: body.count, by: Self.columns) {
                text += body[start..<min(start + Self.columns, body.count)] + [0x0a]
            }
        }
        text += Self.lastLine
        self.stanzas = stanzas
        self.text = text
        code = try key.code(ofHeader: text)
    }

    /// The header as it stands in the file.
    package var bytes: [UInt8] { text + [0x20] + Self.base64(code) + [0x0a] }

    /// Whether it opens with a passphrase, and with nothing else.
    package var wantsPassphrase: Bool { stanzas.contains { $0.type == AgeScrypt.type } }

    /// For whom it is, in the words of its stanzas; without what is there only to be passed over.
    var types: [String] {
        let types = stanzas.map(\.type).filter { !$0.hasSuffix("-grease") }
        return Array(types.map { $0.count > 40 ? $0.prefix(40) + "…" : $0 }.eachOnce().prefix(8))
    }

    // MARK: - The file's key

    /// The file's key, by one of the identities.
    ///
    /// - Parameter identities: tried in their order, each at every stanza.
    /// - Returns: the key, after the header's code was compared.
    /// - Throws: ``AgeError`` when none fits, or the header is not what the specification wants.
    package func fileKey(identities: [AgeIdentity]) throws(AgeError) -> AgeFileKey {
        guard !identities.isEmpty else { throw .noIdentity(types: types) }
        // A stanza of a known type has to be right also where another one opens the file.
        var shares: [AgeX25519.Share] = []
        for stanza in stanzas where stanza.type == AgeX25519.type {
            shares.append(try AgeX25519.Share(stanza))
        }
        for identity in identities {
            for share in shares {
                if let key = try share.fileKey(of: identity) { return try checked(key) }
            }
        }
        throw .noMatch(types: types, recipients: identities.compactMap(\.recipient.text))
    }

    /// The file's key, by a passphrase.
    ///
    /// Takes as much memory and time as the header asks for, within ``AgeScrypt/maximumLogN``.
    package func fileKey(passphrase: String) throws(AgeError) -> AgeFileKey {
        guard let stanza = stanzas.first(where: { $0.type == AgeScrypt.type }) else {
            throw .noIdentity(types: types)
        }
        return try checked(AgeScrypt.fileKey(in: stanza, passphrase: passphrase))
    }

    private func checked(_ key: AgeFileKey) throws(AgeError) -> AgeFileKey {
        guard MessageAuthentication.areEqual(try key.code(ofHeader: text), code) else { throw .headerChanged }
        return key
    }

    // MARK: - Its lines

    static let columns = 64
    static let lastLine = Array("---".utf8)

    /// Without `=`.
    static func base64(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var text: [UInt8] = []
        Base64.append(bytes, to: &text)
        return text[..<(text.firstIndex(of: 0x3d) ?? text.count)]
    }
}
