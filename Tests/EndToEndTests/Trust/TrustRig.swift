import Foundation
import JSON
import LibCrypto
import TestSupport
import Testing

/// A home of its own for `authreel ca`, and clients to ask whom they trust.
struct TrustRig {
    let folder: TemporaryFolder
    /// Set for every program that is run.
    var environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = ["HOME": folder.path, "XDG_CONFIG_HOME": "", "JAVA_HOME": "", "SUDO_USER": ""]
        // A Java that runs for a second gains nothing by code that is optimized for hours.
        environment["JAVA_TOOL_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    }

    var authorityFolder: String { folder.file(".config/authreel") }
    var certificate: String { authorityFolder + "/ca.pem" }
    var records: String { authorityFolder + "/trusted.json" }
    var database: String { folder.file(".pki/nssdb") }

    func authreel(_ arguments: String..., folders: String? = nil) throws -> Program.Result {
        var environment = environment
        if let folders {
            environment["PATH"] = folders + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        }
        return try Program.run(["ca"] + arguments, environment: environment, within: 120)
    }

    /// Runs another program to its end.
    func run(_ tool: String, _ arguments: String...) throws -> Program.Result { try run(tool, arguments) }

    func run(_ tool: String, _ arguments: [String]) throws -> Program.Result {
        try Program.run(
            arguments,
            executable: try #require(Self.path(of: tool), "\(tool) is not installed"),
            environment: environment
        )
    }

    /// The authority's fingerprint, as its names have it.
    func short() throws -> String {
        let bytes = try Array(Data(contentsOf: URL(filePath: certificate)))
        let der = try #require(try Certificate.all(pem: bytes).first).der
        return Digest.of(der).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    func makeDatabase(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(try run("certutil", "-N", "--empty-password", "-d", "sql:\(folder)").status == 0)
    }

    /// What an NSS database holds: certificates with their trust, and keys.
    func listing(of database: String) throws -> String {
        let certificates = try run("certutil", "-L", "-d", "sql:\(database)")
        let keys = try run("certutil", "-K", "-d", "sql:\(database)", "-f", "/dev/null")
        return certificates.output + keys.output + keys.errors
    }

    /// A copy of the machine's keystore in the home folder, in a format of keytool's.
    func makeKeystore(_ name: String, type: String) throws -> String {
        let path = folder.file(name)
        let source = try #require(Self.keystore)
        let made = try run(
            "keytool",
            "-importkeystore",
            "-noprompt",
            "-srckeystore",
            source,
            "-srcstorepass",
            "changeit",
            "-destkeystore",
            path,
            "-deststoretype",
            type,
            "-deststorepass",
            "changeit"
        )
        #expect(made.status == 0, "\(made.output)\(made.errors)")
        return path
    }

    /// Writes a program into a folder that `PATH` may begin with.
    func writeTool(_ name: String, _ script: String) throws -> String {
        let tools = folder.file("tools")
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        let path = tools + "/" + name
        try ("#!/bin/bash\n" + script + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
        return tools
    }

    static func path(of tool: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(tool)" }.first { access($0, X_OK) == 0 }
    }

    /// A keystore that some Java home of this machine has.
    static let keystore: String? = {
        let homes = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/jvm"))?.sorted() ?? []
        return homes.map { "/usr/lib/jvm/\($0)/lib/security/cacerts" }.first {
            FileManager.default.fileExists(atPath: $0)
        }
    }()
}

/// A web server with a certificate of the rig's authority, on a port that the system picked.
///
/// `@unchecked Sendable`: the process is started once and afterwards only ended.
final class TrustedServer: @unchecked Sendable {
    private let process = Process()
    let port: Int

    init(rig: TrustRig) throws {
        let (key, leaf) = try Self.leaf(of: rig)
        let log = rig.folder.file("server-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.executableURL = URL(filePath: try #require(TrustRig.path(of: "openssl")))
        process.arguments = ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", leaf, "-key", key]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        port = try Self.port(toldIn: log)
    }

    /// A key and its certificate, by the rig's authority, as files.
    private static func leaf(of rig: TrustRig) throws -> (key: String, certificate: String) {
        let (key, request, leaf) = (
            rig.folder.file("leaf.key"), rig.folder.file("leaf.csr"), rig.folder.file("leaf.pem")
        )
        let names = rig.folder.file("names")
        try "subjectAltName=DNS:localhost,IP:127.0.0.1\n".write(
            toFile: names,
            atomically: true,
            encoding: .utf8
        )
        func openssl(_ arguments: [String]) throws {
            let result = try rig.run("openssl", arguments)
            #expect(result.status == 0, "\(result.errors)")
        }
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            request, "-subj", "/CN=localhost",
        ])
        try openssl([
            "x509", "-req", "-in", request, "-CA", rig.certificate, "-CAkey", rig.authorityFolder + "/ca.key",
            "-CAserial", rig.folder.file("serial"), "-CAcreateserial", "-days", "2", "-extfile", names,
            "-out",
            leaf,
        ])
        return (key, leaf)
    }

    /// The port that a server says to listen at.
    private static func port(toldIn log: String) throws -> Int {
        let deadline = Date(timeIntervalSinceNow: 10)
        var found: Int?
        while found == nil, Date() < deadline {
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            found = text.firstMatch(of: /ACCEPT .*:([0-9]+)/).flatMap { Int($0.1) }
            if found == nil { usleep(20_000) }
        }
        return try #require(found, "openssl s_server does not listen")
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        // It has inherited the blocked signals of a thread of the test's.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The status of a program that fetches a page by the trust it has.
    func fetch(_ rig: TrustRig, with client: Client) throws -> Program.Result {
        let address = "https://localhost:\(port)/"
        switch client {
        case .curl: return try rig.run("curl", "--noproxy", "*", "-sS", "-o", "/dev/null", address)
        case .java(let keystore):
            let source = rig.folder.file("Fetch.java")
            try """
            public class Fetch {
                public static void main(String[] arguments) throws Exception {
                    System.out.println(((java.net.HttpURLConnection)
                        new java.net.URL(arguments[0]).openConnection(java.net.Proxy.NO_PROXY)).getResponseCode());
                }
            }
            """.write(toFile: source, atomically: true, encoding: .utf8)
            let trust = "-Djavax.net.ssl.trustStore"
            guard let keystore else { return try rig.run("java", source, address) }
            return try rig.run(
                "java",
                "\(trust)=\(keystore)",
                "\(trust)Password=changeit",
                source,
                address
            )
        }
    }

    enum Client {
        case curl
        /// With a keystore, or that of its Java home.
        case java(keystore: String?)
    }
}
