import Captures
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
}
