internal import Captures

/// Keystores of Java, read and changed with its `keytool`.
enum JavaKeystore {
    static let tool = "keytool"
    /// The password of every keystore as it is shipped.
    static let password = "changeit"

    /// Where the keystore is in a Java home: since Java 9, and before.
    private static let places = ["lib/security/cacerts", "jre/lib/security/cacerts"]
    /// Folders of Java homes, and what follows the home's name.
    private static let folders = [
        ("/usr/lib/jvm", ""), ("/opt/java", ""), ("/Library/Java/JavaVirtualMachines", "/Contents/Home"),
    ]

    /// The keystore of a Java home, without links; nil where it has none.
    static func keystore(ofHome home: String, on machine: some TrustMachine) -> String? {
        places.map { "\(home)/\($0)" }.first { machine.isFile($0) }.flatMap { machine.realPath(of: $0) }
    }

    /// The keystores of the Java homes of this machine, each once.
    static func present(on machine: some TrustMachine) -> [String] {
        var homes = machine.javaHome.map { [$0] } ?? []
        for (folder, suffix) in folders {
            homes += machine.names(in: folder).map { "\(folder)/\($0)\(suffix)" }
        }
        if let home = machine.home {
            let folder = "\(home)/.sdkman/candidates/java"
            homes += machine.names(in: folder).map { "\(folder)/\($0)" }
        }
        return homes.compactMap { keystore(ofHome: $0, on: machine) }.eachOnce()
    }

    /// Whether the system's updater makes this keystore from nothing, so that it must not be changed otherwise.
    static func isGenerated(_ keystore: String) -> Bool {
        SystemStore.generatedKeystores.contains { keystore.hasPrefix($0) }
    }

    /// The keystore that Debian's hook keeps; nil where the hook or the keystore is missing.
    static func hooked(by store: SystemStore, on machine: some TrustMachine) -> String? {
        guard store == .debian, machine.isFile(SystemStore.debianJavaHook),
            machine.isFile(SystemStore.debianKeystore)
        else { return nil }
        return machine.realPath(of: SystemStore.debianKeystore)
    }

    /// The certificates of a keystore with their fingerprints, ours and others'.
    static func holdings(
        in keystore: String,
        on machine: some TrustMachine
    ) throws(StoreUnreadable) -> [TrustHolding] {
        // The output is in the user's language otherwise.
        let command = [
            machine.command(for: tool) ?? tool, "-J-Duser.language=en", "-list", "-keystore", keystore,
            "-storepass",
            password,
        ]
        guard let output = machine.output(of: command), output.status == 0 else {
            throw StoreUnreadable(
                reason: "it cannot be read with the password \(password)",
                advice:
                    "with its own password: keytool -importcert -keystore \(ShellWord.quoted(keystore)) -alias "
                    + "authreel -file \"$(authreel ca path)\""
            )
        }
        return holdings(inList: output.text)
    }

    /// The entries of a list: a line `alias, date, trustedCertEntry,`, then one that ends with the fingerprint.
    static func holdings(inList list: String) -> [TrustHolding] {
        var alias: Substring?
        var found: [TrustHolding] = []
        for line in list.split(separator: "\n") {
            if let range = line.firstRange(of: "(SHA-256): ") {
                let digits = line[range.upperBound...].filter(\.isHexDigit).lowercased()
                if let alias {
                    found.append(TrustHolding(fingerprint: digits, name: String(alias), isTrusted: true))
                }
                alias = nil
            } else if let comma = line.firstIndex(of: ",") {
                alias = line[..<comma]
            }
        }
        return found
    }

    /// The command that makes a keystore trust an authority.
    static func trusting(
        _ identity: AuthorityIdentity,
        in keystore: String,
        certificatePath: String,
        on machine: some TrustMachine
    ) -> [TrustStep] {
        [
            TrustStep(
                [
                    machine.command(for: tool) ?? tool, "-importcert", "-noprompt", "-keystore", keystore,
                    "-storepass", password, "-alias", identity.alias, "-file", certificatePath,
                ],
                needsRoot: !machine.isWritable(keystore)
            )
        ]
    }

    /// The commands that take entries out of a keystore.
    static func untrusting(
        _ holdings: [TrustHolding],
        in keystore: String,
        on machine: some TrustMachine
    ) -> [TrustStep] {
        holdings.map {
            TrustStep(
                [
                    machine.command(for: tool) ?? tool, "-delete", "-keystore", keystore, "-storepass",
                    password,
                    "-alias", $0.name,
                ],
                needsRoot: !machine.isWritable(keystore)
            )
        }
    }
}
