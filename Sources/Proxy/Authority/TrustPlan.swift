internal import Captures

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
