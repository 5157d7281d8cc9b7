import ArgumentParser
import Foundation
import Sharing
import TestSupport
import Testing

@testable import authreel

/// `age` opens what is encrypted here, and what `age` encrypted is opened here.
@Suite(.enabled(if: AgeProgram.isAvailable), .timeLimit(.minutes(5)))
struct AgeProgramTests {
    private static let capture = Fixtures.root.appending(
        path: "captures/token-request/pkce-verifier-mismatch.har"
    ).path

    /// A folder with a key that age-keygen made.
    private struct Place {
        let folder: TemporaryFolder
        let key: String
        let recipient: String

        init() throws {
            try #require(AgeProgram.missing == nil)
            folder = try TemporaryFolder()
            key = folder.file("key.txt")
            try #require(AgeProgram.run(["-o", key], name: "age-keygen").status == 0)
            recipient = try AgeProgram.run(["-y", key], name: "age-keygen").output
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Writes as `--encrypt-to` does.
        func encrypt(_ text: [UInt8], to values: [String], prompt: PassphrasePrompt, _ name: String) throws
            -> String
        {
            let path = folder.file(name)
            _ = FileManager.default.createFile(atPath: path, contents: nil)
            let file = try #require(FileHandle(forWritingAtPath: path))
            defer { try? file.close() }
            let options = try EncryptionOptions.parse(values.flatMap { ["--encrypt-to", $0] })
            let writer = try #require(
                try EncryptionOptions.writer(to: options.recipients(prompt: prompt)) {
                    try file.write(contentsOf: Data($0))
                }
            )
            for start in stride(from: 0, to: text.count, by: 40_000) {
                try writer.write(text[start..<min(text.count, start + 40_000)])
            }
            try writer.finish()
            return path
        }
    }

    private static var nobody: PassphrasePrompt { PassphrasePrompt { _ in nil } }

    // MARK: - What age wrote

    @Test(arguments: [["-r"], ["-a", "-r"]]) func captureThatAgeEncryptedIsShown(options: [String]) throws {
        let place = try Place()
        defer { place.folder.remove() }
        let file = place.folder.file("login.har.age")
        let written = try AgeProgram.run(options + [place.recipient, "-o", file, Self.capture])
        try #require(written.status == 0, "\(written.errors)")
        let shown = try Program.run(["show", "--identity", place.key, file])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output == (try Program.run(["show", Self.capture]).output))
    }

    @Test func captureThatAgeEncryptedForSeveralIsShown() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let other = place.folder.file("other.txt")
        try #require(AgeProgram.run(["-o", other], name: "age-keygen").status == 0)
        let file = place.folder.file("login.har.age")
        let recipients = Data("# team\n\(place.recipient)\n".utf8)
        try recipients.write(to: URL(filePath: place.folder.file("team")))
        let written = try AgeProgram.run([
            "-i", other, "-e", "-R", place.folder.file("team"), "-o", file, Self.capture,
        ])
        try #require(written.status == 0, "\(written.errors)")
        for key in [place.key, other] {
            #expect(try Program.run(["show", "--identity", key, file]).status == 0)
        }
    }

    @Test func captureThatAgeEncryptedWithAPassphraseIsShownOnATerminal() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let file = place.folder.file("login.har.age")
        let written = try AgeProgram.onTerminal(
            ["age", "-p", "-o", file, Self.capture],
            type: [("Enter passphrase", "correct horse"), ("Confirm passphrase", "correct horse")]
        )
        try #require(written.status == 0, "\(written.text)")
        let shown = try AgeProgram.onTerminal(
            [Program.path, "show", file],
            type: [("Passphrase of .*login.har.age: ", "correct horse")]
        )
        #expect(shown.status == 0 && shown.text.contains("shop-web"), "\(shown.text)")
        #expect(!shown.text.contains("correct horse"), "what is typed is not seen")
        let piped = try AgeProgram.onTerminal(
            ["/bin/sh", "-c", "cat '\(file)' | '\(Program.path)' show -"],
            type: [("Passphrase of standard input: ", "correct horse")]
        )
        #expect(piped.status == 0 && piped.text.contains("shop-web"), "\(piped.text)")
        let wrong = try AgeProgram.onTerminal(
            [Program.path, "show", file],
            type: [("Passphrase of .*login.har.age: ", "incorrect horse")]
        )
        #expect(wrong.status == 65 && wrong.text.contains("not the passphrase"), "\(wrong.text)")
    }

    // MARK: - What is written here

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000, 3_000_000])
    func ageOpensWhatIsEncryptedForAKey(size: Int) throws {
        let place = try Place()
        defer { place.folder.remove() }
        var generator = SeededGenerator(seed: 3)
        let text = generator.hostileBytes(size, among: Array("{}\"\n".utf8))
        let file = try place.encrypt(text, to: [place.recipient], prompt: Self.nobody, "login.har.age")
        let opened = try AgeProgram.run(["-d", "-i", place.key, "-o", place.folder.file("opened"), file])
        try #require(opened.status == 0, "\(opened.errors)")
        // age makes no file where nothing is to be written.
        let found = try? Data(contentsOf: URL(filePath: place.folder.file("opened")))
        #expect(Array(found ?? Data()) == text)
    }

    @Test func ageOpensWhatIsEncryptedForSeveralAndShowDoesToo() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let other = place.folder.file("other.txt")
        try #require(AgeProgram.run(["-o", other], name: "age-keygen").status == 0)
        // A file of recipients, as age-keygen writes it for an identity file.
        let team = place.folder.file("team")
        try #require(AgeProgram.run(["-y", "-o", team, other], name: "age-keygen").status == 0)
        let text = try Array(Data(contentsOf: URL(filePath: Self.capture)))
        let file = try place.encrypt(text, to: [place.recipient, team], prompt: Self.nobody, "login.har.age")
        let expected = try Program.run(["show", Self.capture]).output
        for key in [place.key, other] {
            let opened = try AgeProgram.run(["-d", "-i", key, file])
            #expect(opened.status == 0 && Array(opened.output.utf8) == text, "\(opened.errors)")
            #expect(try Program.run(["show", "--identity", key, file]).output == expected)
        }
    }

    @Test func ageOpensWhatIsEncryptedWithAPassphrase() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let text = try Array(Data(contentsOf: URL(filePath: Self.capture)))
        let prompt = PassphrasePrompt { _ in "correct horse" }
        let file = try place.encrypt(text, to: ["passphrase"], prompt: prompt, "login.har.age")
        let out = place.folder.file("opened")
        let opened = try AgeProgram.onTerminal(
            ["age", "-d", "-o", out, file],
            type: [("Enter passphrase", "correct horse")]
        )
        try #require(opened.status == 0, "\(opened.text)")
        #expect(Array(try Data(contentsOf: URL(filePath: out))) == text)
    }
}
