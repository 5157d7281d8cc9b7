import Foundation

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
