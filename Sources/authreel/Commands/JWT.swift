import ArgumentParser

/// Tokens off line: what they say, and what each check makes of them.
struct JWT: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwt",
        abstract: "Decodes tokens and judges them, every check with its outcome. Off line.",
        discussion: """
            Examples:
              authreel jwt eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbGljZSJ9.c2ln
              authreel jwt --jwks keys.json --issuer https://idp.example token.txt
              authreel jwt --jwks login.har token.txt  # by the keys in a capture
              pbpaste | authreel jwt -
              authreel jwt verify --jwks keys.json --audience shop tokens.txt

            Without a subcommand it is decode: `authreel help jwt decode` has its options.
            """,
        subcommands: [Decode.self, Verify.self],
        defaultSubcommand: Decode.self
    )
}
