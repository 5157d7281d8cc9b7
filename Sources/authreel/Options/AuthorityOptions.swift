import ArgumentParser
import Captures
import Foundation
import LibCrypto
import Proxy

/// Where the recorder's certificate authority lives.
struct AuthorityOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-dir"),
        help: ArgumentHelp(
            "The folder of the certificate authority.",
            discussion: "By default $XDG_CONFIG_HOME/authreel, or .config/authreel in the home folder.",
            valueName: "DIR"
        )
    )
    var folder: String?

    /// The folder, asked for or by default.
    var path: String {
        if let folder { return folder }
        let environment = ProcessInfo.processInfo.environment
        if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
            return configuration + "/authreel"
        }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.config/authreel"
    }

    /// Opens the authority; made on first use.
    ///
    /// A new one and one in its last month are told of.
    func open() throws -> (files: AuthorityFiles, authority: CertificateAuthority) {
        let files = AuthorityFiles(folder: path)
        let now = SystemClock.now
        let (authority, isNew) = try CommandFailure.wrapping { try files.load(now: now) }
        if isNew {
            StandardError.note("made a new certificate authority: \(files.certificatePath)")
        } else if authority.isInItsLastMonth(at: now) {
            let end = Timestamp(seconds: authority.certificate.notAfter).rfc3339.prefix(10)
            StandardError.warn(
                "the certificate authority ends on \(end); remove \(files.folder) to have a new one made"
            )
        }
        return (files, authority)
    }
}
