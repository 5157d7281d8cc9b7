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
              authreel ca trust                 # the whole machine trusts it, until
              authreel ca untrust               # takes it back
            """,
        subcommands: [
            Path.self, Export.self, AuthorityTrust.self, AuthorityUntrust.self, AuthorityRotate.self,
        ]
    )

    /// `authreel ca path`.
    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the path of the certificate (PEM).",
            discussion: """
                Example:
                  curl -x 127.0.0.1:8080 --cacert "$(authreel ca path)" https://idp.example/
                """
        )
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
                  authreel ca export --format mobileconfig --out authreel.mobileconfig
                """
        )

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case pem
            case der
            case mobileconfig
        }

        @OptionGroup var authority: AuthorityOptions
        @Option(
            help: ArgumentHelp(
                "pem (text), der (Windows, Android) or mobileconfig (iOS, macOS).",
                valueName: "FORMAT"
            )
        )
        var format: Format = .pem
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The file to write; - is standard output.", valueName: "FILE"),
            completion: .file()
        )
        var out = "-"

        func run() throws {
            let certificate = try authority.open().authority.certificate
            let bytes =
                switch format {
                case .pem: Array(certificate.pem.utf8)
                case .der: certificate.der
                case .mobileconfig: MobileConfiguration.bytes(for: certificate)
                }
            try OutputFile.write(bytes, to: out, example: "authreel.\(format.rawValue)")
        }
    }
}
