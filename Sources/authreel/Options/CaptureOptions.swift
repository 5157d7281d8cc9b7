import ArgumentParser
import Captures
import Foundation

/// The capture that a command reads.
struct CaptureOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("A HAR file of any producer; - reads standard input.", valueName: "CAPTURE"))
    var capture: String

    /// Reads the capture; what was lost (a torn end, an entry cut off) is said on stderr, and the rest is
    /// used.
    func read() throws -> Capture { try Self.read(capture) }

    /// The same for commands that take several.
    static func read(_ path: String) throws -> Capture {
        let read = try CaptureReader.read(path: path)
        for loss in read.losses {
            StandardError.warn("\(path): \(loss)")
        }
        return read
    }
}
