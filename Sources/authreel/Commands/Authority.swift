import ArgumentParser
import Foundation
import LibCrypto
import Proxy

/// The recorder's certificate authority: where it is, and in which form a client wants it.
struct Authority: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "The certificate that clients have to trust while they are recorded.",
        discussion: """
            It is made on first use, for this user alone: a P-256 key that never leaves its folder (0700, key 0600), \
            valid for one year.

            Examples:
              authreel ca path
              authreel ca export > authreel.pem
              curl -x 127.0.0.1:8080 --cacert "$(authreel ca path)" https://idp.example/
            """,
        subcommands: [Path.self, Export.self]
    )

    /// `authreel ca path`.
    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the path of the certificate (PEM).")
        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            print(try authority.open().files.certificatePath)
        }
    }

    /// `authreel ca export`.
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the certificate.",
            discussion: """
                Examples:
                  authreel ca export > authreel.pem
                  authreel ca export --format der --out authreel.cer
                """
        )

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case pem
            case der
        }

        @OptionGroup var authority: AuthorityOptions
        @Option(help: "pem (text) or der (what Windows and Android take).")
        var format: Format = .pem
        @Option(
            name: .long,
            help: ArgumentHelp("The file to write; - is standard output.", valueName: "FILE")
        )
        var out = "-"

        func run() throws {
            let certificate = try authority.open().authority.certificate
            let bytes = format == .pem ? Array(certificate.pem.utf8) : certificate.der
            try OutputFile.write(bytes, to: out)
        }
    }
}
