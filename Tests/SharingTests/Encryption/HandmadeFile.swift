import Captures
import LibCrypto
import TestSupport
import Testing

@testable import Sharing

/// Files of age's made piece by piece, right and wrong.
enum HandmadeFile {
    /// The specification's own example, and its recipient.
    static let key = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    static let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    static func identity() throws -> AgeIdentity { try AgeIdentity(key) }
    /// Somebody else's.
    static func otherIdentity() throws -> AgeIdentity {
        try AgeIdentity(Bech32.encode(bytes(32, seed: 99), prefix: "age-secret-key-").uppercased())
    }

    static let text = Array("The text of this file.\n".utf8)

    /// As many bytes as are asked for, the same in every run.
    static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes = (0..<(count + 7) / 8).flatMap { _ in
            withUnsafeBytes(of: generator.next()) { Array($0) }
        }
        bytes.removeSubrange(count...)
        return bytes
    }

    // MARK: - Whole files

    /// Encrypts as the program does, with random numbers that are the same in every run.
    static func encrypted(_ text: [UInt8], to recipients: [AgeRecipient], seed: UInt64 = 7) throws -> [UInt8]
    {
        var generator = SeededGenerator(seed: seed)
        var encryptor = try AgeEncryptor(to: recipients) { count in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        var file: [UInt8] = []
        try encryptor.push(text[...], into: &file)
        try encryptor.finish(into: &file)
        return file
    }

    /// Decrypts as the program does; `piece`: so many bytes at once.
    static func decrypted(
        _ file: [UInt8],
        by identities: [AgeIdentity]? = nil,
        passphrase: String = "correct horse",
        piece: Int? = nil
    ) throws -> [UInt8] {
        var text: [UInt8] = []
        try decrypt(file, by: identities, passphrase: passphrase, piece: piece, into: &text)
        return text
    }

    /// The same; what was given before an error is in `text`.
    static func decrypt(
        _ file: [UInt8],
        by identities: [AgeIdentity]? = nil,
        passphrase: String = "correct horse",
        piece: Int? = nil,
        into text: inout [UInt8]
    ) throws {
        let identities = try identities ?? [identity()]
        var decryptor = AgeDecryptor { header in
            header.wantsPassphrase
                ? try header.fileKey(passphrase: passphrase) : try header.fileKey(identities: identities)
        }
        for start in stride(from: 0, to: file.count, by: piece ?? max(1, file.count)) {
            try decryptor.push(file[start..<min(file.count, start + (piece ?? file.count))], into: &text)
        }
        try decryptor.finish(into: &text)
    }

    // MARK: - Parts

    static func fileKey() throws -> AgeFileKey {
        try #require(AgeFileKey(Array("YELLOW SUBMARINE".utf8)))
    }

    /// A stanza that ``identity()`` opens.
    static func stanza() throws -> AgeHeader.Stanza {
        try AgeRecipient(recipientText).stanza(wrapping: fileKey()) { bytes($0, seed: 3) }
    }

    /// A stanza that the passphrase opens.
    static func passphraseStanza(_ passphrase: String = "correct horse", logN: Int = 4) throws
        -> AgeHeader.Stanza
    {
        try AgeRecipient.passphrase(passphrase, logN: logN).stanza(wrapping: fileKey()) { bytes($0, seed: 4) }
    }

    /// A file with these stanzas, whose header has its right code.
    static func file(_ stanzas: [AgeHeader.Stanza]) throws -> [UInt8] {
        try AgeHeader(stanzas: stanzas, key: fileKey()).bytes + payload([(text, 0, true)])
    }

    /// A file with this payload, which ``identity()`` opens.
    static func file(payload: [UInt8]) throws -> [UInt8] {
        try AgeHeader(stanzas: [stanza()], key: fileKey()).bytes + payload
    }

    /// A file whose header has these lines (without the first and the last), and its right code.
    static func file(headerLines: String) throws -> [UInt8] {
        let text = Array("age-encryption.org/v1\n\(headerLines)---".utf8)
        let code = AgeHeader.base64(try fileKey().code(ofHeader: text))
        return try text + [0x20] + code + [0x0a] + payload([(Self.text, 0, true)])
    }

    /// A nonce, and pieces sealed with the number and mark that each of them is given.
    static func payload(_ pieces: [(text: [UInt8], number: UInt64, isLast: Bool)]) throws -> [UInt8] {
        let nonce = bytes(16, seed: 5)
        let key = try fileKey().payloadKey(nonce: nonce)
        return try nonce
            + pieces.flatMap { piece in
                let nonce = AgePayload.nonce(ofPiece: piece.number, isLast: piece.isLast)
                return try #require(AuthenticatedCipher.seal(piece.text[...], key: key, nonce: nonce))
            }
    }

    /// The file in armor.
    static func armored(_ file: [UInt8], lineEnd: String = "\n") -> [UInt8] {
        let text = Array(Base64.encode(file))
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(text[$0..<min($0 + 64, text.count)])
        }
        return Array(
            (["-----BEGIN AGE ENCRYPTED FILE-----"] + lines + ["-----END AGE ENCRYPTED FILE-----", ""])
                .joined(separator: lineEnd).utf8
        )
    }
}
