import ArgumentParser
import Captures
import Foundation
import Sharing
import TestSupport
import Testing

@testable import authreel

/// Where identities come from.
struct IdentityOptionsTests {
    private static let alice = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let bob = Bech32.encode([UInt8](repeating: 7, count: 32), prefix: "age-secret-key-")
        .uppercased()
    private static var nobody: PassphrasePrompt { PassphrasePrompt { _ in nil } }

    private struct Place {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            for (name, key) in [("alice", IdentityOptionsTests.alice), ("bob", IdentityOptionsTests.bob)] {
                try Data("# key\n\(key)\n".utf8).write(to: URL(filePath: folder.file(name)))
            }
        }

        func identities(
            _ names: [String],
            _ environment: [String: String] = [:],
            prompt: PassphrasePrompt = nobody
        ) throws -> [AgeIdentity] {
            try IdentityOptions.parse(names.flatMap { ["-i", folder.file($0)] })
                .identities(environment: environment, prompt: prompt)
        }
    }

    @Test func identitiesComeFromOptionsFirstAndTheEnvironmentThen() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let (alice, bob) = try (AgeIdentity(Self.alice), AgeIdentity(Self.bob))
        #expect(try place.identities(["alice", "bob"]) == [alice, bob])
        #expect(
            try place.identities(["bob"], ["AUTHREEL_IDENTITY": place.folder.file("alice")]) == [bob, alice]
        )
        #expect(try place.identities([], ["AUTHREEL_IDENTITY": place.folder.file("alice")]) == [alice])
        #expect(try place.identities([], ["AUTHREEL_IDENTITY": ""]) == [])
    }

    @Test func standardInputIsNoIdentity() {
        #expect(throws: (any Error).self) { try IdentityOptions.parse(["--identity", "-"]) }
    }

    @Test func fileThatIsMissingOrNoneIsNamed() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let missing = try #require(throws: CommandFailure.self) { try place.identities(["carol"]) }
        #expect(missing.status == .noInput && missing.message.contains("carol: no such file"))
        let variable = try #require(throws: CommandFailure.self) {
            try place.identities(["alice"], ["AUTHREEL_IDENTITY": "/nowhere/key"])
        }
        #expect(
            variable.status == .noInput && variable.message == "AUTHREEL_IDENTITY: /nowhere/key: no such file"
        )
        try Data("hunter2\n".utf8).write(to: URL(filePath: place.folder.file("words")))
        let wrong = try #require(throws: CommandFailure.self) { try place.identities(["words"]) }
        #expect(wrong.status == .dataError && wrong.message.contains("words: line 1 is no age identity"))
        #expect(!"\(wrong)".contains("hunter2"))
    }

    /// A mistyped name is told at once, and not when the first capture comes that is encrypted.
    @Test func fileThatIsMissingIsNamedForAPlainCaptureToo() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let capture = Fixtures.root.appending(path: "captures/healthy/logout.har").path
        let options = try IdentityOptions.parse(["-i", place.folder.file("alice")])
        #expect(try options.read(capture).count > 0)
        let other = try IdentityOptions.parse(["-i", place.folder.file("carol")])
        let missing = try #require(throws: CommandFailure.self) { try other.read(capture) }
        #expect(missing.status == .noInput && missing.message.contains("carol: no such file"))
        #expect(missing.hint == IdentityFile.use)
    }

    @Test func identityFileMayHaveAPassphraseOfItsOwn() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let path = place.folder.file("locked")
        try Self.encrypt("# key\n\(Self.alice)\n", to: .passphrase("correct horse", logN: 4), path)
        let prompt = PassphrasePrompt { question in question.contains(path) ? "correct horse" : nil }
        #expect(try place.identities(["locked"], prompt: prompt) == [AgeIdentity(Self.alice)])
        let wrong = try #require(throws: CommandFailure.self) {
            try place.identities(["locked"], prompt: PassphrasePrompt { _ in "wrong" })
        }
        #expect(wrong.message == "\(path): \(AgeError.wrongPassphrase)")
        try Self.encrypt(Self.alice, to: AgeIdentity(Self.bob).recipient, path)
        let closed = try #require(throws: CommandFailure.self) {
            try place.identities(["locked"], prompt: prompt)
        }
        #expect(
            closed.message.contains("itself encrypted for a key") && closed.hint?.contains("age -d") == true
        )
    }

    private static func encrypt(_ text: String, to recipient: AgeRecipient, _ path: String) throws {
        var file: [UInt8] = []
        var encryptor = try AgeEncryptor(to: [recipient]) { [UInt8](repeating: 1, count: $0) }
        try encryptor.push(Array(text.utf8)[...], into: &file)
        try encryptor.finish(into: &file)
        try Data(file).write(to: URL(filePath: path))
    }
}
