import ArgumentParser
import Captures
import Foundation
import JOSE
import JSON
import Reports

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

    private static let form =
        "a token has three parts (signed) or five (encrypted), separated by dots, and nearly always begins with eyJ; an access token that does not is opaque, and only its provider reads it"

    /// That a file or standard input holds nothing to judge.
    private static func noToken(in path: String, of bytes: [UInt8]) -> CommandFailure {
        let isEmpty = !bytes.contains { $0 > 0x20 }
        let isCapture = isCapture(bytes)
        let kind =
            isEmpty
            ? ": it is empty"
            : isCapture ? ": it is a capture" : bytes.contains(0) ? ": it is binary data" : ""
        return CommandFailure(
            .dataError,
            "no token in \(path == "-" ? "standard input" : path)\(kind)",
            hint: isCapture || !isEmpty && path.hasSuffix(".har")
                ? "\(Invocation.command("view", path)) shows those of a capture" : JWT.form
        )
    }

    /// Whether a file is a capture, be it packed or cut off.
    private static func isCapture(_ bytes: [UInt8]) -> Bool {
        ((try? CaptureReader.read(bytes: bytes, name: ""))?.count ?? 0) > 0
    }

    /// That an argument is neither a file nor a token.
    private static func noToken(named argument: String) -> CommandFailure {
        guard argument.isEmpty else {
            let command = Spelling.near(argument, in: configuration.subcommands.map { $0._commandName }).first
            return CommandFailure(
                .noInput,
                "\(argument): no such file, and no token",
                hint: command.map { "did you mean jwt \($0)?" } ?? form
            )
        }
        return CommandFailure(
            .noInput,
            "the token is empty",
            hint: "a variable that is not set is none: give the token itself, or the file that it is in"
        )
    }

    /// Whether an argument is meant to be a token, and no file's name.
    private static func isToken(_ argument: String) -> Bool {
        argument.hasPrefix("eyJ") || argument.hasPrefix("e30.")
            || [2, 4].contains(argument.utf8.count { $0 == 0x2e })
    }

    /// What tokens are judged by.
    struct Expectations: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The issuer's key set or one key, as JSON, or a capture that has it. Private keys open encrypted tokens.",
                valueName: "FILE"
            ),
            completion: .file()
        )
        var jwks: String?
        @Option(help: ArgumentHelp("The issuer that the token has to name.", valueName: "URL"))
        var issuer: String?
        @Option(help: ArgumentHelp("The audience that the token has to name.", valueName: "CLIENT"))
        var audience: String?
        @Option(help: ArgumentHelp("The nonce that the token has to carry.", valueName: "VALUE"))
        var nonce: String?
        @Option(help: ArgumentHelp("Judge as of this time instead of now.", valueName: "RFC3339"))
        var at: String?
        @Option(help: ArgumentHelp("By how much clocks may differ.", valueName: "SECONDS"))
        var leeway: Int64 = 0
        @Option(
            help: ArgumentHelp(
                "The client secret for HS algorithms and shared encryption keys, from this environment variable.",
                valueName: "VARIABLE"
            )
        )
        var secretEnv: String?

        /// `inputs`: where the tokens are read from.
        func expectations(for inputs: [String]) throws -> TokenExpectations {
            guard jwks != "-" || !inputs.contains("-") else {
                throw CommandFailure(
                    .usage,
                    "--jwks and the tokens cannot both be standard input",
                    hint: "name the file of one of the two"
                )
            }
            guard leeway >= 0 else {
                throw CommandFailure.unfit(
                    "\(leeway)",
                    for: "--leeway",
                    taking: "seconds from 0 on",
                    hint: "for example --leeway 60"
                )
            }
            var now = SystemClock.now.seconds
            if let at {
                guard let time = Timestamp(rfc3339: at) else {
                    throw CommandFailure(
                        .usage,
                        "\(at) is no time",
                        hint: "for example --at 2026-03-04T09:54:08Z"
                    )
                }
                now = time.seconds
            }
            return TokenExpectations(
                issuer: issuer,
                audience: audience,
                nonce: nonce,
                now: now,
                leeway: min(leeway, 1 << 40)
            )
        }

        /// The options that name the keys.
        var keyWords: [String] {
            (jwks.map { ["--jwks", $0] } ?? []) + (secretEnv.map { ["--secret-env", $0] } ?? [])
        }

        func secret() throws -> [UInt8]? {
            guard let secretEnv else { return nil }
            guard !secretEnv.isEmpty else {
                throw CommandFailure.unfit(
                    secretEnv,
                    for: "--secret-env",
                    taking: "the name of an environment variable",
                    hint: "for example --secret-env CLIENT_SECRET"
                )
            }
            // Whoever knows that there is none could sign with an empty one.
            guard let value = ProcessInfo.processInfo.environment[secretEnv], !value.isEmpty else {
                throw CommandFailure(
                    .usage,
                    "the environment variable \(secretEnv) is not set",
                    hint: "export it first: export \(secretEnv)=…"
                )
            }
            return Array(value.utf8)
        }

        func keys() throws -> TokenKeys {
            guard let jwks else { return .listed([]) }
            return try TokenKeys(path: jwks)
        }
    }

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
        @OptionGroup var expectations: Expectations
        @Option(help: ArgumentHelp("text or json.", valueName: "FORMAT"))
        var format: OutputFormat = .text

        func run() throws {
            let expected = try expectations.expectations(for: tokens)
            let keys = try expectations.keys()
            let secret = try expectations.secret()
            let tokens = try Self.texts(of: tokens).map { text in
                JudgedToken(try Self.token(in: text.text, of: text.file), keys, secret, expecting: expected)
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
                let style = Style.forDescriptor(STDOUT_FILENO)
                let columns = TerminalSize.columns(of: STDOUT_FILENO)
                return tokens.map { $0.text(style, columns: columns) }.joined(separator: "\n\n")
            case .json:
                return JSONWriter.text(
                    of: ["version": 1, "tokens": .array(tokens.map(\.json))],
                    indented: true
                )
            }
        }

        private static func token(in text: String, of file: String?) throws -> JSONWebToken {
            guard let token = JSONWebToken.parse(text) else {
                throw CommandFailure(
                    .dataError,
                    "\(file.map { "\($0): ".printable } ?? "")no token: \(text.prefix(40).debugDescription)",
                    hint: JWT.form
                )
            }
            guard !token.isTwoRunTogether else {
                throw CommandFailure(
                    .dataError,
                    "no JWE: five parts, and a header without enc whose alg is of signed tokens, "
                        + "\(token.algorithm ?? "")",
                    hint: "this looks like two tokens run together: put a space between them"
                )
            }
            return token
        }

        /// The tokens that the arguments stand for: themselves, or the lines of a file, with its name.
        private static func texts(of arguments: [String]) throws -> [(text: String, file: String?)] {
            // As a header field is copied without quotes around it: Authorization: Bearer eyJ…
            let named = arguments.filter { argument in
                !CopiedTokens.isLabel(argument) || FileManager.default.fileExists(atPath: argument)
            }
            return try (named.isEmpty ? arguments : named).flatMap {
                argument throws -> [(text: String, file: String?)] in
                guard argument == "-" || FileManager.default.fileExists(atPath: argument) else {
                    let texts = CopiedTokens.texts(in: argument)
                    // A token that was cut off when it was copied is no file that is missing.
                    let isToken = JWT.isToken(argument) || texts.contains { JSONWebToken.parse($0) != nil }
                    guard isToken, !texts.isEmpty else { throw JWT.noToken(named: argument) }
                    return texts.map { ($0, nil) }
                }
                let bytes = try InputFile.bytes(argument, for: "name the file that the token is in")
                let texts = CopiedTokens.texts(in: String(decoding: bytes, as: UTF8.self))
                // One that is cut off is no JSON, and is read as words.
                let isOther = texts.contains { JSONWebToken.parse($0) == nil } && JWT.isCapture(bytes)
                guard !texts.isEmpty, !isOther else { throw JWT.noToken(in: argument, of: bytes) }
                return texts.map { ($0, argument == "-" ? "standard input" : argument) }
            }
        }
    }

    /// The subcommand for whole files.
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks a file of one token a line; prints valid, or the reasons, for each.",
            discussion: """
                Exit status 0 when every token is valid, 1 otherwise.

                Example:
                  authreel jwt verify --jwks keys.json --audience shop tokens.txt
                """
        )

        @OptionGroup var expectations: Expectations
        @Argument(
            help: ArgumentHelp("A file of one token a line; - is standard input.", valueName: "FILE"),
            completion: .file()
        )
        var file: String

        /// What options and file ask for together.
        private func check() throws {
            guard expectations.jwks != nil || expectations.secretEnv != nil else {
                throw CommandFailure(
                    .usage,
                    "--jwks is missing",
                    hint:
                        "without keys no signature can be verified: --jwks FILE, or --secret-env VARIABLE for HS256"
                )
            }
            if JWT.isToken(file), JSONWebToken.parse(file) != nil,
                !FileManager.default.fileExists(atPath: file)
            {
                throw CommandFailure(
                    .usage,
                    "verify takes a file of tokens, and this is a token",
                    hint: ShellWord.line([Invocation.name, "jwt"] + expectations.keyWords + [file])
                )
            }
        }

        func run() throws {
            try check()
            let expected = try expectations.expectations(for: [file])
            let bytes = try InputFile.bytes(
                file,
                for: "verify takes a file of one token a line, or - for standard input"
            )
            var verifiers = TokenVerifiers(
                keys: try expectations.keys(),
                secret: try expectations.secret(),
                expecting: expected
            )
            // With a brace no token begins, nor with what a packed file or a mark of UTF-8 does.
            guard let first = bytes.first(where: { $0 > 0x20 }),
                first.isBase64URLCharacter || !JWT.isCapture(bytes)
            else { throw JWT.noToken(in: file, of: bytes) }
            var output = OutputBuffer()
            var isGood = true
            try bytes.withUnsafeBufferPointer { buffer in
                var start = 0
                while start < buffer.count {
                    let end = buffer[start...].firstIndex(of: 0x0a) ?? buffer.count
                    var last = end
                    while last > start, buffer[last - 1] <= 0x20 { last -= 1 }
                    while start < last, buffer[start] <= 0x20 { start += 1 }
                    defer { start = end + 1 }
                    guard start < last else { continue }
                    switch verifiers.verdict(on: UnsafeBufferPointer(rebasing: buffer[start..<last])) {
                    case .valid: try output.line("valid")
                    case .invalid(let reasons):
                        isGood = false
                        try output.line("invalid: " + reasons.joined(separator: "; ").printable)
                    }
                }
            }
            try output.flush()
            if !isGood { throw ExitCode(ExitStatus.negative.rawValue) }
        }
    }
}
