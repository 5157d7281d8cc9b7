import ArgumentParser
import Captures
import LibCrypto
import TLS

/// Whom to trust on the provider's side.
struct UpstreamTrustOptions: ParsableArguments {
    @Option(
        name: .customLong("upstream-ca"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Trust these certificates (PEM) besides the system's, on the provider's side. Repeatable.",
            valueName: "FILE"
        ),
        completion: .file()
    )
    var upstreamCA: [String] = []

    @Flag(name: .customLong("insecure-upstream"), help: "Accept any certificate on the provider's side.")
    var insecureUpstream = false

    @OptionGroup var clientCertificate: ClientCertificateOptions

    /// The certificates that are trusted besides the system's.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or holds none.
    func certificates() throws -> [Certificate] { try upstreamCA.flatMap(certificates) }

    /// The context for connections to providers.
    func context() throws -> TLSContext {
        do {
            return try TLSContext.client(
                .init(furtherRoots: try certificates(), verifiesServer: !insecureUpstream)
            )
        } catch let error as TLSError {
            throw CommandFailure(.bug, "\(error)")
        }
    }

    private func certificates(_ path: String) throws -> [Certificate] {
        let bytes = try InputFile.bytes(path, for: "--upstream-ca takes certificates in PEM")
        do {
            let found = try Certificate.all(pem: bytes)
            guard !found.isEmpty else {
                throw CommandFailure(
                    .dataError,
                    "\(path) holds no certificate in PEM",
                    hint: "of one in DER openssl x509 -inform der -in FILE makes it"
                )
            }
            return found
        } catch let error as OpenSSLError {
            throw CommandFailure(
                .dataError,
                "\(path): \(error)",
                hint: "a certificate of it is damaged: openssl storeutl -noout -text -certs "
                    + "\(ShellWord.quoted(path)) shows those that are not"
            )
        }
    }
}
