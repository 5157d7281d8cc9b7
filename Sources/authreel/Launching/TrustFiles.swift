import Captures
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
        let additions = certificates(
            in: named(by: CommandEnvironment.additionVariables, environment),
            and: authority
        )
        let roots = certificates(
            in: [systemBundles.first { FileManager.default.fileExists(atPath: $0) }].compactMap(\.self)
                + named(
                    by: CommandEnvironment.bundleVariables + CommandEnvironment.additionVariables,
                    environment
                ),
            and: authority
        )
        func put(_ text: String, _ name: String) throws -> String {
            try folder.write(text.utf8, to: "trust/\(name)", isPublic: true)
        }
        let bundle = try put(roots.map(\.pem).joined(), "roots.pem")
        let php = try put(
            "curl.cainfo=\"\(bundle)\"\nopenssl.cafile=\"\(bundle)\"\n",
            "php/authreel.ini"
        )
        let python = try put(PythonPreload.text, "python/sitecustomize.py")
        let ruby = try put(RubyPreload.text, "ruby/\(rubyLibrary).rb")
        return TrustFiles(
            bundle: bundle,
            authority: try put(authority, "authreel.pem"),
            additions: try put(additions.map(\.pem).joined(), "additions.pem"),
            javaStore: try folder.write(
                JavaKeyStore.bytes(trusting: roots.map(\.der)),
                to: "trust/roots.jks",
                isPublic: true
            ),
            // May hold passwords of the user's.
            wgetSettings: try folder.write(
                wgetSettings(environment, proxy: proxy, bundle: bundle).utf8,
                to: "trust/wgetrc"
            ),
            phpFolder: (php as NSString).deletingLastPathComponent,
            nodePreload: try put(NodePreload.text, "node.cjs"),
            pythonFolder: (python as NSString).deletingLastPathComponent,
            rubyFolder: (ruby as NSString).deletingLastPathComponent
        )
    }

    /// The user's own settings, and ours behind them.
    private static func wgetSettings(_ environment: [String: String], proxy: String, bundle: String) -> String
    {
        let home = environment["HOME"] ?? NSHomeDirectory()
        let path = environment["WGETRC"] ?? home + "/.wgetrc"
        var own = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        if !own.isEmpty, !own.hasSuffix("\n") { own += "\n" }
        return """
            \(own)use_proxy = on
            http_proxy = \(proxy)
            https_proxy = \(proxy)
            no_proxy =
            ca_certificate = \(bundle)

            """
    }

    /// What Ruby loads, by its name: its options know no quotes for a path.
    static let rubyLibrary = "authreel_proxy"

    private static func named(by variables: [String], _ environment: [String: String]) -> [String] {
        variables.compactMap { environment[$0] }
    }

    /// The certificates of these files, those that can be read, and the recorder's; each once.
    private static func certificates(in paths: [String], and authority: String) -> [Certificate] {
        let files = paths.eachOnce().compactMap { FileManager.default.contents(atPath: $0) }
        return (files.map(Array.init) + [Array(authority.utf8)]).flatMap {
            (try? Certificate.all(pem: $0)) ?? []
        }
        .eachOnce(by: \.der)
    }
}
