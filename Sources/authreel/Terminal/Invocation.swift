import Captures
import Foundation

/// How the user calls this program: what a hint has to begin with, so that it can be typed as it stands.
enum Invocation {
    /// `authreel` when it was found by its name, else the path it was called by (`.build/debug/authreel`).
    static let name: String = {
        let called = CommandLine.arguments.first ?? "authreel"
        guard called.contains("/") else { return called }
        let folder = FileManager.default.currentDirectoryPath + "/"
        return called.hasPrefix(folder) ? String(called.dropFirst(folder.count)) : called
    }()

    /// The file of the program itself: what sudo and setcap want, which follow neither the user's `PATH` nor a link.
    static var file: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? Bundle.main.executablePath ?? name
    }

    /// A command of this program with its arguments, to be pasted into a shell whatever is in them.
    ///
    /// A capture that came by standard input is gone: `CAPTURE` stands for the file that it is in.
    static func command(_ words: String...) -> String {
        ShellWord.line([name] + words.map { $0 == "-" ? "CAPTURE" : $0 })
    }
}
