internal import Captures

/// A place where clients look for the authorities that they trust.
package enum TrustStore: Sendable, Hashable {
    /// The system's: curl, OpenSSL, Go, Python's ssl and most package managers.
    case system(SystemStore)
    /// A database of NSS: Chromium and Chrome share one, Firefox has one for each profile.
    case nss(folder: String)
    /// A keystore of Java; the path is without links.
    case java(keystore: String)

    /// As `--store` names them.
    package enum Kind: String, Sendable, CaseIterable {
        case system
        case nss
        case java
    }

    package var kind: Kind {
        switch self {
        case .system: .system
        case .nss: .nss
        case .java: .java
        }
    }

    /// What people call it.
    package var title: String {
        switch self {
        case .system(let store): store.title
        case .nss(let folder): "the NSS database \(ShellWord.quoted(folder))"
        case .java(let keystore): "the Java keystore \(ShellWord.quoted(keystore))"
        }
    }
}

/// One command of a plan.
package struct TrustStep: Sendable, Hashable {
    /// The program and its arguments, without `sudo`.
    package var command: [String]
    package var needsRoot: Bool

    package init(_ command: [String], needsRoot: Bool = false) {
        self.command = command
        self.needsRoot = needsRoot
    }

    /// The command as it is run.
    ///
    /// - Parameter isRoot: whether the user is; otherwise `sudo` comes first where it is needed.
    /// - Returns: the program and its arguments.
    package func words(isRoot: Bool) -> [String] { needsRoot && !isRoot ? ["sudo"] + command : command }
}

/// What is changed in one store.
package struct TrustChange: Sendable, Hashable {
    package var store: TrustStore
    package var steps: [TrustStep]
    /// What undoes it: to be remembered before the first step.
    package var adds: [TrustRecord] = []
    /// To be forgotten after the last step.
    package var drops: [TrustRecord] = []
    /// What a reader of the plan should know.
    package var remarks: [String] = []
}

/// What will be done, store by store, and what need not be.
package struct TrustPlan: Sendable, Hashable {
    package var changes: [TrustChange] = []
    /// Stores that are already as wanted.
    package var settled: [TrustStore] = []
    /// Stores that cannot be changed here, and why.
    package var unmet: [UnmetStore] = []
    /// Remembered changes of which nothing is left.
    package var forgets: [TrustRecord] = []
    /// What a user should know besides.
    package var remarks: [String] = []

    package init() {}

    package var isEmpty: Bool { changes.isEmpty }
    package var needsRoot: Bool { changes.contains { $0.steps.contains(where: \.needsRoot) } }
    package var stores: [TrustStore] { changes.map(\.store) }

    /// The commands, one a line, with comments a shell skips: may be run as it stands.
    ///
    /// - Parameter isRoot: whether the user is; otherwise `sudo` comes before what needs it.
    /// - Returns: lines without line ends.
    package func lines(isRoot: Bool) -> [String] {
        changes.flatMap { change in
            ["# \(change.store.title)"] + change.remarks.map { "# \($0)" }
                + change.steps.map { ShellWord.line($0.words(isRoot: isRoot)) }
        }
    }
}

/// A store that cannot be changed, and how it can be by hand.
package struct UnmetStore: Sendable, Hashable {
    package var store: TrustStore
    /// What is missing or wrong, in lower case, without a full stop.
    package var reason: String
    /// What to install, or how to go on by hand.
    package var advice: String
}

/// A certificate of ours, or what is left of it, in a store.
struct TrustHolding: Hashable {
    /// Of its certificate; nil where that cannot be told.
    var fingerprint: String?
    /// What the store calls it: a path, a nickname, an alias.
    var name: String
    /// Whether the store vouches for it: false after an interrupted change.
    var isTrusted: Bool

    /// Whether its name is one that only we give.
    var hasOurName: Bool {
        name.split(separator: "/").last?.contains(AuthorityIdentity.prefix) == true
            || name.hasPrefix("authreel ")
    }

    /// Whether it is, or by its name has to be, of this authority.
    func isOf(_ identity: AuthorityIdentity) -> Bool {
        fingerprint.map { $0 == identity.fingerprint } ?? name.contains(identity.short)
    }
}

/// Why a store could not be looked into.
struct StoreUnreadable: Error {
    var reason: String
    var advice: String
}
