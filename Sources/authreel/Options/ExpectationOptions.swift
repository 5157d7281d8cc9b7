import ArgumentParser
import Captures
import Foundation
import JOSE

/// What tokens are judged by.
struct ExpectationOptions: ParsableArguments {
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
