import ArgumentParser

/// An option that the command has not, which the parser does not come to where something else is wrong: with `--json` in it no line
/// would do that a hint makes of the arguments.
enum UnknownOption {
    /// What is wrong first.
    ///
    /// - Parameters:
    ///   - message: of the parser.
    ///   - arguments: without the program's name.
    /// - Returns: the message, or that of the parser for an unknown option.
    static func first(before message: String, _ arguments: [String]) -> String {
        guard !message.hasPrefix("Unknown option"), !message.hasPrefix("Missing value"),
            let command = Authreel.configuration.subcommands.first(where: {
                $0._commandName == arguments.first && $0.configuration.subcommands.isEmpty
            })
        else { return message }
        let known = names(of: command)
        let given = arguments.dropFirst().prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { $0.prefix { $0 != "=" }.description }
        guard let unknown = given.first(where: { !known.contains($0) }) else { return message }
        let near = Spelling.near(unknown, in: known.sorted()).first.map { ". Did you mean '\($0)'?" }
        return "Unknown option '\(unknown)'\(near ?? "")"
    }

    /// The long options of a command, as its help lists them.
    private static func names(of command: any ParsableCommand.Type) -> Set<String> {
        let help = Authreel.helpMessage(for: command, includeHidden: true)
        return Set(
            help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init).filter {
                $0.hasPrefix("--")
            }
        )
    }
}
