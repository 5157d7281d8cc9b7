import Testing

@testable import Sharing

/// Stanzas of the two known types that are not as their type wants them.
struct AgeStanzaTests {
    private static func isMalformed(_ error: AgeError?, _ type: String) -> Bool {
        guard case .malformedStanza(type, _) = error else { return false }
        return true
    }

    // MARK: - X25519

    private static func share() throws -> String { try HandmadeFile.stanza().arguments[0] }

    @Test func argumentsOfAKeysStanzaAreChecked() throws {
        let share = try Self.share()
        for arguments in [
            [], [share, share], [share, "1"], [share + "="], [String(share.dropLast())], [share + "A"],
            [String(share.dropLast(4))], [share + "AAAA"], [String(share.dropLast()) + "d"],
        ] {
            var stanza = try HandmadeFile.stanza()
            stanza.arguments = arguments
            let error = try #require(throws: AgeError.self) {
                try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
            }
            #expect(Self.isMalformed(error, "X25519"), "\(arguments): \(error)")
        }
    }

    @Test func bodyOfAKeysStanzaHasOneLength() throws {
        for change in [{ Array($0.dropLast()) }, { $0 + [0] }, { _ in [] }] as [([UInt8]) -> [UInt8]] {
            var stanza = try HandmadeFile.stanza()
            stanza.body = change(stanza.body)
            let error = try #require(throws: AgeError.self) {
                try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
            }
            #expect(Self.isMalformed(error, "X25519"), "\(error)")
        }
    }

    @Test func malformedStanzaIsRefusedAlsoBesideOneThatOpens() throws {
        let good = try HandmadeFile.stanza()
        var bad = good
        bad.body.append(0)
        for stanzas in [[good, bad], [bad, good]] {
            let error = try #require(throws: AgeError.self) {
                try HandmadeFile.decrypted(HandmadeFile.file(stanzas))
            }
            #expect(Self.isMalformed(error, "X25519"), "\(error)")
        }
    }

    @Test func stanzaThatDoesNotOpenIsForSomebodyElse() throws {
        var stanza = try HandmadeFile.stanza()
        stanza.body[3] ^= 1
        #expect(throws: AgeError.noMatch(types: ["X25519"], recipients: [HandmadeFile.recipientText])) {
            try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
        }
        stanza = try HandmadeFile.stanza()
        stanza.type = "x25519"
        #expect(throws: AgeError.noMatch(types: ["x25519"], recipients: [HandmadeFile.recipientText])) {
            try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
        }
    }

    /// With such a share every identity makes the same secret, all zero.
    @Test func shareOfSmallOrderIsRefused() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let point = [UInt8](repeating: 0, count: 32)
        let wrapping = try AgeFileKey.derive(
            zero,
            salt: point + HandmadeFile.identity().publicKey,
            info: "age-encryption.org/v1/X25519"
        )
        let stanza = AgeHeader.Stanza(
            type: "X25519",
            arguments: [String(decoding: AgeHeader.base64(point), as: UTF8.self)],
            body: try HandmadeFile.fileKey().wrapped(by: wrapping)
        )
        #expect(throws: AgeError.smallOrderShare) { try HandmadeFile.decrypted(HandmadeFile.file([stanza])) }
    }

    // MARK: - scrypt

    @Test func passphraseStandsAlone() throws {
        let passphrase = try HandmadeFile.passphraseStanza()
        #expect(try HandmadeFile.decrypted(HandmadeFile.file([passphrase])) == HandmadeFile.text)
        let key = try HandmadeFile.stanza()
        let unknown = AgeHeader.Stanza(type: "a", arguments: [], body: [])
        for stanzas in [
            [passphrase, key], [key, passphrase], [passphrase, passphrase], [passphrase, unknown],
        ] {
            #expect(throws: AgeError.passphraseBesideOthers) {
                try HandmadeFile.decrypted(HandmadeFile.file(stanzas))
            }
        }
    }

    @Test func passphraseIsNoIdentity() throws {
        let stanza = try HandmadeFile.passphraseStanza()
        let header = try AgeHeader(stanzas: [stanza], key: HandmadeFile.fileKey())
        #expect(header.wantsPassphrase)
        #expect(throws: AgeError.noMatch(types: ["scrypt"], recipients: [HandmadeFile.recipientText])) {
            try header.fileKey(identities: [HandmadeFile.identity()])
        }
        let other = try AgeHeader(stanzas: [HandmadeFile.stanza()], key: HandmadeFile.fileKey())
        #expect(throws: AgeError.noIdentity(types: ["X25519"])) {
            try other.fileKey(passphrase: "correct horse")
        }
    }

    @Test(arguments: ["0", "-4", "+4", "04", "0x4", "4e0", "4 ", "four", "４", "4.0", "\u{200b}4", ""])
    func workFactorIsInPlainDigits(text: String) throws {
        var stanza = try HandmadeFile.passphraseStanza()
        stanza.arguments[1] = text
        // As the decoder of the header hands it on; some of these it would not.
        #expect(throws: AgeError.self) { try AgeScrypt.fileKey(in: stanza, passphrase: "correct horse") }
        let error = #expect(throws: AgeError.self) {
            try AgeScrypt.fileKey(in: stanza, passphrase: "correct horse")
        }
        #expect(Self.isMalformed(error, "scrypt"))
    }

    @Test(arguments: [
        ("21", 21), ("22", 22), ("23", 23), ("63", 63), ("9999", 9999), ("18446744073709551620", 9999),
    ])
    func workFactorHasABound(text: String, logN: Int) throws {
        var stanza = try HandmadeFile.passphraseStanza()
        stanza.arguments[1] = text
        #expect(throws: AgeError.workFactorTooHigh(logN: logN)) {
            try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
        }
    }

    @Test func anotherWorkFactorIsAnotherKey() throws {
        var stanza = try HandmadeFile.passphraseStanza(logN: 4)
        stanza.arguments[1] = "5"
        #expect(throws: AgeError.wrongPassphrase) { try HandmadeFile.decrypted(HandmadeFile.file([stanza])) }
    }

    @Test func argumentsAndBodyOfAPassphrasesStanzaAreChecked() throws {
        let right = try HandmadeFile.passphraseStanza()
        let salt = right.arguments[0]
        var wrong: [AgeHeader.Stanza] = []
        for arguments in [
            [], [salt], ["4"], [salt, "4", "4"], [salt + "==", "4"], [String(salt.dropLast(2)), "4"],
            [salt + "AA", "4"], [String(salt.dropLast()) + "B", "4"],
        ] {
            wrong.append(AgeHeader.Stanza(type: "scrypt", arguments: arguments, body: right.body))
        }
        for body in [Array(right.body.dropLast()), right.body + [0], []] {
            wrong.append(AgeHeader.Stanza(type: "scrypt", arguments: right.arguments, body: body))
        }
        for stanza in wrong {
            let error = try #require(throws: AgeError.self) {
                try HandmadeFile.decrypted(HandmadeFile.file([stanza]))
            }
            #expect(Self.isMalformed(error, "scrypt"), "\(stanza.arguments): \(error)")
        }
    }

    /// A longer file key could be made to open with two passphrases.
    @Test func fileKeyHasOneLength() {
        for count in [0, 15, 17, 32] { #expect(AgeFileKey([UInt8](repeating: 1, count: count)) == nil) }
    }
}
