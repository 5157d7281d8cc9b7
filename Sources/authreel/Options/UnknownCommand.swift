import ArgumentParser
import Captures
import Foundation
import Reports

/// A first word that is no command: said so, before it counts as an argument too many.
enum UnknownCommand {
    /// - Throws: ``CommandFailure`` with what may have been meant.
    static func check(_ arguments: [String]) throws(CommandFailure) {
        let isHelp = arguments.first == "help"
        guard let word = isHelp ? arguments.dropFirst().first : arguments.first, !word.hasPrefix("-") else {
            return
        }
        let known = Authreel.configuration.subcommands.map { $0._commandName }
        guard !known.contains(word), word != "help" else { return }
        if !isHelp, FileManager.default.fileExists(atPath: word) {
            throw CommandFailure(
                .usage,
                "\(word) is a file, and no command".printable,
                hint: Invocation.command("diagnose", word)
            )
        }
        throw CommandFailure(
            .usage,
            "there is no command \(word)".printable,
            hint: word == "version"
                ? Invocation.command("--version")
                : Spelling.hint(word, in: known, otherwise: "\(Invocation.command("--help")) lists them all")
        )
    }
}
