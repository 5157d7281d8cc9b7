import Foundation
import LibCrypto
import Proxy
import TestSupport
import Testing

@testable import authreel

/// What a command is given so that its runtimes go through the proxy and trust it.
struct CommandEnvironmentTests {
    private static let address = Recording.Address(host: "127.0.0.1", port: 8123)

    private static let files = TrustFiles(
        bundle: "/run/roots.pem",
        authority: "/run/authreel.pem",
        additions: "/run/additions.pem",
        javaStore: "/run/roots.jks",
        wgetSettings: "/run/wgetrc",
        phpFolder: "/run/php",
        nodePreload: "/run/no de.cjs",
        pythonFolder: "/run/python",
        rubyFolder: "/run/ruby"
    )

    private func variables(_ inherited: [String: String] = [:]) -> [String: String] {
        CommandEnvironment.variables(over: inherited, proxy: Self.address, files: Self.files)
    }

    @Test(arguments: [
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy",
        "npm_config_proxy",
        "npm_config_https_proxy",
    ])
    func proxyIsNamed(_ name: String) {
        #expect(variables([name: "http://other:1"])[name] == "http://127.0.0.1:8123")
    }

    /// A folder may be called anything.
    @Test func quoteWithAnAccentBehindItEndsNoWord() {
        #expect("/a'\u{301};b".quotedForShell == "'/a'\\''\u{301};b'")
        let environment = CommandEnvironment.variables(
            over: [:],
            proxy: Self.address,
            files: TrustFiles(
                bundle: "b",
                authority: "c",
                additions: "d",
                javaStore: "e",
                wgetSettings: "f",
                phpFolder: "g",
                nodePreload: "/no\"\u{301} de.cjs",
                pythonFolder: "h",
                rubyFolder: "i"
            )
        )
        #expect(environment["NODE_OPTIONS"]?.contains("/no\\\"\u{301} de.cjs") == true)
    }

    @Test func recordedBrowserStandsBeforeTheUsersOwn() {
        let inherited = ["BROWSER": "firefox", "PATH": "/usr/bin:/bin"]
        let variables = CommandEnvironment.variables(
            over: inherited,
            proxy: Self.address,
            files: Self.files,
            browser: CommandBrowser(folder: "/run/openers")
        )
        #expect(variables["BROWSER"] == "/run/openers/\(CommandBrowser.names[0])")
        #expect(variables["PATH"] == "/run/openers:/usr/bin:/bin")
        // Without one the user's own is none of ours.
        let others = self.variables(inherited)
        #expect(others["BROWSER"] == "firefox" && others["PATH"] == "/usr/bin:/bin")
    }

    @Test func addressOfSixIsInBrackets() {
        let six = CommandEnvironment.variables(
            over: [:],
            proxy: .init(host: "::1", port: 8123),
            files: Self.files
        )
        #expect(six["HTTPS_PROXY"] == "http://[::1]:8123")
        #expect(six["JAVA_TOOL_OPTIONS"]?.contains("-Dhttps.proxyHost=::1 ") == true)
    }

    @Test func credentialsOfTheProxyStandInItsURL() {
        let variables = CommandEnvironment.variables(
            over: [:],
            proxy: Self.address,
            credentials: BasicCredentials("al@b:p:/ é"),
            files: Self.files
        )
        for name in ["HTTP_PROXY", "https_proxy", "npm_config_proxy", "CGI_HTTP_PROXY"] {
            #expect(variables[name] == "http://al%40b:p%3A%2F%20%C3%A9@127.0.0.1:8123")
        }
        // Others can read the command line that it ends up in.
        #expect(variables["JAVA_TOOL_OPTIONS"]?.contains("al@b") == false)
    }

    @Test func nobodyIsLeftOut() {
        let variables = variables(["NO_PROXY": "localhost", "no_proxy": "*", "NODE_USE_ENV_PROXY": "1"])
        #expect(
            variables["NO_PROXY"] == "" && variables["no_proxy"] == ""

        )
        #expect(variables["JAVA_TOOL_OPTIONS"]?.contains("-Dhttp.nonProxyHosts= ") == true)
        #expect(variables["NODE_USE_ENV_PROXY"] == nil)
    }

    @Test func whatTheUserHasStaysInFront() {
        let variables = variables([
            "NODE_OPTIONS": "--max-old-space-size=64", "RUBYOPT": "-W0", "JAVA_TOOL_OPTIONS": "-Xmx64m",
            "PYTHONPATH": "/mine", "PHP_INI_SCAN_DIR": "/etc/php", "PATH": "/bin",
        ])
        #expect(variables["NODE_OPTIONS"] == "--max-old-space-size=64 --require \"/run/no de.cjs\"")
        #expect(variables["RUBYOPT"] == "-W0 -rauthreel_proxy")
        #expect(variables["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Xmx64m -Dhttp.proxyHost=127.0.0.1 ") == true)
        #expect(variables["PYTHONPATH"] == "/run/python:/mine")
        #expect(variables["PHP_INI_SCAN_DIR"] == "/etc/php:/run/php")
        #expect(variables["PATH"] == "/bin")
    }

    @Test func withoutThemThereIsNothingInFront() {
        let variables = variables()
        #expect(variables["RUBYOPT"] == "-rauthreel_proxy" && variables["RUBYLIB"] == "/run/ruby")
        #expect(variables["PYTHONPATH"] == "/run/python")
        // Empty in front: where PHP looks by itself.
        #expect(variables["PHP_INI_SCAN_DIR"] == ":/run/php")
    }

    @Test(arguments: CommandEnvironment.bundleVariables)
    func rootsAreNamed(_ name: String) { #expect(variables()[name] == "/run/roots.pem") }

    @Test(arguments: CommandEnvironment.additionVariables)
    func additionsAreNamed(_ name: String) { #expect(variables()[name] == "/run/additions.pem") }

    // MARK: Files

    @Test func rootsOfTheUserStayTrusted() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func certificate(_ name: String) throws -> Certificate {
            try CertificateIssuer.authority(
                commonName: name,
                key: try PrivateKey.generate(.elliptic(.p256)),
                validity: .init(notBefore: 0, notAfter: 4_000_000_000)
            )
        }
        let (own, mine, extra) = (try certificate("own"), try certificate("mine"), try certificate("extra"))
        try mine.pem.write(toFile: folder.file("mine.pem"), atomically: true, encoding: .utf8)
        try (extra.pem + mine.pem).write(toFile: folder.file("extra.pem"), atomically: true, encoding: .utf8)
        try "user_agent = me\nca_certificate = /mine".write(
            toFile: folder.file(".wgetrc"),
            atomically: true,
            encoding: .utf8
        )
        let run = try RunFolder(in: folder.path)
        let files = try TrustFiles.write(
            to: run,
            proxy: "http://127.0.0.1:8123",
            authority: own.pem,
            environment: [
                "SSL_CERT_FILE": folder.file("mine.pem"), "NODE_EXTRA_CA_CERTS": folder.file("extra.pem"),
                "CURL_CA_BUNDLE": "/nowhere", "HOME": folder.path,
            ]
        )
        let bundle = try Certificate.all(pem: Array(try Data(contentsOf: URL(filePath: files.bundle))))
        let names = bundle.map(\.subject)
        #expect(names.suffix(3) == ["CN=mine", "CN=extra", "CN=own"])
        #expect(Set(bundle.map(\.der)).count == bundle.count, "each once")
        let additions = try Certificate.all(pem: Array(try Data(contentsOf: URL(filePath: files.additions))))
        #expect(additions.map(\.subject) == ["CN=extra", "CN=mine", "CN=own"])
        let wget = try String(contentsOfFile: files.wgetSettings, encoding: .utf8)
        #expect(wget.hasPrefix("user_agent = me\nca_certificate = /mine\n"))
        #expect(wget.hasSuffix("\nca_certificate = \(files.bundle)\n"))
        let store = try Data(contentsOf: URL(filePath: files.javaStore))
        #expect(store.prefix(8) == Data([0xfe, 0xed, 0xfe, 0xed, 0, 0, 0, 2]))
        #expect(store[8..<12].reduce(0) { $0 << 8 | Int($1) } == bundle.count)
        run.remove()
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/keytool")))
    func javaReadsTheStore() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try (0..<2).map { index in
            try CertificateIssuer.authority(
                commonName: "authority \(index)",
                key: try PrivateKey.generate(.elliptic(.p256)),
                validity: .init(notBefore: 0, notAfter: 4_000_000_000)
            )
        }
        try Data(JavaKeyStore.bytes(trusting: certificates.map(\.der))).write(
            to: URL(filePath: folder.file("roots.jks"))
        )
        let result = try Program.run(
            ["-list", "-v", "-keystore", folder.file("roots.jks"), "-storepass", JavaKeyStore.password],
            executable: "/usr/bin/keytool"
        )
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("Keystore type: JKS"))
        #expect(
            result.output.contains("Owner: CN=authority 0") && result.output.contains("Owner: CN=authority 1")
        )
        #expect(result.output.contains("trustedCertEntry"))
    }
}
