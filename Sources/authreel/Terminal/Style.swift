import Foundation
import Reports

/// What the terminal is like.
enum TerminalSize {
    /// Columns of the terminal behind a descriptor; nil where there is none or it does not say.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }
}

/// Colour for terminals, and only there; `NO_COLOR` (any value) and `TERM=dumb` turn it off.
enum Style {
    static func forDescriptor(_ descriptor: Int32) -> TextStyle {
        let environment = ProcessInfo.processInfo.environment
        let wanted = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return isatty(descriptor) == 1 && wanted ? .colour : .plain
    }
}
