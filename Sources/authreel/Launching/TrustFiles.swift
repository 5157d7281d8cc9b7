import Foundation
import LibCrypto

/// What a command's runtimes need as files to trust the recorder for one run, in the run's own folder.
struct TrustFiles: Sendable, Hashable {
    /// The roots that held before, and ours (PEM).
    var bundle: String
    /// Ours alone (PEM).
    var authority: String
    /// Ours, and those that the user had named besides a runtime's own (PEM): Node reads the file each time it starts.
    var additions: String
    /// Those of the bundle as a key store of Java's (JKS).
    var javaStore: String
    /// wget's settings: the user's own, and behind them, so that they count, proxy and roots.
    var wgetSettings: String
    /// A folder with settings for PHP.
    var phpFolder: String
    /// Loaded by Node.
    var nodePreload: String
    /// A folder with a `sitecustomize` module for Python.
    var pythonFolder: String
    /// A folder with what Ruby loads, which leaves loopback out of the proxy.
    var rubyFolder: String

    /// Where systems keep the roots they trust, in one file.
    static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Writes them.
    ///
    /// - Parameters:
    ///   - folder: of the run.
    ///   - proxy: its URL.
    ///   - authority: whom to trust besides, in PEM.
    ///   - environment: of the command before; roots of the user's own that it names stay trusted.
    /// - Returns: where they are.
    /// - Throws: ``CommandFailure`` when they cannot be written.
    static func write(
        to folder: RunFolder,
        proxy: String,
        authority: String,
        environment: [String: String]
    ) throws -> TrustFiles {
        let certificates = Self.certificates(
            in: [systemBundles.first { FileManager.default.fileExists(atPath: $0) }].compactMap(\.self)
                + named(
                    by: CommandEnvironment.bundleVariables + CommandEnvironment.additionVariables,
                    environment
                ),
            and: authority
        )
        let additions = Self.certificates(
            in: named(by: CommandEnvironment.additionVariables, environment),
            and: authority
        )
        let bundle = certificates.map(\.pem).joined()
        let bundlePath = try folder.write(bundle.utf8, to: "trust/roots.pem", isPublic: true)
        let home = environment["HOME"] ?? NSHomeDirectory()
        let ownSettings = environment["WGETRC"] ?? home + "/.wgetrc"
        var wget = String(
            decoding: FileManager.default.contents(atPath: ownSettings) ?? Data(),
            as: UTF8.self
        )
        if !wget.isEmpty, !wget.hasSuffix("\n") { wget += "\n" }
        let ini = try folder.write(
            "curl.cainfo=\"\(bundlePath)\"\nopenssl.cafile=\"\(bundlePath)\"\n".utf8,
            to: "trust/php/authreel.ini",
            isPublic: true
        )
        let python = try folder.write(
            PythonPreload.text.utf8,
            to: "trust/python/sitecustomize.py",
            isPublic: true
        )
        let ruby = try folder.write(RubyPreload.text.utf8, to: "trust/ruby/\(rubyLibrary).rb", isPublic: true)
        return TrustFiles(
            bundle: bundlePath,
            authority: try folder.write(authority.utf8, to: "trust/authreel.pem", isPublic: true),
            additions: try folder.write(
                additions.map(\.pem).joined().utf8,
                to: "trust/additions.pem",
                isPublic: true
            ),
            javaStore: try folder.write(
                JavaKeyStore.bytes(trusting: certificates.map(\.der)),
                to: "trust/roots.jks",
                isPublic: true
            ),
            // May hold passwords of the user's.
            wgetSettings: try folder.write(
                """
                \(wget)use_proxy = on
                http_proxy = \(proxy)
                https_proxy = \(proxy)
                no_proxy =
                ca_certificate = \(bundlePath)

                """.utf8,
                to: "trust/wgetrc"
            ),
            phpFolder: (ini as NSString).deletingLastPathComponent,
            nodePreload: try folder.write(NodePreload.text.utf8, to: "trust/node.cjs", isPublic: true),
            pythonFolder: (python as NSString).deletingLastPathComponent,
            rubyFolder: (ruby as NSString).deletingLastPathComponent
        )
    }

    /// What Ruby loads, by its name: its options know no quotes for a path.
    static let rubyLibrary = "authreel_proxy"

    private static func named(by variables: [String], _ environment: [String: String]) -> [String] {
        variables.compactMap { environment[$0] }
    }

    /// The certificates of these files, those that can be read, and the recorder's; each once.
    private static func certificates(in paths: [String], and authority: String) -> [Certificate] {
        var seenPaths: Set<String> = []
        var seen: Set<[UInt8]> = []
        let files = paths.filter { seenPaths.insert($0).inserted }
            .compactMap { FileManager.default.contents(atPath: $0) }
        return (files.map(Array.init) + [Array(authority.utf8)]).flatMap {
            (try? Certificate.all(pem: $0)) ?? []
        }
        .filter { seen.insert($0.der).inserted }
    }
}
