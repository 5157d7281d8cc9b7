internal import LibCrypto

/// The system's store, by the family of systems that keeps it this way.
package enum SystemStore: String, Sendable, CaseIterable {
    /// Debian, Ubuntu, Alpine.
    case debian
    /// Fedora, RHEL and their kin.
    case fedora
    case arch
    case suse
    /// The login keychain of macOS.
    case macOS = "macos"

    /// What people call it.
    var title: String {
        switch self {
        case .macOS: "the login keychain"
        default: "the system's certificates (\(anchors))"
        }
    }

    /// The folder for an administrator's own authorities.
    var anchors: String {
        switch self {
        case .debian: "/usr/local/share/ca-certificates"
        case .fedora: "/etc/pki/ca-trust/source/anchors"
        case .arch: "/etc/ca-certificates/trust-source/anchors"
        case .suse: "/etc/pki/trust/anchors"
        case .macOS: ""
        }
    }

    /// The tool that makes everything else from the folder.
    var updater: String {
        switch self {
        case .debian, .suse: "update-ca-certificates"
        case .fedora, .arch: "update-ca-trust"
        case .macOS: "security"
        }
    }

    /// All authorities in one file, as the tool made it.
    var bundle: String {
        switch self {
        case .debian: Self.debianLinks + "/ca-certificates.crt"
        case .fedora: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
        case .arch: "/etc/ca-certificates/extracted/tls-ca-bundle.pem"
        case .suse: "/var/lib/ca-certificates/ca-bundle.pem"
        case .macOS: ""
        }
    }

    /// The package that has the tool, as its installer is called.
    var installation: String {
        switch self {
        case .debian: "apt-get install ca-certificates"
        case .fedora: "dnf install ca-certificates"
        case .arch: "pacman -S ca-certificates-utils"
        case .suse: "zypper install ca-certificates"
        case .macOS: "xcode-select --install"
        }
    }

    /// Where Debian links each authority by its name, and each name by its hash.
    static let debianLinks = "/etc/ssl/certs"
    /// What ca-certificates-java makes from Debian's authorities, and the hook that does it.
    static let debianKeystore = "/etc/ssl/certs/java/cacerts"
    static let debianJavaHook = "/etc/ca-certificates/update.d/jks-keystore"

    /// Keystores below these are made by the updater, from nothing, each time it runs.
    static let generatedKeystores = [
        "/etc/pki/ca-trust/extracted/", "/etc/ca-certificates/extracted/", "/var/lib/ca-certificates/",
    ]

    /// Files that tell the family where its folder is missing.
    private static let marks: [(path: String, store: SystemStore)] = [
        ("/System/Library/Keychains", .macOS), ("/etc/pki/ca-trust/source/anchors", .fedora),
        ("/etc/ca-certificates/trust-source/anchors", .arch), ("/etc/pki/trust/anchors", .suse),
        ("/etc/debian_version", .debian), ("/etc/alpine-release", .debian), ("/etc/fedora-release", .fedora),
        ("/etc/redhat-release", .fedora), ("/etc/arch-release", .arch),
        ("/usr/local/share/ca-certificates", .debian),
    ]

    /// The store of this machine; nil where it is kept in none of the ways known here.
    package static func present(on machine: some TrustMachine) -> SystemStore? {
        marks.first { machine.kind(of: $0.path) != nil }?.store
    }
}

/// Everything of one authority that a system's store holds.
struct SystemTraces: Hashable {
    /// In the administrator's folder.
    var anchors: [String] = []
    /// Links by name and by hash, Debian only.
    var links: [String] = []
    var isInBundle = false

    var isEmpty: Bool { anchors.isEmpty && links.isEmpty && !isInBundle }
    var isTrusted: Bool { !anchors.isEmpty && isInBundle }

    mutating func merge(_ other: SystemTraces) {
        anchors += other.anchors.filter { !anchors.contains($0) }
        links += other.links.filter { !links.contains($0) }
        isInBundle = isInBundle || other.isInBundle
    }
}

extension SystemStore {
    /// Looks for an authority.
    func traces(of identity: AuthorityIdentity, on machine: some TrustMachine) -> SystemTraces {
        var traces = SystemTraces()
        traces.anchors = anchorFiles(on: machine).filter { $0.isOf(identity) }.map(\.name)
        let text = identity.bundleText
        traces.isInBundle =
            !text.isEmpty
            && machine.contents(of: bundle).map { Self.contains(Array(text.utf8), in: $0) } == true
        traces.links = links(to: traces.anchors, named: "\(identity.alias).pem", on: machine)
        return traces
    }

    /// Everything that one file of the administrator's folder has led to.
    func traces(ofFile anchor: String, on machine: some TrustMachine) -> SystemTraces {
        SystemTraces(anchors: [anchor], links: links(to: [anchor], named: nil, on: machine), isInBundle: true)
    }

    /// Debian's links to files of the administrator's folder, and the links to those by hash.
    private func links(to anchors: [String], named pem: String?, on machine: some TrustMachine) -> [String] {
        guard self == .debian else { return [] }
        var named: Set<String> = []
        var hashed: [(name: String, target: String)] = []
        for name in machine.names(in: Self.debianLinks) {
            guard let target = machine.linkTarget(of: "\(Self.debianLinks)/\(name)") else { continue }
            if name == pem || anchors.contains(target) {
                named.insert(name)
            } else {
                hashed.append((name, target))
            }
        }
        let names = named.sorted() + hashed.filter { named.contains($0.target) }.map(\.name)
        return names.map { "\(Self.debianLinks)/\($0)" }
    }

    /// The files of the administrator's folder that are of some authority of ours.
    ///
    /// Known by their name, or by the common name of their certificate: somebody may have copied it by hand.
    func anchorFiles(on machine: some TrustMachine) -> [TrustHolding] {
        machine.names(in: anchors).compactMap { name in
            let path = "\(anchors)/\(name)"
            let certificate = machine.contents(of: path).flatMap { try? Certificate.all(pem: $0).first }
            let isOurs = certificate?.subject.hasPrefix("CN=authreel ") == true
            guard isOurs || name.hasPrefix(AuthorityIdentity.prefix) else { return nil }
            return TrustHolding(
                fingerprint: certificate.map { AuthorityIdentity($0).fingerprint },
                name: path,
                isTrusted: true
            )
        }
    }

    /// The commands that make the system trust an authority.
    func trusting(
        _ identity: AuthorityIdentity,
        certificatePath: String,
        on machine: some TrustMachine
    ) -> (steps: [TrustStep], madeFolders: [String]) {
        let missing = machine.missingFolders(of: anchors)
        var steps = missing.map { TrustStep(["mkdir", $0], needsRoot: true) }
        steps.append(
            TrustStep(
                ["install", "-m", "644", certificatePath, "\(anchors)/\(identity.fileName)"],
                needsRoot: true
            )
        )
        steps.append(update(on: machine))
        return (steps, missing)
    }

    /// The commands that take back all of it.
    ///
    /// Debian's updater leaves behind the links of an authority whose file is gone, and `--fresh` would drop
    /// links that are not ours: they are removed here by their names.
    func untrusting(_ traces: SystemTraces, on machine: some TrustMachine) -> [TrustStep] {
        var steps: [TrustStep] = []
        let files = traces.anchors + traces.links
        if !files.isEmpty { steps.append(TrustStep(["rm", "-f"] + files, needsRoot: true)) }
        steps.append(update(on: machine))
        if leavesGap(traces.links, on: machine), let openssl = machine.command(for: "openssl") {
            steps.append(TrustStep([openssl, "rehash", Self.debianLinks], needsRoot: true))
        }
        return steps
    }

    private func update(on machine: some TrustMachine) -> TrustStep {
        TrustStep([machine.command(for: updater) ?? updater], needsRoot: true)
    }

    /// Whether a link `hash.1` would stay without a `hash.0`, so that OpenSSL would not look at it.
    private func leavesGap(_ links: [String], on machine: some TrustMachine) -> Bool {
        let gone = Set(links)
        let gaps = links.compactMap { link -> (stem: Substring, number: Int)? in
            guard let dot = link.lastIndex(of: "."), let number = Int(link[link.index(after: dot)...]) else {
                return nil
            }
            return (link[...dot], number)
        }
        return gaps.contains { gap in
            let next = "\(gap.stem)\(gap.number + 1)"
            return !gone.contains(next) && machine.linkTarget(of: next) != nil
        }
    }

    private static func contains(_ needle: [UInt8], in haystack: [UInt8]) -> Bool {
        guard let first = needle.first, haystack.count >= needle.count else { return false }
        return haystack.withUnsafeBufferPointer { hay in
            needle.withUnsafeBufferPointer { needle in
                (0...(hay.count - needle.count)).contains { start in
                    hay[start] == first && hay[start...].starts(with: needle)
                }
            }
        }
    }
}
