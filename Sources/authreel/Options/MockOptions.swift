import ArgumentParser
import Captures
import Diagnosis
import JOSE
import JSON
import OAuth
import Provider

/// Whom a mock plays, and for whom.
struct MockOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The loopback address to listen on; port 0 picks a free one.",
            discussion: "Without it 127.0.0.1:8090, or the next port that is free.",
            valueName: "HOST:PORT"
        )
    )
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "What the issuer is to be called, where clients reach it under another address.",
            valueName: "URL"
        )
    )
    var issuer: String?

    @Flag(help: "Speak TLS, with a certificate of the recorder's authority.")
    var tls = false

    @Option(
        name: .customLong("auto-login"),
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Sign in at once, without any page: this user, or whoever the capture shows.",
            valueName: "USER"
        )
    )
    var autoLogin: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A client, with its secret unless it is a public one. Repeatable.",
            valueName: "ID[:SECRET]"
        )
    )
    var client: [String] = []

    @Option(
        name: .customLong("client-key"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Public keys of a client (JWK or JWK Set): assertions are checked with them, tokens encrypted. Repeatable.",
            valueName: "ID=FILE"
        )
    )
    var clientKey: [String] = []

    @Option(
        name: .customLong("redirect-uri"),
        parsing: .singleValue,
        help: ArgumentHelp("A redirect URI that every client may use. Repeatable.", valueName: "URI")
    )
    var redirectURI: [String] = []

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp(
            "Where on this machine clients are posted a logout token, unless they registered another.",
            valueName: "URI"
        )
    )
    var backchannelLogoutURI: String?

    @Option(
        name: .customLong("frontchannel-logout-uri"),
        help: ArgumentHelp(
            "What the browser loads of clients at a logout, unless they registered another.",
            valueName: "URI"
        )
    )
    var frontchannelLogoutURI: String?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Somebody who can sign in. Repeatable.", valueName: "NAME:PASSWORD")
    )
    var user: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "A claim of everybody who signs in, or of one user, in ID tokens and userinfo. Repeatable.",
            discussion: "VALUE is JSON where it is some, as in groups=[\"admin\"], else text.",
            valueName: "[USER:]NAME=VALUE"
        )
    )
    var claim: [String] = []

    @Flag(
        name: .customLong("as-recorded"),
        help: "Give the recorded outcome, too: an error stays an error, a wrong token a wrong one."
    )
    var asRecorded = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Break in a named way; --list-faults names them all. Repeatable.",
            valueName: "RULE[,RULE]"
        ),
        // What is behind a colon is a description to zsh.
        completion: .list(FaultCatalog.all.map(\.id).filter { !$0.contains(":") })
    )
    var fault: [String] = []

    @Flag(name: .customLong("list-faults"), help: "List the ways in which it can break, and end.")
    var listFaults = false

    static let defaultPort = 8090

    /// Where to listen.
    ///
    /// - Returns: the host without brackets, and the ports to try in order.
    /// - Throws: ``CommandFailure`` for what is no address of this machine.
    func address() throws -> (host: String, ports: [Int]) {
        guard let listen else {
            return ("127.0.0.1", Array(Self.defaultPort...Self.defaultPort + 100))
        }
        let address = try HostAndPort(
            listen,
            option: "--listen",
            example: "\(Invocation.name) mock --listen 127.0.0.1:8090"
        )
        let (host, port) = (address.host, address.port)
        guard LoopbackHost.isLoopback(host) else {
            throw CommandFailure(
                .usage,
                "\(host) is no loopback address: anyone on the network could sign in as anybody",
                hint:
                    "\(Invocation.name) mock --listen 127.0.0.1:\(port); a container on the host's network reaches it, "
                    + "others by way of a proxy of yours, whose address --issuer URL gives it"
            )
        }
        return (host, [port])
    }

    /// The address that the issuer is to have.
    ///
    /// - Throws: ``CommandFailure`` for what is none.
    func issuerURL() throws -> RecordedURL? {
        guard let issuer else { return nil }
        let url = RecordedURL(issuer)
        guard url.isWeb, url.query == nil, url.fragment == nil else {
            throw CommandFailure.unfit(
                issuer,
                for: "--issuer",
                taking: "an http or https URL without a query",
                hint: "\(Invocation.name) mock --issuer https://idp.test/realms/acme"
            )
        }
        guard !url.path.contains("/.well-known/") else {
            throw CommandFailure(
                .usage,
                "\(issuer) is where metadata are, and --issuer takes the issuer that they are of",
                hint: "\(Invocation.name) mock --issuer \(MetadataDocument.issuer(behind: url))"
            )
        }
        return url
    }

    /// - Throws: ``CommandFailure`` for what is no client, and for one that is named twice: which secret it has nobody could say.
    func clients() throws -> [RecordedProviderOptions.Client] {
        let clients = try namedClients()
        try Self.checkForTwice(clients.map(\.id), of: "--client", example: "my-app:secret")
        return clients
    }

    private static func checkForTwice(_ names: [String], of option: String, example: String) throws {
        var seen: Set<String> = []
        guard let name = names.first(where: { !seen.insert($0).inserted }) else { return }
        throw CommandFailure(
            .usage,
            "\(option) names \(name) twice",
            hint: "each name once: \(Invocation.name) mock \(option) \(example)"
        )
    }

    private func namedClients() throws -> [RecordedProviderOptions.Client] {
        try client.map { text in
            // A secret may hold colons, an id may not: it is the user of Basic credentials (RFC 7617, section 2).
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init
            )
            guard !parts[0].isEmpty, parts.count == 1 || !parts[1].isEmpty else {
                throw CommandFailure.unfit(
                    text,
                    for: "--client",
                    taking: "ID or ID:SECRET",
                    hint: "\(Invocation.name) mock --client my-app:secret"
                )
            }
            return RecordedProviderOptions.Client(id: parts[0], secret: parts.count == 2 ? parts[1] : nil)
        }
    }

    private func clientKeys() throws -> [String: [JSONWebKey]] {
        var keys: [String: [JSONWebKey]] = [:]
        for text in clientKey {
            let (id, file) = try Self.pair(
                text,
                parted: "=",
                of: "--client-key",
                taking: "ID=FILE",
                example: "my-app=jwks.json",
                mayEndThere: false
            )
            let form = "a JWK, or a JWK Set as jwks_uri serves it"
            let bytes = try InputFile.bytes(file, for: "--client-key takes \(form)")
            let json = try? JSONParser.parse(bytes)
            let found =
                json.flatMap { JSONWebKeySet(json: $0) }?.keys ?? json?.object.map { [JSONWebKey(json: $0)] }
            let usable = (found ?? []).filter { (try? $0.publicKey()) != nil }
            guard !usable.isEmpty else {
                throw CommandFailure(
                    .dataError,
                    "\(file): no public key is in it",
                    hint: form
                )
            }
            keys[id, default: []] += usable
        }
        return keys
    }

    func users() throws -> [(name: String, password: String)] {
        let example = "alice:wonderland"
        let users = try user.map { text in
            try Self.pair(text, parted: ":", of: "--user", taking: "NAME:PASSWORD", example: example)
        }
        try Self.checkForTwice(users.map(\.0), of: "--user", example: example)
        return users.map { (name: $0.0, password: $0.1) }
    }

    /// The two parts of an option's value, of which the first is not empty.
    ///
    /// `mayEndThere`: whether the second may be.
    private static func pair(
        _ text: String,
        parted separator: Character,
        of option: String,
        taking form: String,
        example: String,
        mayEndThere: Bool = true
    ) throws -> (String, String) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, mayEndThere || !parts[1].isEmpty else {
            throw CommandFailure.unfit(
                text,
                for: option,
                taking: form,
                hint: "\(Invocation.name) mock \(option) \(example)"
            )
        }
        return (parts[0], parts[1])
    }

    /// Claims that are shown in any case.
    func claims() throws -> [RecordedProviderOptions.Claim] {
        try claim.map { text in
            let (name, value) = try Self.pair(
                text,
                parted: "=",
                of: "--claim",
                taking: "NAME=VALUE or USER:NAME=VALUE",
                example: "'groups=[\"admin\"]'"
            )
            let claim = RecordedProviderOptions.Claim(
                name,
                value: (try? JSONParser.parse(Array(value.utf8))) ?? .string(value)
            )
            guard !claim.isOfEveryToken else {
                throw CommandFailure(
                    .usage,
                    "\(name) is the provider's own to say",
                    hint:
                        "\(Invocation.name) mock --list-faults lists what it can say wrong; sub is the NAME of --user"
                )
            }
            return claim
        }
    }

    /// RFC 6749, section 3.1.2: absolute, without a fragment.
    private func redirectURIs() throws -> [String] {
        for text in redirectURI {
            if text.contains("*") {
                StandardError.warn(
                    "--redirect-uri \(text): redirect URIs are compared to the letter, and * stands for itself"
                )
            }
            // localhost:3000 would be a scheme, and what it names a path.
            let isHostAndPort = text.utf8.drop { $0 != 0x3a }.dropFirst().first?.isASCIIDigit ?? false
            guard let scheme = RecordedURL(text).scheme, !scheme.isEmpty, !text.contains("#"), !isHostAndPort
            else {
                let example = isHostAndPort ? "http://" + text : "com.example.app:/callback"
                throw CommandFailure.unfit(
                    text,
                    for: "--redirect-uri",
                    taking: "an absolute URI without a fragment",
                    hint: Invocation.command("mock", "--redirect-uri", example)
                )
            }
        }
        return redirectURI
    }

    /// In which ways to break.
    ///
    /// - Throws: ``CommandFailure`` for a name that is none, with those nearest to it.
    func faults() throws -> [Fault] {
        let names = fault.flatMap { $0.split(separator: ",") }.map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        // A variable of a script that is not set would make a good provider of what is to be a bad one.
        guard fault.isEmpty || !names.isEmpty else {
            throw CommandFailure(
                .usage,
                "--fault names none",
                hint: "\(Invocation.name) mock --list-faults names them all"
            )
        }
        return try names.map { name in
            if let fault = FaultCatalog.fault(name) { return fault }
            throw CommandFailure(.usage, "there is no fault \(name)", hint: Self.hint(onUnknownFault: name))
        }
    }

    static func hint(onUnknownFault name: String) -> String {
        let list = "\(Invocation.name) mock --list-faults names them all"
        if RuleCatalog.infos.contains(where: { $0.id == name }) {
            return
                "a rule is called so, which no fault of a provider's breaks: \(Invocation.command("explain", name)); \(list)"
        }
        let nearest = FaultCatalog.nearest(to: name)
        return nearest.isEmpty ? list : "\(nearest.joined(separator: ", ")): is it one of these? \(list)"
    }

    /// What of these a recording is overruled by.
    func recorded() throws -> RecordedProviderOptions {
        var options = RecordedProviderOptions()
        options.issuer = try issuerURL()?.text
        options.clients = try clients()
        options.clientKeys = try clientKeys()
        options.redirectURIs = try redirectURIs()
        options.logout = try logoutAddresses()
        options.users = try users()
        options.claims = try claims()
        options.autoLogin = autoLogin
        options.isAsRecorded = asRecorded
        options.faults = try faults()
        return options
    }
}
