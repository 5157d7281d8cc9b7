import Foundation
import JOSE
import JSON
import LibCrypto
import Replay

/// Reads secrets from where they are kept; never from the command line, which other users can see.
enum Secret {
    /// Reads one.
    ///
    /// - Parameters:
    ///   - source: `env:VARIABLE`, `file:PATH` or `prompt`.
    ///   - name: whose it is, as the option names it.
    ///   - option: as the user wrote it.
    ///   - command: the command that takes the option.
    /// - Returns: the secret.
    /// - Throws: ``CommandFailure``.
    static func read(
        _ source: String,
        name: String,
        option: String = "--secret",
        command: String = "replay"
    ) throws -> String {
        if source == "prompt" { return try prompt(name, before: "\(option) \(name)=") }
        if let value = try kept(source, option: "\(option) \(name)", before: "=", command: command) {
            return value
        }
        throw CommandFailure(
            .usage,
            "\(option) \(name) says where the secret is: env:VARIABLE, file:PATH or prompt",
            hint: "\(option) \(name)=prompt asks for it"
        )
    }

    /// What is kept where `env:VARIABLE`, `file:PATH` or `prompt` says.
    ///
    /// - Parameters:
    ///   - source: the value of an option; no error repeats more of it than a variable's name or a path.
    ///   - option: as the user wrote it.
    ///   - separator: what stands between that and the source.
    ///   - command: the one that has the option.
    /// - Returns: nil where it says none of these.
    /// - Throws: ``CommandFailure`` when there is nothing to be had there.
    static func kept(
        _ source: String,
        option: String,
        before separator: String = " ",
        command: String = "record"
    ) throws -> String? {
        if source == "prompt" {
            return try prompt(option, before: option + separator)
        }
        if source.hasPrefix("env:") {
            let variable = String(source.dropFirst(4))
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw CommandFailure(
                    .usage,
                    "\(option): the environment has no variable \(variable)",
                    hint: "\(variable)=… \(Invocation.name) \(command) …"
                )
            }
            return value
        }
        if source.hasPrefix("file:") {
            let bytes = try InputFile.bytes(
                String(source.dropFirst(5)),
                for: "a file that holds the secret and nothing else: \(option)\(separator)file:PATH"
            )
            let text = String(decoding: bytes, as: UTF8.self)
            // An editor ends a file with a line feed that belongs to no secret.
            return text.hasPrefix("-----BEGIN")
                ? text : String(text.reversed().drop { $0.isNewline }.reversed())
        }
        return nil
    }

    /// A private key in PEM or as a JWK.
    static func key(_ text: String) throws -> ReplayCredentials.ClientKey {
        let hint = "give a private key in PEM (openssl genpkey writes one) or as a JWK"
        do {
            if text.hasPrefix("-----BEGIN") {
                return ReplayCredentials.ClientKey(key: try PrivateKey(pem: text), id: nil)
            }
            guard let json = (try? JSONParser.parse(Array(text.utf8)))?.object else {
                throw CommandFailure(
                    .dataError,
                    "--secret client_key: neither PEM nor a JWK",
                    hint: hint
                )
            }
            let key = JSONWebKey(json: json)
            return ReplayCredentials.ClientKey(key: try key.privateKey(), id: key.id)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.dataError, "--secret client_key: \(error)", hint: hint)
        }
    }

    /// Asks for what has a name; `option`: all that the user wrote before `prompt`.
    private static func prompt(_ name: String, before option: String) throws -> String {
        guard let answer = try SecretPrompt.ask("\(name): ") else {
            throw CommandFailure(
                .usage,
                "\(option)prompt needs a terminal to ask on",
                hint: "\(option)env:VARIABLE takes it from the environment"
            )
        }
        return answer
    }
}
