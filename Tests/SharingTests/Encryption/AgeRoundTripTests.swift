import Foundation
import TestSupport
import Testing

@testable import Sharing

/// What is encrypted is decrypted again; also what `age` wrote.
struct AgeRoundTripTests {
    /// Around the size of a piece, where a file's end is easily got wrong.
    static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]

    @Test(arguments: sizes) func textComesBack(size: Int) throws {
        let text = HandmadeFile.bytes(size)
        let recipient = try AgeRecipient(HandmadeFile.recipientText)
        let file = try HandmadeFile.encrypted(text, to: [recipient])
        // The specification fixes the size: header, nonce, and 16 bytes for each piece, of which there is one at least.
        let pieces = max(1, (size + 65_535) / 65_536)
        let header = 22 + 54 + 44 + 48
        #expect(file.count == header + 16 + size + 16 * pieces)
        #expect(try HandmadeFile.decrypted(file) == text)
        #expect(try HandmadeFile.decrypted(HandmadeFile.armored(file)) == text)
    }

    @Test(arguments: [1, 7, 4096, 65_536, 65_552, 65_553, 1 << 20])
    func textComesBackInPiecesOfAnySize(piece: Int) throws {
        for size in piece < 100 ? [0, 1, 65_537] : [0, 1, 65_536, 65_537, 150_000] {
            let text = HandmadeFile.bytes(size)
            var random = SeededGenerator(seed: 8)
            var encryptor = try AgeEncryptor(to: [HandmadeFile.identity().recipient]) { count in
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            var file: [UInt8] = []
            for start in stride(from: 0, to: size, by: piece) {
                try encryptor.push(text[start..<min(size, start + piece)], into: &file)
            }
            try encryptor.finish(into: &file)
            #expect(
                file == (try HandmadeFile.encrypted(text, to: [HandmadeFile.identity().recipient], seed: 8))
            )
            #expect(try HandmadeFile.decrypted(file, piece: piece) == text)
            #expect(try HandmadeFile.decrypted(HandmadeFile.armored(file), piece: piece) == text)
        }
    }

    @Test func smallFileComesBackHoweverItIsSplit() throws {
        let file = try HandmadeFile.encrypted(HandmadeFile.text, to: [HandmadeFile.identity().recipient])
        for whole in [file, HandmadeFile.armored(file), HandmadeFile.armored(file, lineEnd: "\r\n")] {
            for cut in 0...whole.count {
                var decryptor = AgeDecryptor { try $0.fileKey(identities: [HandmadeFile.identity()]) }
                var text: [UInt8] = []
                try decryptor.push(whole[..<cut], into: &text)
                try decryptor.push(whole[cut...], into: &text)
                try decryptor.finish(into: &text)
                #expect(text == HandmadeFile.text)
            }
        }
    }

    @Test func everyRecipientOpensIt() throws {
        let identities = try [HandmadeFile.identity(), HandmadeFile.otherIdentity()]
        let file = try HandmadeFile.encrypted(HandmadeFile.text, to: identities.map(\.recipient))
        for identity in identities {
            #expect(try HandmadeFile.decrypted(file, by: [identity]) == HandmadeFile.text)
        }
        // One that fits among others is found.
        let one = try HandmadeFile.encrypted(HandmadeFile.text, to: [identities[1].recipient])
        #expect(try HandmadeFile.decrypted(one, by: identities) == HandmadeFile.text)
        #expect(throws: AgeError.noMatch(types: ["X25519"], recipients: [HandmadeFile.recipientText])) {
            try HandmadeFile.decrypted(one, by: [identities[0]])
        }
        #expect(throws: AgeError.noIdentity(types: ["X25519"])) { try HandmadeFile.decrypted(one, by: []) }
    }

    @Test func passphraseOpensIt() throws {
        let file = try HandmadeFile.encrypted(HandmadeFile.text, to: [.passphrase("Grüße, 世界", logN: 6)])
        #expect(try HandmadeFile.decrypted(file, passphrase: "Grüße, 世界") == HandmadeFile.text)
        for wrong in ["Grüße, 世界 ", "grüße, 世界", "Gru\u{308}ße, 世界"] {
            #expect(throws: AgeError.wrongPassphrase) { try HandmadeFile.decrypted(file, passphrase: wrong) }
        }
        #expect(throws: AgeError.emptyPassphrase) { try HandmadeFile.decrypted(file, passphrase: "") }
    }

    @Test func whatIsRandomIsMadeAnewEachTime() throws {
        let recipient = try HandmadeFile.identity().recipient
        let first = try HandmadeFile.encrypted(HandmadeFile.text, to: [recipient, recipient], seed: 1)
        let second = try HandmadeFile.encrypted(HandmadeFile.text, to: [recipient, recipient], seed: 2)
        let lines = (first + second).split(separator: 0x0a).filter {
            $0.starts(with: Array("-> X25519 ".utf8))
        }
        #expect(lines.count == 4 && Set(lines.map(Array.init)).count == 4)
        #expect(first.suffix(40) != second.suffix(40))
    }

    @Test func recipientsThatCannotBeAreRefused() throws {
        let recipient = try HandmadeFile.identity().recipient
        #expect(throws: AgeError.noRecipients) { try HandmadeFile.encrypted([], to: []) }
        #expect(throws: AgeError.passphraseBesideRecipients) {
            try HandmadeFile.encrypted([], to: [recipient, .passphrase("x", logN: 2)])
        }
        #expect(throws: AgeError.passphraseBesideRecipients) {
            try HandmadeFile.encrypted([], to: [.passphrase("x", logN: 2), .passphrase("y", logN: 2)])
        }
        #expect(throws: AgeError.emptyPassphrase) {
            try HandmadeFile.encrypted([], to: [.passphrase("", logN: 2)])
        }
        #expect(throws: AgeError.tooManyRecipients) {
            try HandmadeFile.encrypted([], to: [AgeRecipient](repeating: recipient, count: 1025))
        }
        // A point of small order: anybody could open what is encrypted for it.
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(throws: AgeError.smallOrderShare) {
                try HandmadeFile.encrypted([], to: [AgeRecipient(Bech32.encode(point, prefix: "age"))])
            }
        }
    }

    @Test func asManyRecipientsAsAreWrittenAreRead() throws {
        let other = try HandmadeFile.otherIdentity().recipient
        let recipients =
            [AgeRecipient](repeating: other, count: 1023) + [try HandmadeFile.identity().recipient]
        let file = try HandmadeFile.encrypted(HandmadeFile.text, to: recipients)
        #expect(try HandmadeFile.decrypted(file) == HandmadeFile.text)
    }

    // MARK: - What age wrote

    /// Files of age 1.1.1: one recipient; three of them in armor, among them an SSH key; a passphrase.
    @Test(arguments: ["x25519", "several-armored", "passphrase"]) func filesOfAgeAreOpened(name: String)
        throws
    {
        let file = try Fixtures.bytes("Tests/Vectors/age/\(name).age")
        #expect(AgeFile.isBegun(by: Array(file.prefix(AgeFile.recognizedBytes))))
        #expect(
            try HandmadeFile.decrypted(file, passphrase: "correct horse battery staple") == HandmadeFile.text
        )
    }

    @Test func recipientsThatCannotBeOpenedHereAreNamed() throws {
        let file = try Fixtures.bytes("Tests/Vectors/age/several-armored.age")
        let other = try #require(HandmadeFile.otherIdentity().recipient.text)
        #expect(throws: AgeError.noMatch(types: ["X25519", "ssh-ed25519"], recipients: [other])) {
            try HandmadeFile.decrypted(file, by: [HandmadeFile.otherIdentity()])
        }
    }

    @Test(arguments: [
        ("age-encryption.org/v1\n", true), ("age-encryption.org/v9\n", true), ("age-encryption.org/", true),
        ("-----BEGIN AGE ENCRYPTED FILE-----\n", true), (" \r\n\t-----BEGIN AGE ENCRYPTED FILE-----\n", true),
        ("", false), ("{\"log\":{", false), (" {", false), ("age-encryption.or", false),
        (" age-encryption.org/v1\n", false), ("-----BEGIN CERTIFICATE-----\n", false),
        ("\u{feff}{\"log\"", false),
    ])
    func fileIsRecognizedByItsFirstBytes(text: String, isEncrypted: Bool) {
        #expect(AgeFile.isBegun(by: Array(text.utf8)) == isEncrypted)
    }
}
