import Captures
import Foundation

extension UsageHint {
    /// The command with the newest capture of the folder, where it was given none; nil where something else is wrong.
    ///
    /// `isPiped`: whether something else than a person is at standard input, which is what was meant then.
    static func withCapture(
        _ message: String,
        _ arguments: [String],
        in folder: String,
        isPiped: Bool = false
    ) -> String? {
        guard message.hasPrefix("Missing expected argument '<CAPTURE>") else { return nil }
        if isPiped, let command = arguments.first, readers.contains(command) {
            return
                "what comes by standard input is named -: \(ShellWord.line([Invocation.name] + arguments + ["-"]))"
        }
        guard let name = newestCapture(in: folder) else {
            return "a capture is a HAR file: \(Invocation.command("record", "--out", "login.har")) makes one"
        }
        return ShellWord.line([Invocation.name] + arguments + [name])
    }

    /// Commands that read one capture or several, by standard input as well.
    private static let readers: Set<String> = ["diagnose", "show", "view", "share"]

    /// Whether a file or a pipe is at standard input, and no terminal and no `/dev/null`.
    static var isPiped: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFREG
    }

    private static func newestCapture(in folder: String) -> String? {
        let files = try? FileManager.default.contentsOfDirectory(
            at: URL(filePath: folder),
            includingPropertiesForKeys: [.contentModificationDateKey]
        )
        // Who has so many files in a folder looks for none of them by its age.
        guard let files, files.count < 2000 else { return nil }
        let captures = files.filter { $0.pathExtension == "har" && !$0.lastPathComponent.hasPrefix("-") }
        let dated = captures.map { file in
            let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
            return (date: values?.contentModificationDate ?? .distantPast, name: file.lastPathComponent)
        }
        return dated.max { ($0.date, $0.name) < ($1.date, $1.name) }?.name
    }
}
