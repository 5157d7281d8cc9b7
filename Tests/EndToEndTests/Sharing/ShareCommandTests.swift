import Foundation
import TestSupport
import Testing

/// `authreel share` as a user runs it.
@Suite(.timeLimit(.minutes(3)))
struct ShareCommandTests {
    private static let capture = Fixtures.root.appending(
        path: "captures/token-request/pkce-verifier-mismatch.har"
    ).path

    @Test func sharedCaptureIsPrivateMarkedAndDiagnosedAlike() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("shared.har")
        let result = try Program.run([
            "share", Self.capture, "--out", out, "--report", folder.file("report.md"),
        ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("no secret is left, and the diagnosis is the same"))
        let mode = try FileManager.default.attributesOfItem(atPath: out)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let report = try String(contentsOfFile: folder.file("report.md"), encoding: .utf8)
        #expect(report.contains("| code verifier | 1 |"))
        // Whose folder it stood in, and what it was called there, is not told.
        #expect(
            report.hasPrefix("## Redaction of `shared.har`") && !report.contains("pkce-verifier-mismatch.har")
        )
        let rule = "pkce-verifier-mismatch"
        let diagnosed = try Program.run(["diagnose", "--format", "json", out])
        #expect(diagnosed.status == 1 && diagnosed.output.contains("\"\(rule)\""))
        #expect(diagnosed.errors.contains("is redacted (authreel"))
    }

    @Test func nothingIsOverwrittenAndATrialWritesNothing() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("shared.har")
        let trial = try Program.run([
            "share", Self.capture, "--dry-run", "--report", folder.file("report.md"),
        ])
        #expect(trial.status == 0 && trial.output.contains("code verifier"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try Data("mine".utf8).write(to: URL(filePath: out))
        let result = try Program.run(["share", Self.capture, "--out", out])
        #expect(result.status == 66 && result.errors.contains("is not overwritten"))
        #expect(try String(contentsOfFile: out, encoding: .utf8) == "mine")
    }

    @Test func folderThatIsNotThereIsSaidWithWhatHelps() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for arguments in [["share"], ["show", "--format", "html"]] {
            let out = folder.file("missing/out")
            let result = try Program.run(arguments + ["--out", out, Self.capture])
            #expect(result.status == 66, "\(result.errors)")
            #expect(result.errors.contains("hint: name a file in a folder that is there"), "\(result.errors)")
        }
    }

    /// Nobody is left with a capture whose report was refused.
    @Test func reportThatExistsStopsAllBeforeAnythingIsWritten() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let report = folder.file("report.md")
        try Data("mine".utf8).write(to: URL(filePath: report))
        let result = try Program.run([
            "share", Self.capture, "--out", folder.file("shared.har"), "--report", report,
        ])
        #expect(result.status == 66 && result.errors.contains("is not overwritten"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report.md"])
        #expect(try String(contentsOfFile: report, encoding: .utf8) == "mine")
    }

    @Test func reportAndCaptureAreTwoFiles() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("shared.har")
        let result = try Program.run([
            "share", Self.capture, "--out", out, "--report", folder.path + "/./shared.har",
        ])
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("is where the shared capture goes"), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func severalGoIntoAFolder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let result = try Program.run(["share", Self.capture, other, "--out", folder.file("shared")])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("authreel: written: \(folder.file("shared"))/"), "\(result.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("shared")).sorted()
                == ["pkce-verifier-mismatch.har", "web-code-flow.har"]
        )
    }

    /// Everybody's capture is called `login.har`.
    @Test func severalOfOneNameAreNumbered() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let captures = try ["mine", "yours"].map { name in
            try FileManager.default.createDirectory(
                atPath: folder.file(name),
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(atPath: Self.capture, toPath: folder.file("\(name)/login.har"))
            return folder.file("\(name)/login.har")
        }
        let result = try Program.run(["share"] + captures + ["--out", folder.file("shared")])
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("shared")).sorted()
                == ["login-2.har", "login.har"]
        )
        // One goes into a file, not into a folder.
        let one = try Program.run(["share", captures[0], "--out", folder.file("shared")])
        #expect(one.status == 66 && one.errors.contains("shared is a folder, and one file is written"))
        #expect(one.errors.contains("shared/login.har"))
    }

    @Test func folderThatCannotBeOneIsAMistake() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let file = folder.file("taken.har")
        try Data("mine".utf8).write(to: URL(filePath: file))
        let taken = try Program.run(["share", Self.capture, other, "--out", file])
        #expect(
            taken.status == 64 && taken.errors.contains("several captures go into a folder"),
            "\(taken.errors)"
        )
        let below = try Program.run(["share", Self.capture, other, "--out", file + "/below"])
        #expect(below.status == 66)
        #expect(below.errors.contains("cannot be made: Not a directory\n"), "\(below.errors)")
        #expect(!below.errors.contains("NSCocoaErrorDomain") && !below.errors.contains("report it"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    @Test func patternThatMatchesNothingIsWarnedOf() throws {
        let result = try Program.run([
            "share", Self.capture, "--dry-run", "--also", "never-in-there",
        ])
        #expect(result.errors.contains("warning: --also never-in-there matches nothing"))
    }

    @Test func patternThatMatchesTooMuchIsTold() throws {
        let result = try Program.run(["share", Self.capture, "--dry-run", "--also", "x*"])
        #expect(result.status == 1 && result.errors.contains("the diagnosis differs"), "\(result.errors)")
        #expect(result.errors.contains("hint: --also may match more than"), "\(result.errors)")
        let lines = result.errors.split(separator: "\n")
        #expect(lines.contains { $0.hasSuffix("nothing was written: the diagnosis would be another one") })
        #expect(Set(lines).count == lines.count, "\(result.errors)")
    }

    @Test func nameThatIsNowhereIsWarnedOf() throws {
        let result = try Program.run([
            "share", Self.capture, "--dry-run", "--keep", "stat", "--keep", "state",
        ])
        #expect(result.errors.contains("warning: --keep stat matches nothing"))
        #expect(!result.errors.contains("--keep state"))
        #expect(result.output.contains("kept: the values of state\n"))
    }

    @Test(arguments: [
        (["share", "x.har"], "--out FILE"),
        (["share", "x.har", "--out", "y", "--unredacted"], "--encrypt-to"),
        (["share", "x.har", "--out", "y", "--also", "("], "no regular expression"),
        (["share", "x.har", "--out", "y", "--also", ""], "takes a regular expression"),
        (["share", "x.har", "z.har", "--out", "-"], "--out FOLDER"),
        (
            ["share", "x.har", "z.har", "--out", "y.har"],
            "--out FOLDER, not y.har; import makes one of several"
        ),
        (["share", "x.har", "z.har", "--out", "y.har.age"], "--out FOLDER, not y.har.age"),
    ])
    func wrongUseIsSaidWithWhatToDo(arguments: [String], words: String) throws {
        let result = try Program.run(arguments)
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }

    /// Encrypted for one reader, redacted or not; `age` opens it, and so does every command.
    @Test(.enabled(if: AgeProgram.isAvailable), arguments: [false, true])
    func encryptedCaptureIsOpenedByItsReader(isUnredacted: Bool) throws {
        try #require(AgeProgram.missing == nil)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = folder.file("key.txt")
        try #require(AgeProgram.run(["-o", key], name: "age-keygen").status == 0)
        let recipient = try AgeProgram.run(["-y", key], name: "age-keygen").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let out = folder.file("login.har.age")
        let result = try Program.run(
            ["share", Self.capture, "--out", out, "--encrypt-to", recipient]
                + (isUnredacted ? ["--unredacted"] : [])
        )
        #expect(result.status == 0, "\(result.errors)")
        let opened = try AgeProgram.run(["-d", "-i", key, out])
        let original = try String(contentsOfFile: Self.capture, encoding: .utf8)
        #expect(isUnredacted == (opened.output == original))
        let shown = try Program.run(["show", "-i", key, out])
        #expect(shown.status == 0 && shown.output.contains("token"))
    }
}
