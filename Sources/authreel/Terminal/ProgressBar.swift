import Foundation
import Reports

/// A bar on stderr for long work: on a terminal only, and gone when the work is done.
struct ProgressBar {
    private let label: String
    private let total: Int
    private let isShown: Bool
    private static let width = 30

    init(_ label: String, total: Int) {
        self.label = label
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    func show(_ done: Int, _ what: String) {
        guard isShown, total > 1 else { return }
        let filled = Self.width * done / total
        let bar = String(repeating: "━", count: filled) + String(repeating: " ", count: Self.width - filled)
        write(line: "\(label) \(bar) \(done)/\(total) \(what.suffix(40))")
    }

    /// Says what a piece of work that has no parts to count is at.
    func tell(_ what: String) {
        guard isShown, total == 1 else { return }
        write(line: "\(label) \(what)")
    }

    func clear() {
        guard isShown else { return }
        write("\r\u{1b}[K")
    }

    /// What is wider than the terminal goes on in a second line there, which is not taken back.
    private func write(line: String) {
        let columns = Terminal.standardError.columns ?? 80
        write("\r\u{1b}[K\(line.shortened(to: columns - 1))")
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
