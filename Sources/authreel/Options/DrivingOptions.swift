import ArgumentParser
import Captures
import Replay

/// What driving a recorded login takes besides the recording.
struct DrivingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Drive the flow against this provider: its metadata is read, endpoints are mapped role by role.",
            valueName: "ISSUER"
        )
    )
    var against: String?

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

    @Flag(
        name: .customLong("stand-ins"),
        help: "Send the stand-ins of a shared capture as its secrets: to a mock of the same capture."
    )
    var sendsStandIns = false

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
    var longestWait = Self.defaultWait
    static let defaultWait = 300

    func validate() throws {
        guard longestWait >= 0 else { throw ValidationError("--max-wait takes seconds from 0 on") }
    }

    /// What `--secret` says, read.
    func credentials() throws -> ReplayCredentials {
        var credentials = ReplayCredentials()
        for text in secrets {
            let (name, source) = try Self.secret(text)
            let value = try Secret.read(source, name: name)
            if name == SecretNames.clientKey {
                credentials.clientKey = try Secret.key(value)
            } else {
                credentials.values[name] = value
            }
        }
        return credentials
    }

    /// Whose a secret is, and where it is kept: a field's name may hold an equals sign, and ends where one of the sources begins.
    static func secret(_ text: String) throws -> (name: String, source: String) {
        for index in text.indices.dropFirst() where text[index] == "=" {
            let source = text[text.index(after: index)...]
            if source == "prompt" || ["env:", "file:"].contains(where: { source.hasPrefix($0) }) {
                return (String(text[..<index]), String(source))
            }
        }
        return try pair(
            text,
            option: "--secret",
            taking: "NAME=SOURCE",
            example: "password=env:PASSWORD"
        )
    }

    /// What `--allow-host` says, looked at: a URL would be compared with hosts, and allow nothing.
    func hosts() throws -> [String] {
        try allowedHosts.map { text in
            let url = RecordedURL("http://\(text)/")
            guard let host = url.host, !host.isEmpty, url.authority == text, url.port != nil,
                !text.contains(where: { "/?#@ ".contains($0) })
            else {
                let named = RecordedURL(text).authority ?? "app.example"
                throw CommandFailure.unfit(
                    text,
                    for: "--allow-host",
                    taking: "HOST or HOST:PORT",
                    hint: "for example --allow-host \(named)"
                )
            }
            return text
        }
    }

    /// The two parts of an option's value around its first equals sign; `form` is what its help calls it: `OLD=NEW`.
    static func pair(
        _ text: String,
        option: String,
        taking form: String,
        example: String
    ) throws -> (String, String) {
        // A URL may hold an equals sign of its own behind its query; names never do.
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw CommandFailure.unfit(
                text,
                for: option,
                taking: form,
                hint: "for example \(option) \(example)"
            )
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
}
