import Foundation
import Testing

@testable import Sharing

/// Recipients, identities, and the files that hold them.
struct AgeKeysTests {
    @Test func identityAndRecipientOfTheSpecificationBelongTogether() throws {
        let identity = try HandmadeFile.identity()
        #expect(identity.secret == [UInt8](repeating: 0x42, count: 32))
        #expect(identity.recipient == (try AgeRecipient(HandmadeFile.recipientText)))
        #expect(identity.recipient.text == HandmadeFile.recipientText)
        #expect(AgeRecipient.passphrase("x").text == nil)
    }

    @Test(arguments: [
        ("", "does not begin with age1"), ("bob", "does not begin with age1"),
        ("AGE1ZVKYG2LQZRAA2LNJVQEJ32NKUU0UES2S82HZRYE869XEEXVN73EQUNUJWJ", "does not begin with age1"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW", "is an SSH key"),
        (HandmadeFile.key, "is an identity, the secret half"),
        (HandmadeFile.key.lowercased(), "is an identity, the secret half"),
        (
            "age1yubikey1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqvraeck",
            "another kind (age1yubikey1…)"
        ),
        ("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwk", "wrong checksum"),
        ("age1Zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj", "capital and small"),
        ("age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqar9jk6", "has 31 bytes, not 32"),
        ("age1", "no key behind its beginning"),
    ])
    func whatIsNoRecipientIsToldWithoutItsText(text: String, words: String) throws {
        let error = try #require(throws: AgeError.self) { try AgeRecipient(text) }
        #expect("\(error)".contains(words), "\(error)")
        #expect(!"\(error) \(error.hint)".contains(HandmadeFile.key))
    }

    @Test(arguments: [
        ("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj", "is a recipient, the public half"),
        (HandmadeFile.key.lowercased(), "does not begin with AGE-SECRET-KEY-1"),
        (String(HandmadeFile.key.dropLast()) + "Q", "wrong checksum"),
        (String(HandmadeFile.key.dropLast(3)), "wrong checksum"),
        ("", "does not begin with AGE-SECRET-KEY-1"),
    ])
    func whatIsNoIdentityIsToldWithoutItsText(text: String, words: String) throws {
        let error = try #require(throws: AgeError.self) { try AgeIdentity(text) }
        #expect("\(error)".contains(words), "\(error)")
        #expect(text.isEmpty || !"\(error) \(error.hint)".contains(text.dropFirst(20)))
    }

    // MARK: - Files of them

    @Test func identitiesAreTakenFromAFileWithComments() throws {
        let file = """
            # created: 2026-01-01T00:00:00Z
            # public key: \(HandmadeFile.recipientText)
            \(HandmadeFile.key)

              # another
            \t\(try Self.otherKey())  \r
            """
        #expect(try AgeIdentity.all(in: file) == [HandmadeFile.identity(), HandmadeFile.otherIdentity()])
    }

    @Test func identitiesThatOnlyAgeCanUseArePassedOverBesideOthers() throws {
        let others = "AGE-PLUGIN-YUBIKEY-1QQQQQQQQQQQQQ\nAGE-SECRET-KEY-PQ-1XX76JRALNLXDMEW0CRK45QMCC\n"
        #expect(try AgeIdentity.all(in: others + HandmadeFile.key) == [HandmadeFile.identity()])
        #expect(throws: AgeError.noUsableIdentity(found: ["a plugin's identity", "a post-quantum identity"]))
        {
            try AgeIdentity.all(in: others + others)
        }
        #expect(throws: AgeError.noUsableIdentity(found: ["an SSH key or another PEM file"])) {
            try AgeIdentity.all(in: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAA\n")
        }
    }

    @Test func lineThatIsNoIdentityIsNamedByItsNumber() {
        #expect(throws: AgeError.notAnIdentity(line: 3, reason: "does not begin with AGE-SECRET-KEY-1")) {
            try AgeIdentity.all(in: "# key\n\(HandmadeFile.key)\nhunter2\n")
        }
        #expect(throws: AgeError.noUsableIdentity(found: [])) { try AgeIdentity.all(in: "# nothing\n\n") }
    }

    @Test func recipientsAreTakenFromAFileWithComments() throws {
        let other = try #require(HandmadeFile.otherIdentity().recipient.text)
        let file = "# team\r\n\(HandmadeFile.recipientText)\r\n\r\n \(other)\r\n"
        #expect(
            try AgeRecipient.all(in: file) == [
                HandmadeFile.identity().recipient, HandmadeFile.otherIdentity().recipient,
            ]
        )
        #expect(throws: AgeError.noRecipients) { try AgeRecipient.all(in: "# nobody\n") }
        #expect(throws: AgeError.notARecipient(line: 2, reason: "does not begin with age1")) {
            try AgeRecipient.all(in: "\(other)\nbob@example.com\n")
        }
    }

    private static func otherKey() throws -> String {
        try Bech32.encode(HandmadeFile.otherIdentity().secret, prefix: "age-secret-key-").uppercased()
    }
}
