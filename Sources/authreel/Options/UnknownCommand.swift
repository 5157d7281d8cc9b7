import ArgumentParser
import Captures
import Foundation

/// A first word that is no command: said so, before it counts as an argument too many.
enum UnknownCommand {
    /// - Throws: ``CommandFailure`` with what may have been meant.
    static func check(_ arguments: [String]) throws(CommandFailure) {
        let isHelp = arguments.first == "help"
        let words = isHelp ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-") else { return }
        let commands = Authreel.configuration.subcommands
        if let command = commands.first(where: { $0._commandName == word }) {
            return try check(words.dropFirst(), below: command)
        }
        let known = commands.map { $0._commandName }
        guard word != "help" else { return }
        if !isHelp, FileManager.default.fileExists(atPath: word) {
            throw CommandFailure(
                .usage,
                "\(word) is a file, and no command",
                hint: Invocation.command("diagnose", word)
            )
        }
        throw CommandFailure(
            .usage,
            "there is no command \(word)",
            hint: word == "version"
                ? Invocation.command("--version")
                : Spelling.hint(word, in: known, otherwise: "\(Invocation.command("--help")) lists them all")
        )
    }

    /// The word behind a command that is nothing without another one: `ca pth`.
    private static func check(_ words: ArraySlice<String>, below command: any ParsableCommand.Type)
        throws(CommandFailure)
    {
        let known = command.configuration.subcommands.map { $0._commandName }
        guard command.configuration.defaultSubcommand == nil, !known.isEmpty, let word = words.first,
            !word.hasPrefix("-"), !known.contains(word)
        else { return }
        let name = command._commandName
        throw CommandFailure(
            .usage,
            "there is no command \(name) \(word)",
            hint: Spelling.hint(
                word,
                in: known,
                otherwise: "\(Invocation.command(name, "--help")) lists them all"
            )
        )
    }
}
