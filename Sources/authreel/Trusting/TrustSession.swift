import Captures
import ArgumentParser
import Foundation
import Proxy

/// Carries out plans: prints the commands, asks, runs them, and keeps what undoes them.
struct TrustSession {
    let files: AuthorityFiles
    let machine = ThisMachine()
    let consent: ConsentOptions

    /// Throws ``CommandFailure`` where the default folder would be root's by mistake.
    init(authority: AuthorityOptions, consent: ConsentOptions) throws {
        let environment = ProcessInfo.processInfo.environment
        if authority.folder == nil, geteuid() == 0, let user = environment["SUDO_USER"],
            !["", "root"].contains(user)
        {
            throw CommandFailure(
                .usage,
                "under sudo this would be about root's authority, not \(user)'s",
                hint: "run it without sudo: it calls sudo for what needs it; --ca-dir DIR names a folder"
            )
        }
        let folder = try authority.files().folder
        // The commands may be run from anywhere.
        let current = FileManager.default.currentDirectoryPath
        files = AuthorityFiles(folder: folder.hasPrefix("/") ? folder : "\(current)/\(folder)")
        self.consent = consent
    }

    var planner: TrustPlanner<ThisMachine> { TrustPlanner(machine: machine, files: files) }

    func records() throws -> TrustRecords { try CommandFailure.wrapping { try files.trustRecords() } }

    // MARK: - Before

    /// Refuses stores that cannot be changed where that matters, and warns of the others.
    ///
    /// - Parameters:
    ///   - unmet: the stores.
    ///   - isNeeded: whether the command is about this one.
    /// - Throws: ``CommandFailure`` for the first that is needed.
    func settle(_ unmet: [UnmetStore], isNeeded: (TrustStore) -> Bool) throws {
        for store in unmet where !isNeeded(store.store) {
            StandardError.warn("\(store.store.title) is left out: \(store.reason) (\(store.advice))")
        }
        guard let first = unmet.first(where: { isNeeded($0.store) }) else { return }
        throw CommandFailure(
            .unavailable,
            "\(first.store.title): \(first.reason); nothing was changed",
            hint: first.advice
        )
    }

    /// Prints the commands and asks.
    ///
    /// - Parameters:
    ///   - lines: what will be run.
    ///   - needsRoot: whether sudo has to be there.
    /// - Returns: whether to go on; false after a dry run.
    /// - Throws: ``CommandFailure`` when nobody can be asked, `ExitCode` when the answer is no.
    func agree(to lines: [String], needsRoot: Bool) throws -> Bool {
        for line in lines { print(line) }
        fflush(nil)
        if consent.dryRun { return false }
        if needsRoot, !machine.isRoot, machine.command(for: "sudo") == nil {
            throw CommandFailure(
                .unavailable,
                "the commands with sudo need root's rights, and sudo is not installed; nothing was changed",
                hint: "run the commands above by hand, those with sudo as root"
            )
        }
        if consent.yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .usage,
                "this changes what the machine trusts and there is no terminal to ask on; nothing was changed",
                hint: "add --yes to run the commands above, or run them by hand"
            )
        }
        FileHandle.standardError.write(Data("Go on? [y/N] ".utf8))
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
        guard ["y", "yes"].contains(answer) else {
            StandardError.note("nothing was changed")
            throw ExitCode(ExitStatus.negative.rawValue)
        }
        return true
    }

    // MARK: - Doing

    /// Runs the commands of a plan, remembering each change before it and forgetting it when it is undone.
    ///
    /// - Parameters:
    ///   - plan: as it was shown.
    ///   - known: what it was made from; where that has changed meanwhile, nothing is done.
    ///   - done: what was done before, for the message where something fails.
    ///   - next: the command that goes on after a failure.
    /// - Returns: what is remembered afterwards.
    /// - Throws: ``CommandFailure`` at the first command that fails.
    @discardableResult
    func carryOut(
        _ plan: TrustPlan,
        known: TrustRecords,
        done: [String] = [],
        next: String
    ) throws -> TrustRecords {
        try checkUnchanged(since: known)
        var records = known
        try forget(plan.forgets, in: &records)
        var done = done
        for change in plan.changes { try carryOut(change, &records, &done, next) }
        return records
    }

    private func carryOut(
        _ change: TrustChange,
        _ records: inout TrustRecords,
        _ done: inout [String],
        _ next: String
    ) throws {
        try begin(change, &records)
        for step in change.steps {
            let words = step.words(isRoot: machine.isRoot)
            let status = ToolRunner.run(words)
            guard status == 0 else {
                try giveUp(change, &records)
                throw Self.failure(of: words, status, of: change, behind: done, next)
            }
            done.append("`\(ShellWord.line(words))`")
        }
        try finish(change, &records)
        guard hasComeAbout(change) else {
            try giveUp(change, &records)
            throw CommandFailure(
                .unavailable,
                "every command has succeeded, but \(change.store.title) "
                    + (change.adds.isEmpty ? "still holds the authority" : "does not trust the authority"),
                hint: next
            )
        }
        guard !change.adds.isEmpty else { return }
        try update(&records) { records throws(ProxyError) in
            records.pending.removeAll { $0 == change.store }
        }
    }

    private func checkUnchanged(since known: TrustRecords) throws {
        try CommandFailure.wrapping {
            try files.whileLocked { () throws(ProxyError) in
                guard try files.trustRecords() == known else {
                    throw .authority(
                        path: files.folder,
                        reason: "another authreel has just changed what is trusted"
                    )
                }
            }
        }
    }

    private static func failure(
        of words: [String],
        _ status: Int32,
        of change: TrustChange,
        behind done: [String],
        _ next: String
    ) -> CommandFailure {
        let before =
            done.isEmpty ? "nothing else was done before" : "done before: \(done.joined(separator: "; "))"
        let password = " (a database with a password asks for it on a terminal)"
        return CommandFailure(
            .unavailable,
            "`\(ShellWord.line(words))` \(ending(status)); \(before)",
            hint: next + (change.store.kind == .nss ? password : "")
        )
    }

    /// Looks into the store again: a tool's word is not enough.
    private func hasComeAbout(_ change: TrustChange) -> Bool {
        if let added = change.adds.first {
            let planned = planner.trusting(added.authority, in: [change.store], known: TrustRecords())
            return planned.settled.contains(change.store)
        }
        let gone = TrustRecords(records: change.drops)
        let planned = planner.untrusting([], in: [change.store], known: gone, keepsPlaces: true)
        return !planned.stores.contains(change.store)
    }

    /// Remembers what will be done, with copies of the keystores it may change.
    private func begin(_ change: TrustChange, _ records: inout TrustRecords) throws {
        let current = change.adds.map { record in
            guard case .java(let keystore) = record.store else { return record }
            // As it is now: the plan may have been made before another change.
            var record = record
            record.backup = planner.backup(of: keystore)
            return record
        }
        try update(&records) { records throws(ProxyError) in
            for record in current {
                if let backup = record.backup, case .java(let keystore) = record.store {
                    try files.keep(machine.contents(of: keystore) ?? [], as: backup)
                }
                records.add(record)
            }
        }
    }

    /// Remembers what came of it, and forgets what it has undone.
    private func finish(_ change: TrustChange, _ records: inout TrustRecords) throws {
        var unchanged: [TrustRecord] = []
        try update(&records) { records throws(ProxyError) in
            for var record in records.records where change.adds.contains(where: { $0.isAbout(record) }) {
                guard let backup = record.backup, case .java(let keystore) = record.store else { continue }
                let digest = machine.contents(of: keystore).map(TrustRecord.digest(of:))
                record.backup?.after = digest
                records.add(record)
                if digest == backup.before { unchanged.append(record) }
            }
        }
        for record in unchanged where record.store != change.store {
            // Without a Java runtime, or where /etc/default/cacerts says so, the hook does nothing.
            StandardError.warn(
                "\(record.store.title) was left as it was by the system's hook: "
                    + "\(Invocation.name) ca trust --store java"
            )
        }
        try forget(unchanged, in: &records)
        try forget(change.drops.filter { old in !change.adds.contains { $0.isAbout(old) } }, in: &records)
    }

    /// After a failure: what has not come about is not remembered.
    private func giveUp(_ change: TrustChange, _ records: inout TrustRecords) throws {
        guard !change.adds.isEmpty else { return }
        let known = TrustRecords(
            records: records.records.filter { record in change.adds.contains { $0.isAbout(record) } }
        )
        let rest = planner.untrusting([], in: change.adds.map(\.store), known: known)
        try forget(rest.forgets, in: &records)
    }

    private func forget(_ gone: [TrustRecord], in records: inout TrustRecords) throws {
        guard !gone.isEmpty else { return }
        try update(&records) { records throws(ProxyError) in
            records.records.removeAll { record in gone.contains { $0.isAbout(record) } }
        }
    }

    /// Changes what is remembered, in the file first.
    func update(
        _ records: inout TrustRecords,
        _ body: (inout TrustRecords) throws(ProxyError) -> Void
    ) throws {
        var changed = records
        try CommandFailure.wrapping {
            try files.whileLocked { () throws(ProxyError) in
                try body(&changed)
                if changed != records { try files.remember(changed) }
            }
        }
        let kept = Set(changed.records.compactMap(\.backup?.file))
        for backup in records.records.compactMap(\.backup) where !kept.contains(backup.file) {
            files.remove(backup)
        }
        records = changed
    }

    private static func ending(_ status: Int32) -> String {
        switch status {
        case 127: "could not be started"
        case 129..<160: "was ended by signal \(status - 128)"
        default: "ended with status \(status)"
        }
    }
}
