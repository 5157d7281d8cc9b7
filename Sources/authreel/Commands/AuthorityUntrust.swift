import ArgumentParser
import Foundation
import LibCrypto
import Proxy

/// `authreel ca untrust`.
struct AuthorityUntrust: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "untrust",
        abstract: "Takes back what `ca trust` has done.",
        discussion: """
            Leaves the stores as they were before, as far as nobody else has changed them since. Authorities of \
            former times are taken out too, and one that was trusted by hand.

            Examples:
              authreel ca untrust
              authreel ca untrust --store nss --yes
              authreel ca untrust --dry-run     # only the commands
            """
    )

    @Flag(
        help: "Also authorities of authreel that are not of this folder: of a folder that was removed, say."
    )
    var all = false

    @OptionGroup var stores: TrustStoreOptions
    @OptionGroup var consent: ConsentOptions
    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let session = try TrustSession(authority: authority, consent: consent)
        var records = try session.records()
        let planner = session.planner
        let chosen = try stores.stores(planner, remembered: records.stores + records.pending)
        let identities = try currentAuthority(session.files).map { [$0] } ?? []
        let plan = planner.untrusting(identities, in: chosen, known: records, takesAll: all)
        try session.settle(plan.unmet) { store in
            !stores.isDefault || records.stores.contains(store)
        }
        for remark in plan.remarks { StandardError.warn("\(remark): --all takes it out too") }
        if !plan.isEmpty {
            let lines = plan.lines(isRoot: session.machine.isRoot)
            guard try session.agree(to: lines, needsRoot: plan.needsRoot) else { return }
        }
        if consent.dryRun {
            StandardError.note("not trusted in any store: nothing to take back")
            return
        }
        guard !(plan.isEmpty && records.isEmpty) else {
            StandardError.note("not trusted in any store: nothing to take back")
            return
        }
        records = try session.carryOut(
            plan,
            known: records,
            next: "\(Invocation.name) ca untrust goes on where this ended"
        )
        try session.update(&records) { records throws(ProxyError) in
            records.pending.removeAll { chosen.contains($0) }
        }
        guard !plan.isEmpty else {
            StandardError.note("not trusted in any store any more: nothing to take back")
            return
        }
        StandardError.note("no longer trusted in \(plan.stores.map(\.title).joined(separator: ", "))")
        StandardError.note("programs that are running may have to be started again")
    }

    /// The authority of the folder, whatever its key is like; an unreadable one does not keep others in trust.
    private func currentAuthority(_ files: AuthorityFiles) throws -> AuthorityIdentity? {
        do {
            return try files.certificate().map { AuthorityIdentity($0) }
        } catch {
            guard case .authorityCorrupt = error else { throw CommandFailure(error) }
            StandardError.warn("\(error); going by what is remembered")
            return nil
        }
    }
}
