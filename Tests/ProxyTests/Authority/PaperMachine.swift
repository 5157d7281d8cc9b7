import Proxy

/// A machine on paper: what is not written down is not there, and nothing can be run.
struct PaperMachine: TrustMachine {
    var isRoot = false
    var home: String? = "/home/ann"
    var dataHome: String?
    var javaHome: String?
    var files: [String: [UInt8]] = [:]
    var folders: Set<String> = ["/home/ann"]
    var links: [String: String] = [:]
    var unwritable: Set<String> = []
    /// How tools are called, by their names.
    var tools: [String: String] = [:]
    /// What commands say that only look.
    var outputs: [String: ToolOutput] = [:]

    func kind(of path: String) -> FileKind? {
        if files[path] != nil { return .file }
        if let target = links[path] { return kind(of: target) }
        let isFolder =
            folders.contains(path) || files.keys.contains { $0.hasPrefix(path + "/") }
            || links.keys.contains { $0.hasPrefix(path + "/") }
        return isFolder ? .folder : nil
    }

    func contents(of path: String) -> [UInt8]? { files[path] ?? links[path].flatMap { contents(of: $0) } }

    func names(in folder: String) -> [String] {
        let all = Array(files.keys) + Array(folders) + Array(links.keys)
        let names = all.filter { $0.hasPrefix(folder + "/") }
            .compactMap { $0.dropFirst(folder.count + 1).split(separator: "/").first.map(String.init) }
        return Set(names).sorted()
    }

    func linkTarget(of path: String) -> String? { links[path] }

    func realPath(of path: String) -> String? {
        if let target = links[path] { return realPath(of: target) }
        return kind(of: path) == nil ? nil : path
    }

    func isWritable(_ path: String) -> Bool { !unwritable.contains(path) }
    func command(for tool: String) -> String? { tools[tool] }
    func output(of command: [String]) -> ToolOutput? { outputs[command.joined(separator: " ")] }

    /// Writes down what `certutil` says of a database.
    mutating func addDatabase(_ folder: String, _ entries: [(nickname: String, trust: String)]) {
        files["\(folder)/cert9.db"] = []
        files["\(folder)/key4.db"] = []
        files["\(folder)/pkcs11.txt"] = []
        let heading =
            "\nCertificate Nickname           Trust Attributes\n                     SSL,S/MIME,JAR/XPI\n\n"
        let lines = entries.map { "\($0.nickname)                      \($0.trust)  \n" }.joined()
        outputs["certutil -L -d sql:\(folder)"] = ToolOutput(status: 0, text: heading + lines)
        outputs["certutil -K -d sql:\(folder) -f /dev/null"] = ToolOutput(
            status: 255,
            text: "certutil: Checking token \"NSS Certificate DB\"\ncertutil: no keys found\n"
        )
    }

    /// Writes down what `keytool` says of a keystore.
    mutating func addKeystore(
        _ path: String,
        bytes: String,
        _ entries: [(alias: String, fingerprint: String)]
    ) {
        files[path] = Array(bytes.utf8)
        let lines = entries.map { entry in
            let pairs = stride(from: 0, to: entry.fingerprint.count, by: 2).map {
                entry.fingerprint.uppercased().dropFirst($0).prefix(2)
            }
            return "\(entry.alias), Nov 21, 2026, trustedCertEntry, \n"
                + "Certificate fingerprint (SHA-256): \(pairs.joined(separator: ":"))\n"
        }
        outputs["keytool -J-Duser.language=en -list -keystore \(path) -storepass changeit"] = ToolOutput(
            status: 0,
            text: "Keystore type: PKCS12\n\nYour keystore contains \(entries.count) entries\n\n"
                + lines.joined()
        )
    }
}
