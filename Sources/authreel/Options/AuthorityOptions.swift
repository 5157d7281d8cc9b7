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
        ),
        completion: .directory
    )
    var folder: String?

    /// The folder, asked for or by default, and the names of its files.
    ///
    /// - Throws: ``CommandFailure`` when there is no home folder to have it in.
    func files() throws -> AuthorityFiles {
        if let folder {
            guard !folder.isEmpty else {
                throw CommandFailure(.usage, "--ca-dir is empty", hint: "name a folder: --ca-dir DIR")
            }
            return AuthorityFiles(folder: folder)
        }
        let environment = ProcessInfo.processInfo.environment
        if let configuration = environment["XDG_CONFIG_HOME"], configuration.hasPrefix("/") {
            return AuthorityFiles(folder: configuration + "/authreel")
        }
        guard let home = HomeFolder.path else {
            throw CommandFailure(
                .noInput,
                "this user has no home folder to keep the certificate authority in",
                hint: "name a folder with --ca-dir DIR, or set HOME"
            )
        }
        return AuthorityFiles(folder: home + "/.config/authreel")
    }

    /// Opens the authority; made on first use.
    ///
    /// A new one and one in its last month are told of.
    func open() throws -> (files: AuthorityFiles, authority: CertificateAuthority) {
        let files = try files()
        return (files, try Self.open(files))
    }

    /// Opens the authority of a folder; made on first use.
    static func open(_ files: AuthorityFiles) throws -> CertificateAuthority {
        let now = SystemClock.now
        let loaded = try CommandFailure.wrapping { try files.load(now: now) }
        loaded.remarks.forEach(StandardError.warn)
        switch loaded.origin {
        case .found:
            if loaded.authority.isInItsLastMonth(at: now) {
                let end = day(Timestamp(seconds: loaded.authority.certificate.notAfter))
                // One of somebody's own is not written over.
                let next = loaded.authority.isOurs ? "; \(Invocation.name) ca rotate makes a new one" : ""
                StandardError.warn("the certificate authority ends on \(end)\(next)")
            }
        case .made: StandardError.note("made a new certificate authority: \(files.certificatePath)")
        case .madeAfterEnd(_, let end):
            StandardError.warn(
                "the certificate authority ended on \(day(end)); made a new one: \(files.certificatePath)"
            )
            tellOfOldTrust(files, new: AuthorityIdentity(loaded.authority.certificate))
        case .madeInPlaceOfHalf(let missing):
            let reason = missing.map { "\($0) was missing" } ?? "ca.pem and ca.key did not belong together"
            StandardError.warn("\(reason); made a new certificate authority: \(files.certificatePath)")
            tellOfOldTrust(files, new: AuthorityIdentity(loaded.authority.certificate))
        }
        return loaded.authority
    }

    /// Clients that trust the old authority do not know the new one.
    private static func tellOfOldTrust(_ files: AuthorityFiles, new: AuthorityIdentity) {
        guard let records = try? files.trustRecords() else { return }
        let old = TrustRecords(records: records.records.filter { $0.authority != new }).stores
        guard old.isEmpty else {
            StandardError.warn(
                "the old one is trusted in \(old.map(\.title).joined(separator: ", ")), the new one is not: "
                    + "run \(Invocation.name) ca rotate"
            )
            return
        }
        StandardError.note("clients that were told to trust the old one have to be given the new one")
    }

    private static func day(_ time: Timestamp) -> Substring { time.rfc3339.prefix(10) }
}
