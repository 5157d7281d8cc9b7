import Foundation
import TestSupport
import Testing

/// A capture that ends before its time: what a login lacks may have stood in what is missing.
struct CutCaptureTests {
    private static let abandoned = "captures/authorization-response/login-abandoned.har"

    private static func abstainsThere(_ path: String) throws -> Bool {
        let result = try Program.run(["diagnose", "--format", "json", "--verbose", path])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\"outcome\": \"incomplete\""))
        return !result.output.contains("\"rule\": \"login-abandoned\"")
    }

    @Test func nobodyIsSaidToHaveGivenUp() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let whole = try Fixtures.bytes(Self.abandoned)
        let cut = folder.file("cut.har")
        try Data(whole.dropLast(4)).write(to: URL(filePath: cut))
        #expect(try !Self.abstainsThere(Fixtures.root.appending(path: Self.abandoned).path))
        #expect(try Self.abstainsThere(cut))
        // What is made of it is whole as a file, and knows no more.
        let (imported, shared) = (folder.file("imported.har"), folder.file("shared.har"))
        #expect(try Program.run(["import", cut, "--out", imported]).status <= 1)
        #expect(try Self.abstainsThere(imported))
        #expect(try Program.run(["share", imported, "--out", shared]).status == 0)
        #expect(try Self.abstainsThere(shared))
        #expect(try Program.run(["share", cut, "--out", folder.file("direct.har")]).status == 0)
        #expect(try Self.abstainsThere(folder.file("direct.har")))
    }

    @Test(arguments: ["markdown", "junit"]) func reportsSayIt(format: String) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let cut = folder.file("cut.har")
        try Data(Fixtures.bytes(Self.abandoned).dropLast(4)).write(to: URL(filePath: cut))
        let result = try Program.run(["diagnose", "--format", format, cut])
        #expect(result.output.contains("not read: line"), "\(result.output)")
        #expect(result.output.contains("the file breaks off behind entry"), "\(result.output)")
    }

    /// A job whose capture was cut off before the end of its first entry has found nothing out.
    @Test func captureWithoutOneWholeEntryIs65() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let cut = folder.file("cut.har")
        try Data(Fixtures.bytes(Self.abandoned).prefix(900)).write(to: URL(filePath: cut))
        for format in ["text", "json", "junit"] {
            let result = try Program.run(["diagnose", "--format", format, cut])
            #expect(result.status == 65, "\(format)")
            #expect(result.errors.contains("error: \(cut): not one entry of it is whole\n"))
            #expect(result.output.contains(#"errors="1""#) == (format == "junit"), "\(result.output)")
        }
        let healthy = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let two = try Program.run(["diagnose", healthy, cut])
        #expect(two.status == 65 && two.output.contains("nothing wrong found"), "\(two.output)")
        // What is made of it has nothing of it, either.
        let imported = folder.file("imported.har")
        #expect(try Program.run(["import", cut, "--out", imported]).status == 0)
        #expect(try Program.run(["diagnose", imported]).status == 65)
    }
    /// Nobody takes it for a capture of a login that was not there, and nothing is made of it.
    @Test(arguments: [
        ["show"], ["show", "--format", "json"], ["view", "--no-open"], ["diff"], ["replay"], ["mock"],
    ]) func commandsSayThatNoEntryIsWhole(command: [String]) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let cut = folder.file("cut.har")
        try Data(Fixtures.bytes(Self.abandoned).prefix(900)).write(to: URL(filePath: cut))
        let result = try Program.run(command + [cut])
        #expect(result.status == 65 && result.output.isEmpty, "\(result.output)")
        #expect(result.errors.contains("error: \(cut): not one entry of it is whole\n"), "\(result.errors)")
    }

    @Test func nothingIsSharedOfCaptureWithoutOneWholeEntry() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (cut, shared) = (folder.file("cut.har"), folder.file("shared.har"))
        try Data(Fixtures.bytes(Self.abandoned).prefix(900)).write(to: URL(filePath: cut))
        let result = try Program.run(["share", cut, "--out", shared])
        #expect(result.status == 65, "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: shared))
    }
}
