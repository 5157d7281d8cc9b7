import Foundation
import TestSupport
import Testing

/// The trust store of the machine that the tests run on, which they change and put back.
struct SystemTrust {
    static let folders = ["/etc/ssl/certs", "/usr/local/share/ca-certificates"]

    /// Whether to change it: in continuous integration, and in containers, which are thrown away.
    static var isAvailable: Bool { reasonAgainst == nil }

    static let reasonAgainst: String? = {
        let isMeant =
            ProcessInfo.processInfo.environment["CI"] != nil
            || ["/.dockerenv", "/run/.containerenv"].contains { FileManager.default.fileExists(atPath: $0) }
        guard isMeant else { return "not a machine whose trust store may be changed: set CI" }
        guard FileManager.default.fileExists(atPath: "/etc/debian_version"),
            TrustRig.path(of: "update-ca-certificates") != nil
        else { return "not a Debian system with ca-certificates" }
        if geteuid() == 0 { return nil }
        let sudo = TrustRig.path(of: "sudo").flatMap { try? Program.run(["-n", "true"], executable: $0) }
        return sudo?.status == 0 ? nil : "neither root nor sudo without a password"
    }()

    private let copy: String

    /// Copies it and lets the system's own tool settle what was pending.
    init() throws {
        copy =
            FileManager.default.temporaryDirectory.appending(path: "authreel-trust-\(UUID().uuidString)").path
        try Self.asRoot("mkdir", "-m", "700", copy)
        for folder in Self.folders {
            let kept = keptFolder(folder)
            try Self.asRoot("cp", "-a", folder, kept)
            // What is not in the copy would be removed.
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
            try #require(try FileManager.default.subpathsOfDirectory(atPath: kept).sorted() == names)
        }
        try Self.asRoot("update-ca-certificates")
    }

    private func keptFolder(_ folder: String) -> String {
        copy + "/" + folder.split(separator: "/").joined(separator: "-")
    }

    var snapshot: TreeSnapshot { TreeSnapshot(of: Self.folders) }

    /// Puts it back as it was before the test, whatever the program has left.
    func restore() throws {
        for folder in Self.folders {
            let kept = keptFolder(folder)
            let known = Set(try FileManager.default.subpathsOfDirectory(atPath: kept))
            let found = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
            let added = found.filter { !known.contains($0) }
            if !added.isEmpty { try Self.asRoot(["rm", "-rf"] + added.map { "\(folder)/\($0)" }) }
            // A link over a file, or a file over a link, is replaced, not followed.
            try Self.asRoot("cp", "-a", "--remove-destination", kept + "/.", folder)
        }
        try Self.asRoot("rm", "-rf", copy)
    }

    private static func asRoot(_ words: String...) throws { try asRoot(words) }

    private static func asRoot(_ words: [String]) throws {
        let command = (geteuid() == 0 ? [] : ["sudo", "-n"]) + words
        let path = try #require(TrustRig.path(of: command[0]))
        let result = try Program.run(Array(command.dropFirst()), executable: path, within: 120)
        #expect(result.status == 0, "\(words): \(result.errors)")
    }
}
