/// The login keychain of macOS: `security` asks for the password itself, in a window.
enum LoginKeychain {
    static func path(on machine: some TrustMachine) -> String {
        "\(machine.home ?? "")/Library/Keychains/login.keychain-db"
    }

    /// The certificates of ours in it.
    static func holdings(on machine: some TrustMachine) throws(StoreUnreadable) -> [TrustHolding] {
        let command = ["security", "find-certificate", "-a", "-Z", "-c", "authreel", path(on: machine)]
        // 44: nothing found.
        guard let output = machine.output(of: command), output.status == 0 || output.status == 44 else {
            throw StoreUnreadable(
                reason: "it cannot be read",
                advice: "open Keychain Access and look for authreel among the certificates"
            )
        }
        let hashes = output.text.split(separator: "\n").compactMap { line -> String? in
            line.hasPrefix("SHA-256 hash: ") ? line.dropFirst(14).lowercased() : nil
        }
        return hashes.map { TrustHolding(fingerprint: $0, name: $0, isTrusted: true) }
    }

    static func trusting(certificatePath: String, on machine: some TrustMachine) -> [TrustStep] {
        [
            TrustStep([
                "security", "add-trusted-cert", "-r", "trustRoot", "-k", path(on: machine), certificatePath,
            ])
        ]
    }

    /// `-t` takes the trust settings along.
    static func untrusting(_ holdings: [TrustHolding], on machine: some TrustMachine) -> [TrustStep] {
        holdings.compactMap(\.fingerprint).map {
            TrustStep(["security", "delete-certificate", "-Z", $0.uppercased(), "-t", path(on: machine)])
        }
    }
}
