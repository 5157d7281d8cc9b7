import ArgumentParser
import Captures
import Foundation
import JOSE

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
            hint: Spelling.hint(
                word,
                in: known,
                otherwise: meant(by: word, among: known)
                    ?? "\(Invocation.command("--help")) lists them all"
            )
        )
    }

    /// The command that somebody means by the beginning of its name, by a name that other programs have for it, or by
    /// what it is to be given.
    static func meant(by word: String, among commands: [String]) -> String? {
        if JSONWebToken.parse(word) != nil {
            return "a token is decoded by \(Invocation.command("jwt", word))"
        }
        if word.hasPrefix("http://") || word.hasPrefix("https://") {
            return "\(Invocation.command("record", "--browser", word)) records a login there"
        }
        let word = word.lowercased()
        if let line = otherNames[word] { return ShellWord.line([Invocation.name] + line) }
        let begun = commands.filter { $0.hasPrefix(word) }
        guard word.utf8.count > 1, let command = begun.first, begun.count == 1 else { return nil }
        return "did you mean \(command)?"
    }

    /// Each with the line that does it here.
    private static let otherNames: [String: [String]] = [
        "version": ["--version"],
        "completion": ["--generate-completion-script", "bash"],
        "completions": ["--generate-completion-script", "bash"],
        "proxy": ["record"], "capture": ["record"], "intercept": ["record"], "start": ["record"],
        "convert": ["import"], "merge": ["import"], "timeline": ["show"],
        "open": ["view"], "ui": ["view"], "gui": ["view"], "browse": ["view"],
        "analyze": ["diagnose"], "analyse": ["diagnose"], "check": ["diagnose"], "lint": ["diagnose"],
        "compare": ["diff"], "bisect": ["diff", "--bisect"],
        "redact": ["share"], "sanitize": ["share"], "anonymize": ["share"], "scrub": ["share"],
        "attack": ["mock", "--attack-suite"], "attack-suite": ["mock", "--attack-suite"],
        "token": ["jwt"], "decode": ["jwt", "decode"], "verify": ["jwt", "verify"],
        "trust": ["ca", "trust"], "untrust": ["ca", "untrust"], "rotate": ["ca", "rotate"],
        "cert": ["ca"], "certificate": ["ca"], "ca install": ["ca", "trust"], "ca add": ["ca", "trust"],
        "ca remove": ["ca", "untrust"], "ca delete": ["ca", "untrust"], "ca uninstall": ["ca", "untrust"],
    ]

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
                otherwise: otherNames["\(name) \(word)"].map { ShellWord.line([Invocation.name] + $0) }
                    ?? "\(Invocation.command(name, "--help")) lists them all"
            )
        )
    }
}
