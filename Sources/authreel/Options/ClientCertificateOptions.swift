import Captures
import ArgumentParser
import LibCrypto
import Proxy

/// What providers that ask for a client certificate are shown (mutual TLS, RFC 8705).
struct ClientCertificateOptions: ParsableArguments {
    @Option(
        name: .customLong("client-cert"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Show this host the client certificate it asks for (mutual TLS): HOST=FILE. Repeatable.",
            discussion: """
                FILE holds certificate, chain and private key, in PEM or PKCS #12; HOST may be *.example.com, with \
                a :PORT behind it.
                """,
            valueName: "HOST=FILE"
        )
    )
    var files: [String] = []

    @Option(
        name: .customLong("client-cert-passphrase"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "The passphrase of a --client-cert: HOST=env:VARIABLE, HOST=file:PATH or HOST=prompt. Repeatable.",
            valueName: "HOST=SOURCE"
        )
    )
    var passphrases: [String] = []

    private static let example = "idp.example=client.pem"

    /// The certificates, read.
    ///
    /// - Parameter command: the one that takes the options, for hints.
    /// - Returns: which host is shown which.
    /// - Throws: ``CommandFailure``.
    func certificates(_ command: String = "record") throws -> ClientCertificates {
        var sources: [String: String] = [:]
        for text in passphrases {
            let (host, source) = try DrivingOptions.pair(
                text,
                option: "--client-cert-passphrase",
                taking: "HOST=SOURCE",
                example: "idp.example=env:CLIENT_CERT_PASSPHRASE"
            )
            sources[host.lowercased()] = source
        }
        var certificates = ClientCertificates()
        for text in files {
            let (host, path) = try Self.pair(text)
            guard let entry = ClientCertificates.Place(host) else {
                throw CommandFailure.unfit(
                    host,
                    for: "--client-cert",
                    taking: "a host",
                    hint: "for example --client-cert idp.example:8443=\(path)"
                )
            }
            let source = sources.removeValue(forKey: host.lowercased())
            let passphrase = try source.map {
                try Secret.read($0, name: host, option: "--client-cert-passphrase", command: command)
            }
            guard certificates.add(try Self.read(path, host: host, passphrase: passphrase), for: entry) else {
                throw CommandFailure(
                    .usage,
                    "--client-cert names \(host) twice",
                    hint: "a host is shown one certificate: leave out the other"
                )
            }
        }
        if let host = sources.keys.min() {
            throw CommandFailure(
                .usage,
                "--client-cert-passphrase \(host) is for no --client-cert",
                hint: "write HOST as in --client-cert \(host)=FILE"
            )
        }
        return certificates
    }

    private static func pair(_ text: String) throws -> (host: String, path: String) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex,
            text.index(after: equals) != text.endIndex
        else {
            throw CommandFailure.unfit(
                text,
                for: "--client-cert",
                taking: "HOST=FILE",
                hint: "for example --client-cert \(example)"
            )
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    private static func read(_ path: String, host: String, passphrase: String?) throws -> CertifiedKey {
        let bytes = try InputFile.bytes(
            path,
            for: "--client-cert takes a file with certificate, chain and private key, in PEM or PKCS #12"
        )
        do throws(CertifiedKeyError) {
            return try CertifiedKey(file: bytes, passphrase: passphrase)
        } catch {
            let quoted = ShellWord.quoted(path)
            let hint: String? =
                switch error {
                case .notACertificate, .noCertificate, .noPrivateKey:
                    "one file holds certificate, chain and key: cat client.crt chain.crt client.key > client.pem"
                case .keyDoesNotFit:
                    "openssl x509 -in \(quoted) -noout -pubkey and openssl pkey -in \(quoted) -pubout have to print the same"
                case .passphraseNeeded:
                    "--client-cert-passphrase \(ShellWord.quoted(host))=prompt asks for its passphrase"
                case .wrongPassphrase:
                    "--client-cert-passphrase \(ShellWord.quoted(host))=prompt asks for another one"
                case .unreadable(let reason) where reason.contains("unsupported"):
                    "an old kind of encryption: openssl pkcs12 -legacy -in \(quoted) -nodes -out client.pem writes it anew"
                case .unreadable: nil
                }
            throw CommandFailure(.dataError, "--client-cert \(host): \(path): \(error)", hint: hint)
        }
    }
}
