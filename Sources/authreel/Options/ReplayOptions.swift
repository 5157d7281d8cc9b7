import ArgumentParser
import Foundation
import JOSE
import JSON
import LibCrypto
import Replay

/// Where a replay goes, and what it is given.
struct ReplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Drive the flow against this provider: its metadata is read, endpoints are mapped role by role.",
            valueName: "ISSUER"
        )
    )
    var against: String?

    @Option(
        name: .customLong("map"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Send what went to OLD, and to all below it, to NEW. Repeatable.",
            discussion: "As in https://sso.example.com=http://127.0.0.1:8090.",
            valueName: "OLD=NEW"
        )
    )
    var mapped: [String] = []

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Send another value for a parameter; STEP.PARAM=VALUE for one kind of step only. Repeatable.",
            discussion:
                "An empty value leaves the parameter out; STEP.PARAM adds one that the recording lacks.",
            valueName: "PARAM=VALUE"
        )
    )
    var overrides: [String] = []

    @Option(
        name: .customLong("secret"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "A secret, in place of the recording's: NAME=env:VARIABLE, NAME=file:PATH or NAME=prompt. Repeatable.",
            discussion:
                "NAME is the parameter's or form field's (password, client_secret), or client_key for the private key that "
                + "signs client assertions and request objects (PEM or JWK).",
            valueName: "NAME=SOURCE"
        )
    )
    var secrets: [String] = []

    @Option(
        name: .customLong("allow-host"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Contact this host, too. With the app's own the app plays its part, and only the browser is played. Repeatable.",
            valueName: "HOST[:PORT]"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("max-wait"),
        help: ArgumentHelp(
            "Pauses of the recording that may have been the fault are kept, up to so many seconds.",
            valueName: "SECONDS"
        )
    )
    var longestWait = 300

    /// The entries of `--map`.
    func map() throws -> EndpointMap {
        EndpointMap(
            try mapped.map { text in
                let (old, new) = try Self.pair(
                    text,
                    option: "--map",
                    example: "https://sso.example=http://127.0.0.1:8090"
                )
                return EndpointMap.Entry(old: Self.withoutSlash(old), new: Self.withoutSlash(new))
            }
        )
    }

    func planOptions(_ credentials: ReplayCredentials) throws -> PlanOptions {
        var values: [String: String] = [:]
        for text in overrides {
            let (name, value) = try Self.pair(text, option: "--set", example: "scope='openid profile'")
            values[name] = value
        }
        return PlanOptions(
            allowedHosts: allowedHosts,
            overrides: values,
            givenSecrets: credentials.names
        )
    }

    func credentials() throws -> ReplayCredentials {
        var credentials = ReplayCredentials()
        for text in secrets {
            let (name, source) = try Self.pair(text, option: "--secret", example: "password=env:PASSWORD")
            let value = try Secret.read(source, name: name)
            if name == SecretNames.clientKey {
                credentials.clientKey = try Secret.key(value)
            } else {
                credentials.values[name] = value
            }
        }
        return credentials
    }

    private static func pair(_ text: String, option: String, example: String) throws -> (String, String) {
        // A URL may hold an equals sign of its own behind its query; names never do.
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw CommandFailure(
                .usage,
                "\(option) takes NAME=VALUE, not \(text)",
                hint: "for example \(option) \(example)"
            )
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private static func withoutSlash(_ text: String) -> String {
        text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}

/// Reads secrets from where they are kept; never from the command line, which other users can see.
enum Secret {
    static func read(_ source: String, name: String) throws -> String {
        if source == "prompt" { return try prompt(name) }
        if source.hasPrefix("env:") {
            let variable = String(source.dropFirst(4))
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw CommandFailure(
                    .usage,
                    "--secret \(name): the environment has no variable \(variable)",
                    hint: "\(variable)=… \(Invocation.name) replay …"
                )
            }
            return value
        }
        if source.hasPrefix("file:") {
            let bytes = try InputFile.bytes(String(source.dropFirst(5)))
            let text = String(decoding: bytes, as: UTF8.self)
            // An editor ends a file with a line feed that belongs to no secret.
            return text.hasPrefix("-----BEGIN")
                ? text : String(text.reversed().drop { $0.isNewline }.reversed())
        }
        throw CommandFailure(
            .usage,
            "--secret \(name) says where the secret is: env:VARIABLE, file:PATH or prompt",
            hint: "--secret \(name)=prompt asks for it"
        )
    }

    /// A private key in PEM or as a JWK.
    static func key(_ text: String) throws -> ReplayCredentials.ClientKey {
        do {
            if text.hasPrefix("-----BEGIN") {
                return ReplayCredentials.ClientKey(key: try PrivateKey(pem: text), id: nil)
            }
            guard let json = try JSONParser.parse(Array(text.utf8)).object else {
                throw CommandFailure(.dataError, "--secret client_key: neither PEM nor a JWK")
            }
            let key = JSONWebKey(json: json)
            return ReplayCredentials.ClientKey(key: try key.privateKey(), id: key.id)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(
                .dataError,
                "--secret client_key: \(error)",
                hint: "give a private key in PEM (openssl genpkey writes one) or as a JWK"
            )
        }
    }

    private static func prompt(_ name: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .usage,
                "--secret \(name)=prompt needs a terminal to ask on",
                hint: "--secret \(name)=env:VARIABLE takes it from the environment"
            )
        }
        guard let answer = getpass("\(name): ") else { throw CommandFailure(.usage, "no \(name) was given") }
        return String(cString: answer)
    }
}
