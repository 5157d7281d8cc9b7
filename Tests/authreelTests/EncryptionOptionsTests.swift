import ArgumentParser
import Foundation
import Sharing
import TestSupport
import Testing

@testable import authreel

/// `--encrypt-to`: who is meant, and what is written then.
struct EncryptionOptionsTests {
    private static let alice = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    private static let bob = Bech32.encode([9] + [UInt8](repeating: 0, count: 31), prefix: "age")
    private static let key = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

    private static func recipients(_ values: [String], typing answers: [String] = []) throws -> [AgeRecipient]
    {
        var answers = answers
        let options = try EncryptionOptions.parse(values.flatMap { ["--encrypt-to", $0] })
        return try options.recipients(
            prompt: PassphrasePrompt { _ in answers.isEmpty ? nil : answers.removeFirst() }
        )
    }

    @Test func nothingIsEncryptedUnlessItIsAskedFor() throws {
        let options = try EncryptionOptions.parse([])
        #expect(!options.isWanted)
        #expect(try options.recipients() == [])
        #expect(try EncryptionOptions.writer(to: [], into: { _ in }) == nil)
    }

    @Test func recipientsAreTakenOnceEach() throws {
        let both = try [AgeRecipient(Self.alice), AgeRecipient(Self.bob)]
        #expect(try Self.recipients([Self.alice, Self.bob, Self.alice]) == both)
    }

    @Test func recipientsOfAFileAreThoseOfItsLines() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("# team\n\(Self.alice)\n\n\(Self.bob)\n".utf8).write(to: URL(filePath: folder.file("team")))
        let both = try [AgeRecipient(Self.alice), AgeRecipient(Self.bob)]
        #expect(try Self.recipients([folder.file("team")]) == both)
        #expect(try Self.recipients([Self.bob, folder.file("team")]) == both.reversed())
        // Not what is in a file that is none: it may be a secret.
        try Data("# key\n\(Self.key)\n".utf8).write(to: URL(filePath: folder.file("key.txt")))
        let failure = try #require(throws: CommandFailure.self) {
            try Self.recipients([folder.file("key.txt")])
        }
        #expect(
            failure.status == .dataError && failure.message.contains("key.txt: line 2 is no age recipient")
        )
        #expect(!"\(failure)".contains(Self.key))
    }

    @Test func fileCannotStandInForARecipient() throws {
        let options = try EncryptionOptions.parse(["--encrypt-to", Self.alice])
        let found = try options.recipients(prompt: PassphrasePrompt { _ in nil }) { _ in Array(Self.bob.utf8)
        }
        #expect(found == [try AgeRecipient(Self.alice)])
    }

    @Test(arguments: [
        ("bob", "--encrypt-to bob: not an age recipient"), ("/nowhere/team", "does not begin with age1"),
        ("age1qq", "no key behind its beginning"), ("\u{1b}[2J", "\\u{1b}"),
    ])
    func whatIsNoRecipientIsWrongUsage(text: String, words: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try Self.recipients([text]) }
        #expect(failure.status == .usage && failure.message.contains(words), "\(failure.message)")
        #expect(failure.hint != nil)
    }

    @Test func identityGivenByMistakeIsNotRepeated() throws {
        for text in [Self.key, Self.key.lowercased()] {
            let failure = try #require(throws: CommandFailure.self) { try Self.recipients([text]) }
            #expect(failure.message.contains("secret half"))
            #expect(!"\(failure)".lowercased().contains(Self.key.lowercased()))
        }
    }

    @Test func passphraseIsTypedTwiceAndStandsAlone() throws {
        #expect(
            try Self.recipients(["passphrase"], typing: ["correct horse", "correct horse"]) == [
                .passphrase("correct horse")
            ]
        )
        #expect(throws: CommandFailure.self) { try Self.recipients(["passphrase"], typing: ["a", "b"]) }
        #expect(throws: CommandFailure.self) { try Self.recipients(["passphrase"]) }
        // Before anything is asked.
        let failure = try #require(throws: CommandFailure.self) {
            try Self.recipients([Self.alice, "passphrase"], typing: ["a"])
        }
        #expect(failure.message == "\(AgeError.passphraseBesideRecipients)")
    }

    @Test func whatIsWrittenOpensForTheRecipient() throws {
        final class File { var bytes: [UInt8] = [] }
        let file = File()
        let recipients = try Self.recipients([Self.bob, Self.alice])
        let writer = try #require(try EncryptionOptions.writer(to: recipients) { file.bytes += $0 })
        try writer.write(Array("{\"log\":".utf8)[...])
        try writer.write(Array("{}}".utf8)[...])
        try writer.finish()
        #expect(AgeFile.isBegun(by: file.bytes))
        var decryptor = AgeDecryptor { try $0.fileKey(identities: [AgeIdentity(Self.key)]) }
        var text: [UInt8] = []
        try decryptor.push(file.bytes[...], into: &text)
        try decryptor.finish(into: &text)
        #expect(text == Array("{\"log\":{}}".utf8))
    }

    @Test func recipientThatIsNoKeyIsFoundWhenWritingBegins() throws {
        let zero = Bech32.encode([UInt8](repeating: 0, count: 32), prefix: "age")
        let failure = try #require(throws: CommandFailure.self) {
            try EncryptionOptions.writer(to: Self.recipients([zero])) { _ in }
        }
        #expect(failure.message == "\(AgeError.smallOrderShare)")
    }
}
