import Captures
import ArgumentParser
import Foundation
import LibCrypto
import Proxy

/// `authreel ca rotate`.
struct AuthorityRotate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Makes a new certificate authority in place of the old one.",
        discussion: """
            Where the old one is trusted it is taken out, and the new one is put into the same stores: prints the \
            commands for that, then asks. Where it is trusted nowhere there is nothing to ask.

            Examples:
              authreel ca rotate
              authreel ca rotate --yes
            """
    )

    @OptionGroup var consent: ConsentOptions
    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let session = try TrustSession(authority: authority, consent: consent)
        let files = session.files
        try CommandFailure.wrapping { try files.checkReplaceable() }
        let planner = session.planner
        let known = try session.records()
        let old = try oldAuthority(files)
        let looked = planner.stores()
        let places = looked + (known.stores + known.pending).filter { !looked.contains($0) }
        let removal = planner.untrusting(old.map { [$0] } ?? [], in: places, known: known, keepsPlaces: true)
        try session.settle(removal.unmet) { known.stores.contains($0) || known.pending.contains($0) }

        let made = try makeAuthority()
        let stores = planner.withoutHooked(removal.stores + known.pending)
        let identity = consent.dryRun ? .yetToBeMade : AuthorityIdentity(made.authority.certificate)
        let trust = planner.trusting(identity, in: stores, known: known, isReplacing: true)
        try session.settle(trust.unmet) { _ in true }

        if removal.isEmpty && trust.isEmpty {
            if consent.dryRun {
                print("# trusted in no store; a new authority is made in \(ShellWord.quoted(files.folder))")
                return
            }
        } else {
            let lines = Self.lines(removal, trust, files: files, session: session)
            let needsRoot = removal.needsRoot || trust.needsRoot
            guard try session.agree(to: lines, needsRoot: needsRoot) else { return }
        }
        try replace(
            known: known,
            removal: removal,
            made: made,
            trust: trust,
            stores: stores,
            session: session
        )

        StandardError.note("made a new certificate authority: \(files.certificatePath)")
        if !trust.isEmpty {
            StandardError.note("trusted in \(trust.stores.map(\.title).joined(separator: ", "))")
        }
        if old != nil {
            StandardError.note(
                "clients that were told by hand to trust the old one have to be given the new one; "
                    + "a recorder that is running goes on with the old one"
            )
        }
    }

    private typealias Made = (authority: CertificateAuthority, key: PrivateKey)

    private func makeAuthority() throws -> Made {
        do {
            let (authority, key) = try CertificateAuthority.make(now: SystemClock.now)
            return (authority, key)
        } catch {
            throw CommandFailure(.bug, error.description)
        }
    }

    /// Old authority out, new files, new authority in; at each moment it is remembered what is still to come.
    private func replace(
        known: TrustRecords,
        removal: TrustPlan,
        made: Made,
        trust: TrustPlan,
        stores: [TrustStore],
        session: TrustSession
    ) throws {
        let next =
            "\(Invocation.name) ca rotate tries again, \(Invocation.name) ca untrust takes everything back"
        var records = known
        if !stores.isEmpty {
            try session.update(&records) { records throws(ProxyError) in records.pending = stores }
        }
        records = try session.carryOut(removal, known: records, next: next)
        let files = session.files
        try CommandFailure.wrapping {
            try files.makeFolder()
            try files.whileLocked { () throws(ProxyError) in try files.install(made.authority, key: made.key)
            }
        }
        let done = removal.isEmpty ? [] : ["the old authority was taken out"]
        try session.carryOut(trust, known: records, done: done + ["the new authority was made"], next: next)
    }

    private static func lines(
        _ removal: TrustPlan,
        _ trust: TrustPlan,
        files: AuthorityFiles,
        session: TrustSession
    ) -> [String] {
        let isRoot = session.machine.isRoot
        let stand = session.consent.dryRun && !trust.isEmpty ? "; NEW stands for its fingerprint" : ""
        return removal.lines(isRoot: isRoot)
            + ["# then a new authority is made in \(ShellWord.quoted(files.folder))\(stand)"]
            + trust.lines(isRoot: isRoot)
    }

    /// The authority that goes; one that cannot be read goes as well.
    private func oldAuthority(_ files: AuthorityFiles) throws -> AuthorityIdentity? {
        do {
            return try files.certificate().map { AuthorityIdentity($0) }
        } catch {
            guard case .authorityCorrupt = error else { throw CommandFailure(error) }
            StandardError.warn("\(error); it is replaced")
            return nil
        }
    }
}
