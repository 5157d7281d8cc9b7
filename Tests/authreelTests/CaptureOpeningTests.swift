import Captures
import Foundation
import TestSupport
import Testing

@testable import authreel

/// The file of a recording, as it is opened or made.
struct CaptureOpeningTests {
    @Test func recordingsOfOneSecondHaveACaptureEach() throws {
        let folder = try TemporaryFolder()
        let time = try #require(Timestamp(rfc3339: "2026-11-21T03:45:01.250Z"))
        let writers = try (0..<3).map { _ in try CaptureOpening.make(at: time, in: folder.file("")) }
        let names =
            ["authreel-2026-11-21-034501.har"] + (2...3).map { "authreel-2026-11-21-034501-\($0).har" }
        #expect(writers.map(\.path) == names.map(folder.file))
    }

    /// Neither a link, which is not followed, nor a folder is written to, which is told before anything is sent as well.
    @Test func hintNamesWhatCanBeWritten() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        try files.createDirectory(atPath: folder.file("captures"), withIntermediateDirectories: false)
        for (name, target) in [("near.har", "real.har"), ("far.har", "/elsewhere/real.har")] {
            try files.createSymbolicLink(atPath: folder.file(name), withDestinationPath: target)
        }
        for (name, hint) in [
            ("near.har", "name the file that it leads to: --out \(folder.file("real.har"))"),
            ("far.har", "name the file that it leads to: --out /elsewhere/real.har"),
            ("captures", "name a file in it: --out \(folder.file("captures"))/login.har"),
            ("captures/", "name a file in it: --out \(folder.file("captures"))/login.har"),
        ] {
            let opened = #expect(throws: CommandFailure.self) { try CaptureOpening.open(folder.file(name)) }
            let checked = #expect(throws: CommandFailure.self) {
                try CaptureOpening.check(folder.file(name), isNoneOf: [], use: "replayed", hint: "")
            }
            #expect(opened?.hint == hint && checked?.hint == hint)
        }
    }
}
