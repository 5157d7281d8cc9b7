import Captures
import ArgumentParser
import Foundation
import Proxy

/// `authreel ca trust`.
struct AuthorityTrust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Makes this machine trust the certificate: system, browsers, Java.",
        discussion: """
            Prints the commands it will run, then asks. What needs root's rights is run with sudo. Whoever has the \
            authority's key can then pose as any site to the programs of this machine: take the trust back with \
            `authreel ca untrust` when the login is recorded.

            Examples:
              authreel ca trust                 # whatever stores there are
              authreel ca trust --store system --yes
              authreel ca trust --nss-dir ~/.mozilla/firefox/work.default
              authreel ca trust --dry-run       # only the commands
            """
    )

    @OptionGroup var stores: TrustStoreOptions
    @OptionGroup var consent: ConsentOptions
    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let session = try TrustSession(authority: authority, consent: consent)
        let identity = try identity(session)
        let records = try session.records()
        // With what a rotation that failed has left undone.
        let chosen = try stores.stores(session.planner, remembered: records.pending)
        guard !chosen.isEmpty else {
            throw CommandFailure(
                .noInput,
                "no trust store was found on this machine",
                hint: "name one: --nss-dir DIR, --keystore FILE, --java-home DIR"
            )
        }
        let plan = session.planner.trusting(identity, in: chosen, known: records)
        let isAllUnmet = plan.isEmpty && plan.settled.isEmpty
        try session.settle(plan.unmet) { !stores.isDefault || isAllUnmet || records.pending.contains($0) }
        for store in plan.settled { StandardError.note("trusted already in \(store.title)") }
        guard !plan.isEmpty else { return }
        guard try session.agree(to: plan.lines(isRoot: session.machine.isRoot), needsRoot: plan.needsRoot)
        else {
            return
        }
        try session.carryOut(
            plan,
            known: records,
            next:
                "\(Invocation.name) ca untrust takes back what was done, \(Invocation.name) ca trust tries again"
        )
        StandardError.note("trusted in \(plan.stores.map(\.title).joined(separator: ", "))")
        StandardError.note("programs that are running may have to be started again")
        StandardError.note("to take it back: \(Invocation.name) ca untrust")
    }

    /// A dry run makes nothing, not even the authority.
    private func identity(_ session: TrustSession) throws -> AuthorityIdentity {
        guard consent.dryRun else {
            return AuthorityIdentity(try AuthorityOptions.open(session.files).certificate)
        }
        if let certificate = try CommandFailure.wrapping({ try session.files.certificate() }) {
            return AuthorityIdentity(certificate)
        }
        print(
            "# first an authority is made in \(ShellWord.quoted(session.files.folder)); NEW stands for its fingerprint"
        )
        return .yetToBeMade
    }
}
