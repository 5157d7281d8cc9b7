internal import Captures
internal import LibCrypto

/// Says which commands make the stores of a machine trust an authority, and which take that back.
///
/// Looks at the machine, changes nothing, runs nothing but what lists a store.
package struct TrustPlanner<Machine: TrustMachine> {
    package let machine: Machine
    package let files: AuthorityFiles

    package init(machine: Machine, files: AuthorityFiles) {
        self.machine = machine
        self.files = files
    }

    // MARK: - Which stores

    /// The stores of this machine that clients look into.
    ///
    /// - Parameter kinds: those that were asked for by name; an NSS database is then named even if it has yet to
    ///   be made, and a keystore even where the system's own updates reach it.
    /// - Returns: each once: the system's first, since it may change Java's keystore too.
    package func stores(asked kinds: Set<TrustStore.Kind> = []) -> [TrustStore] {
        let wanted = kinds.isEmpty ? Set(TrustStore.Kind.allCases) : kinds
        var stores: [TrustStore] = []
        let system = SystemStore.present(on: machine)
        if wanted.contains(.system), let system { stores.append(.system(system)) }
        if wanted.contains(.nss) {
            stores += NSSDatabase.present(on: machine, isAskedFor: kinds.contains(.nss)).map {
                .nss(folder: $0)
            }
        }
        if wanted.contains(.java) {
            let hooked = system.flatMap { JavaKeystore.hooked(by: $0, on: machine) }
            stores += JavaKeystore.present(on: machine)
                .filter { keystore in
                    !JavaKeystore.isGenerated(keystore)
                        && !(wanted.contains(.system) && system != nil && keystore == hooked)
                }
                .map { .java(keystore: $0) }
        }
        return stores
    }

    /// The database in a folder.
    package func nssStore(folder: String) -> TrustStore {
        .nss(folder: machine.realPath(of: folder) ?? folder)
    }

    /// Whether the store has a database, or is the one place where one will be made.
    package func canHoldDatabase(_ store: TrustStore) -> Bool {
        guard case .nss(let folder) = store else { return false }
        let shared = NSSDatabase.shared(on: machine).map { machine.realPath(of: $0) ?? $0 }
        return folder == shared || NSSDatabase.exists(folder, on: machine)
    }

    /// The keystore at a path, or of a Java home; nil where there is none.
    package func javaStore(at path: String) -> TrustStore? {
        if machine.isFolder(path) {
            return JavaKeystore.keystore(ofHome: path, on: machine).map { .java(keystore: $0) }
        }
        guard machine.isFile(path) else { return nil }
        return machine.realPath(of: path).map { .java(keystore: $0) }
    }

    // MARK: - Trusting

    /// What makes stores trust an authority.
    ///
    /// - Parameters:
    ///   - identity: the authority whose certificate is, or will be, in the folder.
    ///   - stores: where.
    ///   - known: what is remembered; what it says of folders and databases that were made is kept.
    ///   - isReplacing: whether the remembered authorities leave the stores before.
    /// - Returns: the plan.
    package func trusting(
        _ identity: AuthorityIdentity,
        in stores: [TrustStore],
        known: TrustRecords,
        isReplacing: Bool = false
    ) -> TrustPlan {
        var plan = TrustPlan()
        for store in stores {
            if let unmet = missingTool(for: store) {
                plan.unmet.append(unmet)
                continue
            }
            do throws(StoreUnreadable) {
                guard var change = try trusting(identity, in: store) else {
                    plan.settled.append(store)
                    continue
                }
                change.adds = change.adds.map { merged($0, with: known, isReplacing: isReplacing) }
                if isReplacing { change.drops = known.records.filter { $0.store == store } }
                plan.changes.append(change)
            } catch {
                plan.unmet.append(UnmetStore(store: store, reason: error.reason, advice: error.advice))
            }
        }
        return plan
    }

    /// Nil where it is trusted already.
    private func trusting(
        _ identity: AuthorityIdentity,
        in store: TrustStore
    ) throws(StoreUnreadable) -> TrustChange? {
        let path = files.certificatePath
        var change = TrustChange(store: store, steps: [])
        var record = TrustRecord(store: store, authority: identity)
        switch store {
        case .system(.macOS):
            guard try !LoginKeychain.holdings(on: machine).contains(where: { $0.isOf(identity) }) else {
                return nil
            }
            change.steps = LoginKeychain.trusting(certificatePath: path, on: machine)
            change.adds = [record]
        case .system(let system):
            guard !system.traces(of: identity, on: machine).isTrusted else { return nil }
            (change.steps, record.madeFolders) = system.trusting(identity, certificatePath: path, on: machine)
            change.adds = [record]
            if let keystore = JavaKeystore.hooked(by: system, on: machine) {
                change.remarks = ["and, by the hook of ca-certificates-java, the Java keystore \(keystore)"]
                var hooked = TrustRecord(store: .java(keystore: keystore), authority: identity)
                hooked.backup = backup(of: keystore)
                change.adds.append(hooked)
            }
        case .nss(let folder):
            if NSSDatabase.exists(folder, on: machine) {
                let (ours, _) = try NSSDatabase.holdings(in: folder, on: machine)
                if ours.contains(where: { $0.isOf(identity) && $0.isTrusted }) { return nil }
            }
            (change.steps, record.madeFolders, record.madeDatabase) = NSSDatabase.trusting(
                identity,
                in: folder,
                certificatePath: path,
                on: machine
            )
            change.adds = [record]
        case .java(let keystore):
            if try JavaKeystore.holdings(in: keystore, on: machine).contains(where: { $0.isOf(identity) }) {
                return nil
            }
            change.steps = JavaKeystore.trusting(identity, in: keystore, certificatePath: path, on: machine)
            record.backup = backup(of: keystore)
            change.adds = [record]
        }
        return change
    }

    /// What a copy of a keystore is kept as; nil where it cannot be read.
    package func backup(of keystore: String) -> TrustRecord.KeystoreBackup? {
        machine.contents(of: keystore).map { bytes in
            let digest = TrustRecord.digest(of: bytes)
            return .init(file: "keystore-\(digest.prefix(16)).bak", before: digest, after: nil)
        }
    }

    /// What an earlier, interrupted change or the authority before has made stays made by us.
    private func merged(_ record: TrustRecord, with known: TrustRecords, isReplacing: Bool) -> TrustRecord {
        var merged = record
        for earlier in known.records
        where earlier.store == record.store && (isReplacing || earlier.authority == record.authority) {
            let folders = earlier.madeFolders.filter { !merged.madeFolders.contains($0) }
            merged.madeFolders = folders + merged.madeFolders
            merged.madeDatabase = merged.madeDatabase || earlier.madeDatabase
        }
        return merged
    }

    // MARK: - Tools

    func tooled<Value>(
        _ store: TrustStore,
        _ body: () throws(StoreUnreadable) -> Value
    ) throws(StoreUnreadable) -> Value {
        if let unmet = missingTool(for: store) {
            throw StoreUnreadable(reason: unmet.reason, advice: unmet.advice)
        }
        return try body()
    }

    /// What to install for a store, and how to do without; nil where nothing is missing.
    private func missingTool(for store: TrustStore) -> UnmetStore? {
        let family = SystemStore.present(on: machine)
        let certificate = ShellWord.quoted(files.certificatePath)
        let sudo = machine.isRoot ? "" : "sudo "
        switch store {
        case .system(let system):
            guard machine.command(for: system.updater) == nil else { return nil }
            return UnmetStore(
                store: store,
                reason: "\(system.updater) is not installed",
                advice: "\(sudo)\(system.installation)"
            )
        case .nss:
            guard machine.command(for: NSSDatabase.tool) == nil else { return nil }
            let package = family?.nssInstallation ?? "install the tools of NSS"
            return UnmetStore(
                store: store,
                reason: "certutil, the tool of NSS, is not installed",
                advice: "\(family == nil || family == .macOS ? "" : sudo)\(package); or by hand: import "
                    + "\(certificate) in the browser's settings, under certificates, authorities"
            )
        case .java:
            guard machine.command(for: JavaKeystore.tool) == nil else { return nil }
            return UnmetStore(
                store: store,
                reason: "keytool is not in PATH",
                advice: "it is in the bin folder of the Java home: add that to PATH"
            )
        }
    }
}

extension SystemStore {
    /// The package that has `certutil`, as its installer is called.
    fileprivate var nssInstallation: String {
        switch self {
        case .debian: "apt-get install libnss3-tools"
        case .fedora: "dnf install nss-tools"
        case .arch: "pacman -S nss"
        case .suse: "zypper install mozilla-nss-tools"
        case .macOS: "brew install nss"
        }
    }
}
