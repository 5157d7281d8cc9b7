internal import Captures
internal import LibCrypto

/// Databases of NSS (`cert9.db`), read and changed with its `certutil`.
enum NSSDatabase {
    static let tool = "certutil"
    /// What a database consists of.
    static let files = ["cert9.db", "key4.db", "pkcs11.txt"]

    /// Browsers that share the database in the home folder.
    private static let browsers = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
        "brave-browser",
    ]
    /// Where Firefox keeps its profiles, below the home folder: as a package, as a snap, as a flatpak.
    private static let firefoxFolders = [
        ".mozilla/firefox", ".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
        ".var/app/org.mozilla.firefox/.mozilla/firefox", "Library/Application Support/Firefox/Profiles",
    ]

    /// The database that Chromium and its kin read; it need not exist.
    static func shared(on machine: some TrustMachine) -> String? { machine.home.map { "\($0)/.pki/nssdb" } }

    /// The databases of this user that exist, and the shared one where a browser is installed that reads it.
    ///
    /// - Parameters:
    ///   - machine: where to look.
    ///   - isAskedFor: the shared one is then named whether or not there is such a browser.
    /// - Returns: folders.
    static func present(on machine: some TrustMachine, isAskedFor: Bool) -> [String] {
        guard let home = machine.home, let shared = shared(on: machine) else { return [] }
        var found: [String] = []
        if exists(shared, on: machine) || isAskedFor
            || browsers.contains(where: { machine.command(for: $0) != nil })
        {
            found.append(shared)
        }
        // Newer Chromium, where there is no `.pki`; its snaps.
        let others = [
            "\(machine.dataHome ?? "\(home)/.local/share")/pki/nssdb",
            "\(home)/snap/chromium/current/.pki/nssdb",
        ]
        let profiles = firefoxFolders.flatMap { folder in
            machine.names(in: "\(home)/\(folder)").map { "\(home)/\(folder)/\($0)" }
        }
        found += (others + profiles).filter { exists($0, on: machine) && !found.contains($0) }
        return found
    }

    static func exists(_ folder: String, on machine: some TrustMachine) -> Bool {
        machine.isFile("\(folder)/cert9.db")
    }

    /// The nicknames of a database, ours with their fingerprints.
    ///
    /// - Parameters:
    ///   - folder: its folder, with a database.
    ///   - machine: where it is.
    /// - Returns: what is ours, and how many certificates there are.
    /// - Throws: ``StoreUnreadable``.
    static func holdings(
        in folder: String,
        on machine: some TrustMachine
    ) throws(StoreUnreadable) -> (ours: [TrustHolding], count: Int) {
        let tool = machine.command(for: tool) ?? tool
        guard let list = machine.output(of: [tool, "-L", "-d", "sql:\(folder)"]), list.status == 0 else {
            throw StoreUnreadable(
                reason: "it cannot be read",
                advice: "see what \(ShellWord.line([tool, "-L", "-d", "sql:\(folder)"])) says"
            )
        }
        let entries = entries(of: list.text)
        let ours = entries.compactMap { entry -> TrustHolding? in
            guard entry.nickname.lowercased().contains("authreel") else { return nil }
            let isTrusted = entry.trust.prefix { $0 != "," }.contains("C")
            // Our own nicknames say which it is; certificates of one subject are listed together.
            var fingerprint: String?
            if !entry.nickname.hasPrefix("authreel ") || entry.nickname.count != "authreel ".count + 16 {
                let command = [tool, "-L", "-d", "sql:\(folder)", "-n", entry.nickname, "-a"]
                fingerprint = machine.output(of: command).flatMap { output in
                    (try? Certificate.all(pem: Array(output.text.utf8)))?.first.map {
                        AuthorityIdentity($0).fingerprint
                    }
                }
            }
            return TrustHolding(fingerprint: fingerprint, name: entry.nickname, isTrusted: isTrusted)
        }
        return (ours, entries.count)
    }

    /// The commands that make a database trust an authority.
    static func trusting(
        _ identity: AuthorityIdentity,
        in folder: String,
        certificatePath: String,
        on machine: some TrustMachine
    ) -> (steps: [TrustStep], madeFolders: [String], madeDatabase: Bool) {
        let tool = machine.command(for: tool) ?? tool
        let database = "sql:\(folder)"
        let isNew = !exists(folder, on: machine)
        let missing = isNew ? machine.missingFolders(of: folder) : []
        var steps = missing.map { TrustStep(["mkdir", "-m", "700", $0]) }
        if isNew { steps.append(TrustStep([tool, "-N", "--empty-password", "-d", database])) }
        let root = !isNew && !machine.isWritable("\(folder)/cert9.db")
        steps.append(
            TrustStep(
                [tool, "-A", "-d", database, "-t", "C,,", "-n", identity.nickname, "-i", certificatePath],
                needsRoot: root
            )
        )
        return (steps, missing, isNew)
    }

    /// The commands that take certificates out of a database.
    static func untrusting(
        _ holdings: [TrustHolding],
        in folder: String,
        on machine: some TrustMachine
    ) -> [TrustStep] {
        let tool = machine.command(for: tool) ?? tool
        let root = !machine.isWritable("\(folder)/cert9.db")
        return holdings.map {
            TrustStep([tool, "-D", "-d", "sql:\(folder)", "-n", $0.name], needsRoot: root)
        }
    }

    /// Whether nothing but our certificates has come into a database that was made for them.
    static func holdsNothingElse(
        in folder: String,
        holdings: [TrustHolding],
        count: Int,
        on machine: some TrustMachine
    ) -> Bool {
        guard holdings.count == count, Set(machine.names(in: folder)).isSubset(of: files) else {
            return false
        }
        // An empty file of passwords, lest it ask for one that somebody has set since.
        let keys = machine.output(of: [
            machine.command(for: tool) ?? tool, "-K", "-d", "sql:\(folder)", "-f", "/dev/null",
        ])
        return keys?.text.contains("no keys found") == true
    }

    /// Nicknames and their trust, as `certutil -L` lists them: the last word of a line is `C,,` and the like.
    static func entries(of list: String) -> [(nickname: String, trust: String)] {
        list.split(separator: "\n").compactMap { line in
            let trimmed = line.trimmingSuffix(" ")
            guard let blank = trimmed.lastIndex(of: " ") else { return nil }
            let trust = trimmed[trimmed.index(after: blank)...]
            let parts = trust.split(separator: ",", omittingEmptySubsequences: false)
            // The heading has slashes.
            guard parts.count == 3, trust.allSatisfy({ $0 == "," || $0.isLetter && $0.isASCII }) else {
                return nil
            }
            let nickname = trimmed[..<blank].trimmingSuffix(" ")
            return nickname.isEmpty ? nil : (String(nickname), String(trust))
        }
    }
}

extension Substring {
    /// Without this character at its end.
    fileprivate func trimmingSuffix(_ character: Character) -> Substring {
        var rest = self
        while rest.last == character { rest.removeLast() }
        return rest
    }
}
