import ArgumentParser
import Captures

/// The capture that a command reads.
struct CaptureOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A HAR file of any producer; - reads standard input.", valueName: "CAPTURE"),
        completion: .file()
    )
    var capture: String
    @OptionGroup var identities: IdentityOptions

    /// Reads the capture; what was lost (a torn end, an entry cut off) is said on stderr, and the rest is
    /// used.
    func read() throws -> Capture { try identities.read(capture) }
}
