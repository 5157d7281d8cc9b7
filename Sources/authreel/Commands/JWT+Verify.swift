import ArgumentParser
import Captures
import Foundation
import JOSE
import Reports

extension JWT {
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

        @OptionGroup var expectations: ExpectationOptions
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
            if TokenInput.isToken(file), JSONWebToken.parse(file) != nil,
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
                first.isBase64URLCharacter || !TokenInput.isCapture(bytes)
            else { throw TokenInput.noToken(in: file, of: bytes) }
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
