import Captures
import ArgumentParser
import Foundation
import Proxy

/// Which trust stores a command is about.
struct TrustStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "system, nss (Chromium, Firefox) or java; may be given again.",
            discussion: "By default all of them that this machine has.",
            valueName: "STORE"
        )
    )
    var store: [TrustStore.Kind] = []

    @Option(
        name: .customLong("nss-dir"),
        help: ArgumentHelp(
            "A folder with an NSS database (cert9.db), a Firefox profile for example.",
            valueName: "DIR"
        ),
        completion: .directory
    )
    var nssFolder: [String] = []

    @Option(
        name: .customLong("java-home"),
        help: ArgumentHelp("A Java home.", valueName: "DIR"),
        completion: .directory
    )
    var javaHome: [String] = []

    @Option(
        help: ArgumentHelp("A Java keystore with the password changeit.", valueName: "FILE"),
        completion: .file()
    )
    var keystore: [String] = []

    /// Whether none is named.
    var isDefault: Bool { store.isEmpty && nssFolder.isEmpty && javaHome.isEmpty && keystore.isEmpty }

    /// Those that are named, or all of the machine.
    ///
    /// - Parameters:
    ///   - planner: looks at the machine.
    ///   - remembered: stores that count as there, even if they have gone since.
    /// - Returns: each once.
    /// - Throws: ``CommandFailure`` for one that is named and not there.
    func stores(
        _ planner: TrustPlanner<ThisMachine>,
        remembered: [TrustStore] = []
    ) throws -> [TrustStore] {
        var found = isDefault ? planner.stores() + remembered : []
        for kind in TrustStore.Kind.allCases where store.contains(kind) {
            found += try stores(of: kind, planner, remembered)
        }
        found += try nssFolder.map { try nssStore(in: $0, planner, remembered) }
        found += try (javaHome + keystore).map { try javaStore(at: $0, planner, remembered) }
        return found.eachOnce()
    }

    /// Those of a kind that is asked for; a place that is named stands for its kind.
    private func stores(
        of kind: TrustStore.Kind,
        _ planner: TrustPlanner<ThisMachine>,
        _ remembered: [TrustStore]
    ) throws -> [TrustStore] {
        if kind == .nss, !nssFolder.isEmpty { return [] }
        if kind == .java, !(javaHome + keystore).isEmpty { return [] }
        let found = (planner.stores(asked: Set(store)) + remembered).filter { $0.kind == kind }
        // Java may have been left out since the system's store reaches it.
        guard !found.isEmpty || kind == .java && store.contains(.system) else {
            throw CommandFailure(
                .noInput,
                "there is no \(kind.rawValue) store here that could be changed",
                hint: Self.hint(withoutA: kind)
            )
        }
        return found
    }

    private func nssStore(
        in folder: String,
        _ planner: TrustPlanner<ThisMachine>,
        _ remembered: [TrustStore]
    ) throws -> TrustStore {
        let place = planner.nssStore(folder: absolute(folder))
        guard planner.canHoldDatabase(place) || remembered.contains(place) else {
            throw CommandFailure(
                .noInput,
                "\(folder): no NSS database (cert9.db) in this folder",
                hint: "make one: certutil -N --empty-password -d \(ShellWord.quoted("sql:\(folder)"))"
            )
        }
        return place
    }

    private func javaStore(
        at path: String,
        _ planner: TrustPlanner<ThisMachine>,
        _ remembered: [TrustStore]
    ) throws -> TrustStore {
        let gone = TrustStore.java(keystore: absolute(path))
        guard
            let place = planner.javaStore(at: absolute(path)) ?? (remembered.contains(gone) ? gone : nil)
        else {
            throw CommandFailure(
                .noInput,
                "\(CommandFailure.shown(path)): no Java keystore here",
                hint:
                    "--java-home takes what java -XshowSettings:properties -version names as java.home, "
                    + "--keystore a file such as its lib/security/cacerts"
            )
        }
        return place
    }

    /// Where a store may be that was not found, and what does without.
    private static func hint(withoutA kind: TrustStore.Kind) -> String {
        switch kind {
        case .nss: "--nss-dir DIR names a folder with a database (cert9.db), such as a profile of Firefox"
        case .java: "--java-home DIR or --keystore FILE names one"
        case .system:
            "programs and browsers that the recorder starts trust it all the same: "
                + "\(Invocation.name) record -- COMMAND"
        }
    }

    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

extension TrustStore.Kind: ExpressibleByArgument {}
