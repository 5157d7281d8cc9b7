import Captures
import Foundation
import Reports

/// A file whose name begins with a dash: said so, before its letters count as options.
///
/// `-h` among them would print the help and end with 0, as if the file had been read.
enum DashedFile {
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - isThere: whether a file has that name.
    /// - Throws: ``CommandFailure`` with the way to write its name.
    static func check(
        _ arguments: [String],
        isThere: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) throws(CommandFailure) {
        let word = arguments.prefix { $0 != "--" }.first {
            $0.utf8.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") && isThere($0)
        }
        guard let word else { return }
        throw CommandFailure(
            .usage,
            "\(word) is a file, and reads as options".printable,
            hint: "its name with the folder before it does not: \(path(of: word))"
        )
    }

    /// What to do where a line was refused in which a file's name is one option (`-x`): until then it may be meant.
    ///
    /// - Returns: a sentence with the way to write its name; nil where no file is called so.
    static func hint(
        _ arguments: [String],
        isThere: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) -> String? {
        arguments.prefix { $0 != "--" }.first { $0.hasPrefix("-") && $0 != "-" && isThere($0) }.map {
            "the file \($0.printable) is named with the folder before it: \(path(of: $0))"
        }
    }

    private static func path(of word: String) -> String { ShellWord.quoted("./" + word) }
}
