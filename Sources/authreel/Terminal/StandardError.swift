import Foundation
import Reports

/// Everything that is not a result: unbuffered, so that a killed process has said what it said.
///
/// Names of files, of what is in an archive, and words of a capture are others': nothing in them is obeyed by the terminal.
enum StandardError {
    private static var style: TextStyle { Terminal.standardError.style }

    /// One line as it is, colours included, whole even when two threads write.
    static func line(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            offset += count
        }
    }

    /// An error in the words of the house: `authreel: error: …`, then what to do next.
    static func report(_ message: String, hint: String?) {
        line("authreel: \(style.red("error:")) \(message.printable)")
        if let hint { self.hint(hint) }
    }

    /// What to do next, of something that is no error.
    static func hint(_ message: String) {
        line("authreel: \(style.bold("hint:")) \(message.printable)")
    }

    static func warn(_ message: String) {
        line("authreel: \(style.yellow("warning:")) \(message.printable)")
    }

    static func note(_ message: String) { line("authreel: \(message.printable)") }
}
