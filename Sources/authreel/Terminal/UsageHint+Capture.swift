import Captures
import Foundation

extension UsageHint {
    /// The command with the newest capture of the folder, where it was given none; nil where something else is wrong.
    ///
    /// `isPiped`: whether something else than a person is at standard input. A capture may come by it; jobs of a pipeline have
    /// such a one that nothing comes by.
    static func withCapture(
        _ message: String,
        _ arguments: [String],
        in folder: String,
        isPiped: Bool = false
    ) -> String? {
        guard message.hasPrefix("Missing expected argument '<CAPTURE>") else { return nil }
        let newest = newestCapture(in: folder)
        let lacksTarget =
            arguments.first == "share"
            && !arguments.contains { $0 == "-o" || $0.hasPrefix("--out") || $0 == "--dry-run" }
        let target = lacksTarget ? ["--out", sharedName(arguments)] : []
        let named = newest.map { ShellWord.line([Invocation.name] + arguments + [$0] + target) }
        if isPiped, let command = arguments.first, readers.contains(command) {
            let piped = ShellWord.line([Invocation.name] + arguments + ["-"] + target)
            return [named, "what comes by standard input is named -: \(piped)"].compactMap(\.self)
                .joined(separator: "; ")
        }
        return named
            ?? "a capture is a HAR file: \(Invocation.command("record", "--out", "login.har")) makes one"
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
