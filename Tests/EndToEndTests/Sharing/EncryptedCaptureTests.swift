import Foundation
import JSON
import Sharing
import TestSupport
import Testing

/// Captures that are encrypted, read by every command that reads captures.
@Suite(.timeLimit(.minutes(5)))
struct EncryptedCaptureTests {
    private static func capture(_ name: String) -> String { Fixtures.root.appending(path: name).path }
    private static let healthy = capture("captures/healthy/web-code-flow.har")
    private static let broken = capture("captures/token-request/pkce-verifier-mismatch.har")

    /// A folder with a key, another one, and encrypted captures.
    private struct Place {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            for (name, byte) in [("key", UInt8(1)), ("other", 2)] {
                try write("# key\n\(Self.key(byte))\n", name)
            }
            try encrypt(EncryptedCaptureTests.healthy, to: [Self.recipient(1)], "healthy.age")
            try encrypt(
                EncryptedCaptureTests.broken,
                to: [Self.recipient(2), Self.recipient(1)],
                "broken.age"
            )
            try encrypt(
                EncryptedCaptureTests.healthy,
                to: [.passphrase("correct horse", logN: 10)],
                "words.age"
            )
            try FileManager.default.createDirectory(
                atPath: folder.file("tmp"),
                withIntermediateDirectories: false
            )
        }

        static func key(_ byte: UInt8) -> String {
            Bech32.encode([UInt8](repeating: byte, count: 32), prefix: "age-secret-key-").uppercased()
        }

        static func recipient(_ byte: UInt8) throws -> AgeRecipient { try AgeIdentity(key(byte)).recipient }

        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
        }

        func encrypt(_ path: String, to recipients: [AgeRecipient], _ name: String) throws {
            var file: [UInt8] = []
            var random = SystemRandomNumberGenerator()
            var encryptor = try AgeEncryptor(to: recipients) { count in
                (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            try encryptor.push(Array(Data(contentsOf: URL(filePath: path)))[...], into: &file)
            try encryptor.finish(into: &file)
            try Data(file).write(to: URL(filePath: folder.file(name)))
        }

        func run(
            _ arguments: [String],
            input: [UInt8] = [],
            identity: String? = nil
        ) throws -> Program.Result {
            let environment = [
                "TMPDIR": folder.file("tmp"), "AUTHREEL_IDENTITY": identity.map(folder.file) ?? "",
            ]
            // Away from the terminal of whoever runs the tests: nobody shall be asked.
            return try Program.run(
                ["--wait", Program.path] + arguments,
                executable: "/usr/bin/setsid",
                input: input,
                environment: environment,
                in: folder.path
            )
        }
    }

    @Test func everyCommandReadsWhatTheIdentityOpens() throws {
        let place = try Place()
        defer { place.folder.remove() }
        for (arguments, plain) in [
            (["show", "-i", "key", "broken.age"], ["show", Self.broken]),
            (
                ["show", "--format", "json", "--identity", "other", "-i", "key", "broken.age"],
                ["show", "--format", "json", Self.broken]
            ),
            (["diagnose", "-i", "key", "broken.age"], ["diagnose", Self.broken]),
            (["diff", "-i", "key", "healthy.age", "broken.age"], ["diff", Self.healthy, Self.broken]),
            (["diff", "-i", "key", "healthy.age#flow-1", Self.broken], ["diff", Self.healthy, Self.broken]),
            (["replay", "--plan", "-i", "key", "healthy.age"], ["replay", "--plan", Self.healthy]),
        ] {
            let encrypted = try place.run(arguments)
            let expected = try place.run(plain)
            #expect(encrypted.status == expected.status, "\(arguments): \(encrypted.errors)")
            // The names of the captures are all that is different, and where lines break for their lengths.
            let names = ["healthy.age": Self.healthy, "broken.age": Self.broken]
            let output = names.reduce(encrypted.output) { $0.replacing($1.key, with: $1.value) }
            let words = [output, expected.output].map { $0.split { $0.isWhitespace } }
            #expect(words[0] == words[1] && !words[0].isEmpty, "\(arguments)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.file("tmp"))
        #expect(left.isEmpty, "nothing is written to a disk")
    }

    @Test func mockPlaysWhatTheIdentityOpens() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let mock = try MockProcess(
            [place.folder.file("healthy.age"), "--identity", place.folder.file("key")],
            in: place.folder
        )
        #expect(mock.ready["recorded"] == "https://id.harbour.example", "\(mock.messages)")
        #expect(mock.end() == 0)
    }

    @Test func identityMayComeFromTheEnvironmentAndTheCaptureFromAPipe() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let expected = try place.run(["show", Self.broken]).output
        #expect(try place.run(["show", "broken.age"], identity: "key").output == expected)
        let file = try Array(Data(contentsOf: URL(filePath: place.folder.file("broken.age"))))
        #expect(try place.run(["show", "-i", "key", "-"], input: file).output == expected)
        // Of a shell's pipe, as a password manager would fill it.
        let piped = try Program.run(
            ["-c", "cat broken.age | \(Program.path) show -i <(cat key) -"],
            executable: "/bin/bash",
            in: place.folder.path
        )
        #expect(piped.output == expected, "\(piped.errors)")
        // A plain capture asks for no identity; one that an option names is there all the same.
        #expect(try place.run(["show", Self.broken], identity: "missing").output == expected)
        #expect(try place.run(["show", "-i", "key", Self.broken]).output == expected)
        #expect(try place.run(["show", "-i", "missing", Self.broken]).status == 66)
    }

    @Test(
        arguments: [
            (["show", "healthy.age"], 64, "no identity is given", "--identity FILE"),
            (["show", "-i", "other", "healthy.age"], 65, "the identity does not open it", "for you, age1"),
            (["show", "-i", "missing", "healthy.age"], 66, "missing: no such file", "error: "),
            (["show", "-i", "cut.age", "healthy.age"], 65, "cut.age: cut off", "once more"),
            (["show", "-i", "-", "healthy.age"], 64, "takes a file", "Usage: authreel show"),
            (["show", "words.age"], 64, "no terminal", "--identity FILE"),
            (["show", "-i", "key", "cut.age"], 65, "cut.age: cut off in age's header", "once more"),
            (["show", "-i", "key", "torn.age"], 65, "does not open", "once more"),
            (["show", "-i", "key", "text.age"], 65, "text.age: this looks like plain text", "HAR"),
        ] as [([String], Int32, String, String)]
    )
    func whatDoesNotOpenIsSaidWithWhatToDo(arguments: [String], status: Int32, words: String, hint: String)
        throws
    {
        let place = try Place()
        defer { place.folder.remove() }
        let file = try Data(contentsOf: URL(filePath: place.folder.file("healthy.age")))
        try file.prefix(60).write(to: URL(filePath: place.folder.file("cut.age")))
        try file.dropLast(60).write(to: URL(filePath: place.folder.file("torn.age")))
        try place.write("no capture", "text")
        try place.encrypt(place.folder.file("text"), to: [Place.recipient(1)], "text.age")
        let result = try place.run(arguments)
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(words) && result.errors.contains(hint), "\(result.errors)")
    }

    @Test func oneThatDoesNotOpenDoesNotStopTheOthers() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let result = try place.run(["diagnose", "-i", "other", "healthy.age", "broken.age", Self.healthy])
        #expect(result.status == 65)
        #expect(result.errors.contains("healthy.age: encrypted for X25519"))
        #expect(result.output.contains("3 captures"), "\(result.output)")
        #expect(result.output.contains(/healthy\.age +not read/), "\(result.output)")
        #expect(result.output.hasSuffix("1 broken, 1 not read\n"), "\(result.output)")
    }

    @Test func tornCaptureIsReadAsFarAsItIsWhole() throws {
        let place = try Place()
        defer { place.folder.remove() }
        let text = try Data(contentsOf: URL(filePath: Self.healthy))
        try text.dropLast(900).write(to: URL(filePath: place.folder.file("torn.har")))
        try place.encrypt(place.folder.file("torn.har"), to: [Place.recipient(1)], "torn.age")
        let plain = try place.run(["show", "torn.har"])
        let encrypted = try place.run(["show", "-i", "key", "torn.age"])
        #expect(plain.errors.contains("cut off"))
        #expect(encrypted.output == plain.output)
        #expect(encrypted.errors == plain.errors.replacing("torn.har", with: "torn.age"))
    }
}
