import Captures

extension UsageHint {
    /// The line with our name of an option that other programs call otherwise: curl, mitmproxy, tcpdump.
    ///
    /// - Parameters:
    ///   - message: of the parser.
    ///   - arguments: without the program's name.
    /// - Returns: the line; nil where the option is none of theirs, or the command has nothing like it.
    static func withOurOption(_ message: String, _ arguments: [String]) -> String? {
        guard let option = message.firstMatch(of: /^Unknown option '(-[^']+)'/).map({ String($0.output.1) }),
            let command = arguments.first,
            let ours = otherNames.first(where: {
                $0.names.contains(option) && $0.commands.contains(command)
            })?.ours,
            let place = arguments.prefix(while: { $0 != "--" }).firstIndex(where: {
                $0 == option || $0.hasPrefix("\(option)=")
            })
        else { return nil }
        let value = arguments[place].dropFirst(option.count)
        let word = value.isEmpty ? arguments[(place + 1)...].first : String(value.dropFirst())
        // Elsewhere -f is a file, a field or a filter.
        if ours == "--format", !(formats[command] ?? []).contains(word ?? "") { return nil }
        let renamed = ours + value
        return ShellWord.line(
            [Invocation.name] + arguments[..<place] + [renamed] + arguments[(place + 1)...]
        )
    }

    private static let otherNames: [(names: Set<String>, ours: String, commands: Set<String>)] = [
        (
            ["-w", "--write", "--save", "--file"], "--out",
            ["record", "import", "share", "show", "mock", "replay"]
        ),
        (["-f", "-F"], "--format", Set(formats.keys)),
        (["-k", "--insecure", "--ssl-insecure"], "--insecure-upstream", ["record", "replay"]),
        (["--ca", "--cacert", "--ca-cert"], "--upstream-ca", ["record", "replay"]),
        (["-x", "--proxy", "--upstream"], "--upstream-proxy", ["record"]),
        (["--url", "--start-url"], "--browser", ["record"]),
        (["-p", "--port"], "--listen", ["mock"]),
    ]
}
