import ArgumentParser
import Captures
import Replay

/// What a comparison of two flows takes for granted, as the command line says it.
struct ComparisonArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Do not compare the value of this name; token_request.scope is that of one kind of step. Repeatable.",
            valueName: "NAME"
        )
    )
    var ignore: [String] = []
    @Option(
        help: ArgumentHelp(
            "Compare the value of this name, though every login has its own. Repeatable.",
            valueName: "NAME"
        )
    )
    var compare: [String] = []
    @Option(
        help: ArgumentHelp(
            "What stands in B for a URL of A and all below it; with --bisect, where it is sent now. Repeatable.",
            valueName: "OLD=NEW"
        )
    )
    var map: [String] = []
    @Flag(help: "B is another provider's: only what the specifications require of both is a difference.")
    var otherProvider = false

    /// Makes sure that what `--ignore` and `--compare` name can be told apart.
    ///
    /// - Throws: ``CommandFailure`` for a name that is none, as of a variable that is not set, and for one that both have.
    static func check(ignoring ignore: [String], comparing compare: [String]) throws {
        for (option, names) in [("--ignore", ignore), ("--compare", compare)] where names.contains("") {
            throw CommandFailure.unfit("", for: option, taking: "a name", hint: "for example \(option) scope")
        }
        for name in ignore where compare.contains(name) {
            throw CommandFailure(
                .usage,
                "\(name) is both to be ignored and to be compared",
                hint: "leave one of --ignore \(name) and --compare \(name) out"
            )
        }
    }

    func options() throws -> ComparisonOptions {
        try Self.check(ignoring: ignore, comparing: compare)
        return ComparisonOptions(
            ignoring: ignore,
            comparing: compare,
            mapped: try map.map(Self.pair),
            isOtherProvider: otherProvider
        )
    }

    private static func pair(_ text: String) throws -> (old: String, new: String) {
        // A URL has no `=` before its query.
        guard let equals = text.firstIndex(of: "=") else { throw wrong(text) }
        let old = String(text[..<equals])
        let new = String(text[text.index(after: equals)...])
        guard RecordedURL(old).scheme != nil, RecordedURL(new).scheme != nil else { throw wrong(text) }
        return (old, new)
    }

    private static func wrong(_ text: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "--map \(text) is not OLD=NEW, two URLs",
            hint: "--map https://sso.example.com=http://127.0.0.1:8080"
        )
    }
}
