import ArgumentParser
import Captures
import Diagnosis
import Foundation

/// What may have been meant by words that a command does not take.
enum UsageHint {
    /// The parser's message, without an option that it suggests though it is more than a slip away.
    static func words(_ message: String) -> String {
        // What else it may have been stands on lines of its own, and helps nobody.
        let message = message.firstRange(of: "\n   or: ").map { String(message[..<$0.lowerBound]) } ?? message
        if message.hasPrefix("Can't generate completion scripts") {
            // The shells stand on a line each.
            return message.replacing(/\s*\n\s*/, with: " ")
        }
        guard let found = message.wholeMatch(of: /(Unknown option '-*(.*)')\. Did you mean '-*(.*)'\?/) else {
            return message
        }
        let isNear = !Spelling.near(String(found.output.2), in: [String(found.output.3)]).isEmpty
        return isNear ? message : String(found.output.1)
    }

    /// The lines that tell how a command is called, as a terminal of so many columns has room for them.
    ///
    /// `columns`: nil leaves each line as wide as it is. An option and its value stay together.
    static func usage(_ lines: [Substring], columns: Int?) -> [String] {
        lines.map { line in
            guard let columns, line.count > columns, line.hasPrefix("Usage:") else { return String(line) }
            let whole = line.replacing(/\[[^\[\]]*\]/) { part in
                part.output.replacing(" ", with: "\u{a0}")
            }
            let words = whole.split(separator: " ").map { $0.replacing("\u{a0}", with: " ") }
            return words.dropFirst().reduce(into: [words[0]]) { rows, word in
                let last = rows.count - 1
                if rows[last].count + 1 + word.count <= columns {
                    rows[last] += " " + word
                } else {
                    rows.append("       " + word)
                }
            }
            .joined(separator: "\n")
        }
    }

    /// The command that was meant, as far as it can be told.
    ///
    /// - Parameters:
    ///   - message: of the parser.
    ///   - arguments: without the program's name.
    ///   - isProgram: whether a word names a program that can be run.
    /// - Returns: a sentence with it; nil where nothing is known.
    static func hint(for message: String, _ arguments: [String], isProgram: (String) -> Bool) -> String? {
        if message.hasPrefix("Unknown option"), let line = withCommandFirst(arguments) {
            return "options stand behind the command: \(line)"
        }
        if arguments == ["-v"] || arguments == ["-V"] { return Invocation.command("--version") }
        // Alone, without a command, the parser suggests none.
        if arguments.count == 1, message.hasPrefix("Unknown option"),
            let meant = Spelling.near(arguments[0], in: ["--help", "--version"]).first
        {
            return Invocation.command(meant)
        }
        let isExtra = message.contains(/^(Unexpected argument|\d+ unexpected arguments)/)
        let chosen = withFormat(message, arguments) ?? withFlow(message, arguments) ?? withNumber(message)
        if let chosen { return chosen }
        if arguments.first == "show", isExtra {
            return "show takes one capture; \(Invocation.command("view")) CAPTURE … has several side by side"
        }
        if arguments.first == "rules", isExtra, arguments.count == 2 {
            let isRule = RuleCatalog.infos.contains { $0.id == arguments[1] }
            return isRule
                ? Invocation.command("explain", arguments[1])
                : "\(Invocation.command("rules")) | grep \(ShellWord.quoted(arguments[1]))"
        }
        if let missing = missing(message, arguments) { return missing }
        if let shared = withTarget(message, arguments) ?? redirected(message, arguments) { return shared }
        if let dashed = DashedFile.hint(arguments) { return dashed }
        guard arguments.first == "record" else { return nil }
        return withProgram(message, arguments, isExtra: isExtra, isProgram: isProgram)
    }

    /// Who names a port to record at, a page, or what is to be run, without what has to stand before it.
    private static func withProgram(
        _ message: String,
        _ arguments: [String],
        isExtra: Bool,
        isProgram: (String) -> Bool
    ) -> String? {
        let words = Array(arguments.dropFirst().prefix { $0 != "--" })
        if let option = message.firstMatch(of: /^Unknown option '(--port|-p)'/)?.output.1 {
            let place = words.firstIndex { $0 == option || $0.hasPrefix("\(option)=") }
            let port = place.flatMap { place in
                words[place].split(separator: "=").dropFirst().first.map(String.init)
                    ?? words.dropFirst(place + 1).first
            }
            let shown = port.flatMap { UInt16($0) }.map { "\($0)" } ?? "8080"
            return "\(Invocation.name) record --listen 127.0.0.1:\(shown)"
        }
        guard words.count == arguments.count - 1 else { return nil }
        guard isExtra || message.hasPrefix("Unknown option"), let start = commandStart(words) else {
            return nil
        }
        if words[start].contains("://") {
            guard isExtra else { return nil }
            return "a page is opened by \(Invocation.command("record", "--browser", words[start]))"
        }
        // A mistyped option is followed by its value more often than by a command.
        guard isExtra || isProgram(words[start]) else { return nil }
        let target = recordingBehind(words[start...])
        let line = ShellWord.line(
            [Invocation.name, "record"] + words[..<start] + target + ["--"]
                + words[start...].dropLast(target.count)
        )
        return "what is to be run stands behind --: \(line)"
    }

    /// The option at the end of a command that names a recording, which is none of the command's.
    private static func recordingBehind(_ words: ArraySlice<String>) -> ArraySlice<String> {
        guard words.last?.hasSuffix(".har") == true else { return [] }
        if words.last?.hasPrefix("--out=") == true { return words.suffix(1) }
        return words.suffix(2).first == "--out" ? words.suffix(2) : []
    }

    /// Who gives something else where a number is wanted.
    private static func withNumber(_ message: String) -> String? {
        let form = /The value '.*' is invalid for '(--[a-z-]+) <([A-Z]+)>'/
        guard let option = message.wholeMatch(of: form)?.output else { return nil }
        return switch option.2 {
        case "SECONDS": "it takes a number of seconds, for example \(option.1) 30"
        case "COUNT": "it takes a whole number, for example \(option.1) 3"
        case "PORT": "it takes the number of a port, for example \(option.1) 8123"
        default: nil
        }
    }

    /// What is to be given, where nothing was.
    private static func missing(_ message: String, _ arguments: [String]) -> String? {
        guard message.hasPrefix("Missing expected argument") else { return nil }
        return switch arguments.first {
        case "jwt" where arguments.dropFirst().first != "verify":
            "a token, the file that it is in, or - for standard input: \(Invocation.command("jwt", "token.txt"))"
        case "explain": "\(Invocation.command("rules")) lists them all"
        case "diff": "two captures are compared: \(Invocation.command("diff", "yesterday.har", "today.har"))"
        case "import" where arguments.count > 1 && message.contains("--out"):
            ShellWord.line([Invocation.name] + arguments + ["--out", "imported.har"])
        case "import":
            ShellWord.line(
                [Invocation.name, "import", "browser.har", "server.har"] + arguments.dropFirst()
                    + (arguments.count > 1 ? [] : ["--out", "login.har"])
            )
        default: nil
        }
    }

    /// Who does not say where what is shared goes, or names a file for several captures.
    private static func withTarget(_ message: String, _ arguments: [String]) -> String? {
        guard arguments.first == "share" else { return nil }
        let isFolder = message.contains(": --out FOLDER")
        guard isFolder || message.hasPrefix("say where the shared capture goes") else { return nil }
        var words = arguments
        if let place = words.firstIndex(where: { $0 == "--out" || $0 == "-o" }) {
            words.removeSubrange(place..<min(place + 2, words.endIndex))
        }
        words.removeAll { $0.hasPrefix("--out=") }
        return ShellWord.line(
            [Invocation.name] + words + ["--out", isFolder ? "shared" : sharedName(words)]
        )
    }

    /// A file for what the options of a `share` say.
    static func sharedName(_ options: [String]) -> String {
        let isEncrypted = options.contains { $0 == "--encrypt-to" || $0.hasPrefix("--encrypt-to=") }
        return isEncrypted ? "shared.har.age" : "shared.har"
    }

    /// The line of the shell for who wants a file of what a command only prints.
    private static func redirected(_ message: String, _ arguments: [String]) -> String? {
        guard message.contains(/^Unknown option '(--out|-o)'/),
            ["diagnose", "explain", "rules", "jwt"].contains(arguments.first),
            let place = arguments.firstIndex(where: { $0 == "--out" || $0 == "-o" }),
            let file = arguments.dropFirst(place + 1).first, file == "-" || !file.hasPrefix("-")
        else { return nil }
        let line = ShellWord.line([Invocation.name] + arguments[..<place] + arguments[(place + 2)...])
        // Standard output is where it goes anyway.
        return file == "-" ? line : "\(line) > \(ShellWord.quoted(file))"
    }

    /// Who writes `--json`, or asks a command for a form that another one has.
    private static func withFormat(_ message: String, _ arguments: [String]) -> String? {
        guard let command = arguments.first, let known = formats[command] else { return nil }
        if message.contains(/^(The value 'html' is invalid for '--format|Unknown option '--html')/),
            ["diagnose", "diff", "import", "replay"].contains(command)
        {
            return command == "diff"
                ? "\(Invocation.name) diff --html difference.html A B"
                : "\(Invocation.name) show --format html --out login.html CAPTURE"
        }
        guard let option = message.firstMatch(of: /^Unknown option '(--([a-z]+))'/)?.output,
            known.contains(String(option.2)), let place = arguments.firstIndex(of: String(option.1))
        else { return nil }
        let format = ["--format", String(option.2)]
        // A page goes to a file.
        let lacksTarget =
            format[1] == "html" && !arguments.contains { $0 == "-o" || $0.hasPrefix("--out") }
        return ShellWord.line(
            [Invocation.name] + arguments[..<place] + format + (lacksTarget ? ["--out", "login.html"] : [])
                + arguments[(place + 1)...]
        )
    }

    /// The values of `--format` of the commands that have some.
    static let formats: [String: [String]] = [
        "import": OutputFormat.allCases.map(\.rawValue), "show": Show.Format.allCases.map(\.rawValue),
        "diagnose": Diagnose.Format.allCases.map(\.rawValue), "diff": Diff.Format.allCases.map(\.rawValue),
        "replay": ReplayCommand.Format.allCases.map(\.rawValue), "mock": Mock.Format.allCases.map(\.rawValue),
        "jwt": OutputFormat.allCases.map(\.rawValue), "rules": OutputFormat.allCases.map(\.rawValue),
    ]

    /// Who names a flow behind its capture.
    private static func withFlow(_ message: String, _ arguments: [String]) -> String? {
        guard arguments.first == "show",
            let flow = message.firstMatch(of: /^Unexpected argument '(flow-\d+)'/)?.output.1,
            let place = arguments.firstIndex(of: String(flow))
        else { return nil }
        return ShellWord.line(
            [Invocation.name] + arguments[..<place] + ["--flow", String(flow)] + arguments[(place + 1)...]
        )
    }

    /// The line with its command before its options; nil where it does not begin with an option, or has no command.
    private static func withCommandFirst(_ arguments: [String]) -> String? {
        let commands = Authreel.configuration.subcommands.map { $0._commandName }
        guard arguments.first?.hasPrefix("-") == true,
            let place = arguments.firstIndex(where: commands.contains),
            !arguments[..<place].contains("--")
        else { return nil }
        let rest = arguments[..<place] + arguments[(place + 1)...]
        return ShellWord.line([Invocation.name, arguments[place]] + rest)
    }

    /// The first word that is neither an option nor the value of one.
    private static func commandStart(_ words: [String]) -> Int? {
        words.indices.first { index in
            guard !words[index].hasPrefix("-") else { return false }
            guard index > 0, words[index - 1].hasPrefix("-"), !words[index - 1].contains("=") else {
                return true
            }
            return flags.contains(words[index - 1])
        }
    }

    /// Options of `record` that take no value.
    private static let flags: Set<String> = [
        "--headless", "--view", "--verbose", "-v", "--allow-remote", "--allow-remote-loopback",
        "--auto-pass-through", "--no-auto-pass-through", "--insecure-upstream",
    ]
}
