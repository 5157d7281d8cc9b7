internal import Captures

extension TrustPlanner {
    /// What takes authorities out of stores.
    ///
    /// - Parameters:
    ///   - identities: besides those that are remembered.
    ///   - stores: where to look; those that are remembered have to be named too.
    ///   - known: what is remembered.
    ///   - takesAll: whether certificates that have our names, but are of another folder's authority, go as well.
    ///   - keepsPlaces: whether folders and databases that were made stay, for the authority that comes next.
    /// - Returns: the plan.
    package func untrusting(
        _ identities: [AuthorityIdentity],
        in stores: [TrustStore],
        known: TrustRecords,
        takesAll: Bool = false,
        keepsPlaces: Bool = false
    ) -> TrustPlan {
        var own = identities
        for record in known.records where !own.contains(record.authority) { own.append(record.authority) }
        let removal = Removal(own: own, takesAll: takesAll, keepsPlaces: keepsPlaces)
        var plan = TrustPlan()
        for store in withHooked(stores) {
            let records = known.records.filter { $0.store == store }
            do throws(StoreUnreadable) {
                let (change, foreign) = try untrusting(store, records: records, removal)
                plan.remarks += foreign.map {
                    "\(store.title) holds \(ShellWord.quoted($0.name)), an authority of another folder"
                }
                if change.steps.isEmpty {
                    plan.forgets += change.drops
                    plan.settled.append(store)
                } else {
                    plan.changes.append(change)
                }
            } catch {
                plan.unmet.append(UnmetStore(store: store, reason: error.reason, advice: error.advice))
            }
        }
        return plan
    }

    /// What is to be removed, and how thoroughly.
    private struct Removal {
        var own: [AuthorityIdentity]
        var takesAll: Bool
        var keepsPlaces: Bool

        func split(_ holdings: [TrustHolding]) -> (ours: [TrustHolding], foreign: [TrustHolding]) {
            let ours = holdings.filter { holding in
                own.contains { holding.isOf($0) } || takesAll && holding.hasOurName
            }
            return (ours, holdings.filter { $0.hasOurName && !ours.contains($0) })
        }
    }

    /// Stores without the keystore that the system's hook will change.
    package func withoutHooked(_ stores: [TrustStore]) -> [TrustStore] {
        let hooked = stores.compactMap { store -> TrustStore? in
            guard case .system(let system) = store else { return nil }
            return JavaKeystore.hooked(by: system, on: machine).map { .java(keystore: $0) }
        }
        return stores.reduce(into: []) { if !hooked.contains($1), !$0.contains($1) { $0.append($1) } }
    }

    /// Where the system's store is changed, Java's keystore may be by its hook.
    private func withHooked(_ stores: [TrustStore]) -> [TrustStore] {
        var all = stores.reduce(into: [TrustStore]()) { if !$0.contains($1) { $0.append($1) } }
        for case .system(let system) in stores {
            guard let keystore = JavaKeystore.hooked(by: system, on: machine) else { continue }
            if !all.contains(.java(keystore: keystore)) { all.append(.java(keystore: keystore)) }
        }
        return all
    }

    private func untrusting(
        _ store: TrustStore,
        records: [TrustRecord],
        _ removal: Removal
    ) throws(StoreUnreadable) -> (TrustChange, foreign: [TrustHolding]) {
        // What was made stays remembered as ours until the next authority's record says so.
        let drops =
            removal.keepsPlaces ? records.filter { !$0.madeDatabase && $0.madeFolders.isEmpty } : records
        var change = TrustChange(store: store, steps: [], drops: drops)
        var foreign: [TrustHolding] = []
        let madeFolders = removal.keepsPlaces ? [] : records.flatMap(\.madeFolders)
        switch store {
        case .system(.macOS):
            let holdings: [TrustHolding]
            (holdings, foreign) = removal.split(try LoginKeychain.holdings(on: machine))
            change.steps = LoginKeychain.untrusting(holdings, on: machine)
        case .system(let system):
            var traces = SystemTraces()
            for identity in removal.own { traces.merge(system.traces(of: identity, on: machine)) }
            let rest = system.anchorFiles(on: machine).filter { !traces.anchors.contains($0.name) }
            if removal.takesAll {
                for holding in rest { traces.merge(system.traces(ofFile: holding.name, on: machine)) }
            } else {
                foreign = rest
            }
            if !traces.isEmpty { change.steps = try tooled(store) { system.untrusting(traces, on: machine) } }
            change.steps += removing(madeFolders, emptiedOf: traces.anchors, needsRoot: true)
        case .nss(let folder):
            (change.steps, foreign) = try untrusting(database: folder, records: records, removal, madeFolders)
        case .java(let keystore):
            (change.steps, foreign) = try untrusting(keystore: keystore, records: records, removal)
        }
        return (change, foreign)
    }

    private func untrusting(
        database folder: String,
        records: [TrustRecord],
        _ removal: Removal,
        _ madeFolders: [String]
    ) throws(StoreUnreadable) -> ([TrustStep], foreign: [TrustHolding]) {
        guard NSSDatabase.exists(folder, on: machine) else {
            return (removing(madeFolders, emptiedOf: [], needsRoot: false), [])
        }
        let (found, count) = try tooled(.nss(folder: folder)) { () throws(StoreUnreadable) in
            try NSSDatabase.holdings(in: folder, on: machine)
        }
        let (ours, foreign) = removal.split(found)
        if !removal.keepsPlaces, records.contains(where: \.madeDatabase),
            NSSDatabase.holdsNothingElse(in: folder, holdings: ours, count: count, on: machine)
        {
            let files = NSSDatabase.files.map { "\(folder)/\($0)" }.filter { machine.kind(of: $0) != nil }
            let steps = [TrustStep(["rm", "-f"] + files)]
            return (steps + removing(madeFolders, emptiedOf: files, needsRoot: false), foreign)
        }
        return (NSSDatabase.untrusting(ours, in: folder, on: machine), foreign)
    }

    /// A keystore that nobody has changed since gets back its former bytes; from another one entries are deleted.
    private func untrusting(
        keystore: String,
        records: [TrustRecord],
        _ removal: Removal
    ) throws(StoreUnreadable) -> ([TrustStep], foreign: [TrustHolding]) {
        guard let bytes = machine.contents(of: keystore) else {
            guard machine.kind(of: keystore) != nil else { return ([], []) }
            throw StoreUnreadable(
                reason: "it cannot be read",
                advice: "look at its owner and mode"
            )
        }
        var digest = TrustRecord.digest(of: bytes)
        var source: String?
        var restored: Set<AuthorityIdentity> = []
        for record in records.reversed() {
            guard let backup = record.backup else { break }
            if backup.before != digest {
                let path = files.path(ofBackup: backup)
                let isUnchanged =
                    backup.after == digest
                    // Killed before that could be told.
                    || backup.after == nil && source == nil && differsByOurs(keystore, from: path, removal)
                guard isUnchanged, machine.contents(of: path).map(TrustRecord.digest(of:)) == backup.before
                else { break }
                (source, digest) = (path, backup.before)
            }
            restored.insert(record.authority)
        }
        var steps: [TrustStep] = []
        if let source {
            steps.append(TrustStep(["cp", source, keystore], needsRoot: !machine.isWritable(keystore)))
            // Without a look into it: what it held before is not ours to judge.
            if restored.isSuperset(of: records.map(\.authority)),
                machine.command(for: JavaKeystore.tool) == nil
            {
                return (steps, [])
            }
        }
        let found = try tooled(.java(keystore: keystore)) { () throws(StoreUnreadable) in
            try JavaKeystore.holdings(in: keystore, on: machine)
        }
        let (ours, foreign) = removal.split(found)
        let left = ours.filter { holding in !restored.contains { holding.isOf($0) } }
        return (steps + JavaKeystore.untrusting(left, in: keystore, on: machine), foreign)
    }

    /// Whether a keystore holds what its copy holds and nothing else but certificates of ours.
    private func differsByOurs(_ keystore: String, from copy: String, _ removal: Removal) -> Bool {
        guard let now = try? JavaKeystore.holdings(in: keystore, on: machine),
            let former = try? JavaKeystore.holdings(in: copy, on: machine)
        else { return false }
        let ours = removal.split(now).ours
        return Set(now.filter { !ours.contains($0) }) == Set(former)
    }

    /// The folders that were made, innermost first, as far as they will be empty.
    private func removing(
        _ folders: [String],
        emptiedOf paths: [String],
        needsRoot: Bool
    ) -> [TrustStep] {
        var gone = Set(paths)
        var steps: [TrustStep] = []
        for folder in folders.reversed() where machine.isFolder(folder) && !gone.contains(folder) {
            guard machine.names(in: folder).allSatisfy({ gone.contains("\(folder)/\($0)") }) else { break }
            steps.append(TrustStep(["rmdir", folder], needsRoot: needsRoot))
            gone.insert(folder)
        }
        return steps
    }
}
