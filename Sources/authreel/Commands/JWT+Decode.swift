import ArgumentParser
import JSON

extension JWT {
    /// The subcommand that `authreel jwt` means by itself.
    struct Decode: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows header, claims and checks of each token.",
            discussion: """
                Exit status 1 when a check fails.

                Examples:
                  authreel jwt decode eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln
                  authreel jwt decode --jwks keys.json --issuer https://idp.example token.txt
                  authreel jwt decode --at 2026-03-04T09:54:08Z token.txt  # as it was then
                """
        )

        @Argument(
            help: ArgumentHelp(
                "Tokens, files of one token a line, or - for standard input.",
                valueName: "TOKEN|FILE|-"
            ),
            completion: .file()
        )
        var tokens: [String]
        @OptionGroup var expectations: ExpectationOptions
        @Option(help: ArgumentHelp("text or json.", valueName: "FORMAT"))
        var format: OutputFormat = .text

        func run() throws {
            let expected = try expectations.expectations(for: tokens)
            let keys = try expectations.keys()
            let secret = try expectations.secret()
            let tokens = try TokenInput.texts(of: tokens).map { text in
                JudgedToken(
                    try TokenInput.token(in: text.text, of: text.file),
                    keys,
                    secret,
                    expecting: expected
                )
            }
            print(text(of: tokens))
            if format == .text { tellMissingOption(of: tokens) }
            if !tokens.allSatisfy(\.isGood) { throw ExitCode(ExitStatus.negative.rawValue) }
        }

        /// Whoever gave keys of the kind is told at the check that they are of no use.
        private func tellMissingOption(of tokens: [JudgedToken]) {
            let missing = tokens.lazy.compactMap(\.missingOption).first { option in
                option.hasPrefix("--jwks") ? expectations.jwks == nil : expectations.secretEnv == nil
            }
            guard let missing else { return }
            let source =
                missing.hasPrefix("--jwks")
                ? "what the issuer's jwks_uri serves, or a capture that has it" : "the client's secret"
            StandardError.hint("\(missing) verifies the signature, by \(source)")
        }

        private func text(of tokens: [JudgedToken]) -> String {
            switch format {
            case .text:
                let terminal = Terminal.standardOutput
                return tokens.map { $0.text(terminal.style, columns: terminal.columns) }.joined(
                    separator: "\n\n"
                )
            case .json:
                return JSONWriter.text(
                    of: ["version": 1, "tokens": .array(tokens.map(\.json))],
                    indented: true
                )
            }
        }
    }
}
