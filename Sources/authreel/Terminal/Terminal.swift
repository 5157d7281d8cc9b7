import Foundation
import Reports

/// What is written to through a descriptor: which colours it takes and how wide it is, where it is a terminal at all.
struct Terminal: Sendable {
    let descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether there is a terminal, not a file or a pipe.
    private var isThere: Bool { isatty(descriptor) == 1 }

    /// Colour for terminals, and only there; `NO_COLOR` (any value but an empty one) and `TERM=dumb` turn it off.
    var style: TextStyle {
        let environment = ProcessInfo.processInfo.environment
        let isWanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isThere && isWanted ? .colour : .plain
    }

    /// How wide it is at the moment, in columns; nil where there is none or it does not say.
    var columns: Int? {
        var size = winsize()
        guard isThere, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
