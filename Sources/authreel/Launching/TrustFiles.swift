import Foundation
import LibCrypto

/// What a command's runtimes need as files to trust the recorder for one run, in the run's own folder.
struct TrustFiles: Sendable, Hashable {
    /// The roots that held before, and ours (PEM).
    var bundle: String
    /// The same as a key store of Java's (JKS).
    var javaStore: String
    /// wget's settings: the user's own, then where the roots are.
    var wgetSettings: String
    /// A folder with settings for PHP.
    var phpFolder: String
    /// Loaded by Node versions that know no proxy.
    var nodePreload: String
    /// A folder with a `sitecustomize` module for Python.
    var pythonFolder: String
    /// Loaded by Ruby, which leaves loopback out of the proxy.
    var rubyPreload: String

    /// Where systems keep the roots they trust, in one file.
    static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Writes them.
    ///
    /// - Parameters:
    ///   - folder: of the run.
    ///   - authority: whom to trust besides, in PEM.
    ///   - environment: of the command before; roots of the user's own that it names stay trusted.
    /// - Returns: where they are.
    /// - Throws: ``CommandFailure`` when they cannot be written.
    static func write(to folder: RunFolder, authority: String, environment: [String: String]) throws
        -> TrustFiles
    {
        let roots = roots(environment)
        let bundle = roots + (roots.isEmpty || roots.last == 0x0a ? [] : [0x0a]) + Array(authority.utf8)
        let bundlePath = try folder.write(bundle, to: "trust/roots.pem", isPublic: true)
        let certificates = ((try? Certificate.all(pem: bundle)) ?? []).map(\.der)
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
        return TrustFiles(
            bundle: bundlePath,
            javaStore: try folder.write(
                JavaKeyStore.bytes(trusting: certificates),
                to: "trust/roots.jks",
                isPublic: true
            ),
            // May hold passwords of the user's.
            wgetSettings: try folder.write(
                "\(wget)ca_certificate = \(bundlePath)\n".utf8,
                to: "trust/wgetrc"
            ),
            phpFolder: (ini as NSString).deletingLastPathComponent,
            nodePreload: try folder.write(NodePreload.text.utf8, to: "trust/node.cjs", isPublic: true),
            pythonFolder: (python as NSString).deletingLastPathComponent,
            rubyPreload: try folder.write(RubyPreload.text.utf8, to: "trust/proxy.rb", isPublic: true)
        )
    }

    /// The roots that the user's variables name, else the system's; and those for Node that are named beside.
    private static func roots(_ environment: [String: String]) -> [UInt8] {
        let named = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"].compactMap { environment[$0] }
        let base = (named + systemBundles).lazy.compactMap { FileManager.default.contents(atPath: $0) }.first
        let extra = environment["NODE_EXTRA_CA_CERTS"].flatMap { FileManager.default.contents(atPath: $0) }
        return Array(base ?? Data()) + (extra.map { [0x0a] + Array($0) } ?? [])
    }
}
