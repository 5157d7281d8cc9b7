import ArgumentParser
import LibCrypto

/// The program: a list of subcommands, and the one place where errors become text and an exit status.
@main
struct Authreel: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "authreel",
        abstract: "Records a login, says why it broke, and shows which value went where.",
        discussion: """
            Start with `authreel demo`: it records one healthy and one broken login on this machine.

            A login of your own:
              authreel record --browser https://app.example/ --out login.har
              authreel show login.har                # the timeline: who said what to whom
              authreel diagnose login.har            # what broke it, root cause first

            Exit status: 0 nothing wrong, 1 the verdict is negative, 64 wrong usage, 65 the file is not what it should \
            be, 66 a file is not there or cannot be read or written, 69 a provider, port, browser or disk space is not \
            available, 70 a bug.
            """,
        version: version,
        subcommands: [
            Demo.self, Record.self, Import.self, Show.self, View.self, Diagnose.self, Diff.self,
            ReplayCommand.self,
            Share.self,
            Mock.self,
            Explain.self, ListRules.self, JWT.self, Authority.self, Manual.self,
        ]
    )

    static func main() async {
        StandardDescriptors.keepPlaces()
        StandardOutput.outliveReaders()
        _ = InheritedDescriptors.all
        CryptoLibrary.staysUntilTheEnd()
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            try ArgumentBytes.check(ArgumentBytes.all)
            try UnknownCommand.check(arguments)
            try DashedFile.check(arguments)
            var command = try command(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try StandardOutput.finish()
        } catch {
            ExitStatus.leave(after: error)
        }
    }

    /// The command that the arguments, without the program's name, call for.
    static func command(_ arguments: [String]) throws -> any ParsableCommand {
        let words = AttachedValues.takenApart(arguments)
        do {
            return try parseAsRoot(words)
        } catch {
            guard let attached = AttachedValues.withNegative(words, after: message(for: error)) else {
                throw error
            }
            return try command(attached)
        }
    }
}
