import Foundation
import LibCrypto
import Sharing
import TestSupport
import Testing

/// README and docs promise commands; each is run here as it stands, in a folder that holds a `login.har`.
struct DocumentedCommandsTests {
    /// A line of a fenced block that begins with `authreel`.
    struct DocumentedCommand: CustomTestStringConvertible, Sendable {
        var file: String
        var line: Int
        var command: String

        var testDescription: String { "\(file):\(line): \(command)" }
    }

    static let commands: [DocumentedCommand] = {
        let root = Fixtures.root
        let docs =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        return (["README.md"] + docs.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }).sorted().flatMap {
            file in
            var isInside = false
            var found: [DocumentedCommand] = []
            let text = (try? String(contentsOf: root.appending(path: file), encoding: .utf8)) ?? ""
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if line.drop(while: { $0 == " " }).hasPrefix("```") { isInside.toggle() }
                // Blocks of a list are indented.
                let line = line.drop { $0 == " " }
                let command = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : String(line)
                guard isInside, command.hasPrefix("authreel ") else { continue }
                // A remark behind two spaces and more is not part of the command.
                found.append(DocumentedCommand(file: file, line: index + 1, command: command))
            }
            return found
        }
    }()

    @Test func thereAreSome() {
        #expect(Self.commands.count > 5)
    }

    /// Whether a command goes on until somebody ends it.
    private static func goesOn(_ documented: DocumentedCommand) -> Bool {
        ["authreel record", "authreel mock", "authreel view"].contains(where: documented.command.hasPrefix)
            && !documented.command.hasSuffix(" --list-faults")
            && !documented.command.contains(" --attack-suite")
    }

    @Test(arguments: commands.filter { !goesOn($0) })
    func commandRunsAsItStands(documented: DocumentedCommand) throws {
        let folder = try Self.folderWithCapture()
        defer { folder.remove() }
        if documented.command.contains("authreel import ") {
            // Never written over: it is there for those who have run the command.
            try? FileManager.default.removeItem(atPath: folder.file("login.har"))
        }
        // Shown, not done: the machine's trust is not this test's to change.
        let isTrust = documented.command.hasPrefix("authreel ca trust")
        // Replays go to providers that are not there: what each would send is shown, and the rest told elsewhere.
        let isReplay =
            documented.command.hasPrefix("authreel replay") || documented.command.contains(" --bisect")
        var command = documented.command + (isTrust ? " --dry-run" : isReplay ? " --plan" : "")
        // A plan writes none of them.
        if isReplay {
            command = command.replacing(#/ --(out|junit) \S+| --format (markdown|junit)/#, with: "")
        }
        if command.contains(" --attack-suite") {
            // One fault says as much as all of them.
            command +=
                " --listen 127.0.0.1:0 --ca-dir ca"
                + (command.contains("--fault") ? "" : " --fault id-token-expired")
            try Self.putLoginTest(into: folder)
        }
        // Whose metadata are read has to be there: what the line before has started.
        let against = "--against http://127.0.0.1:8090"
        let mock =
            command.contains(against) ? try MockProcess(["--user", "alice:wonderland"], in: folder) : nil
        defer { mock?.end() }
        if let mock { command = command.replacing(against, with: "--against \(mock.issuer)") }
        let result = try Self.shell(command, in: folder)
        #expect([0, 1].contains(result.status), "\(documented.command): \(result.errors)")
    }

    @Test(arguments: commands.filter { goesOn($0) })
    func serverStartsAndEndsCleanly(documented: DocumentedCommand) throws {
        let folder = try Self.folderWithCapture()
        defer { folder.remove() }
        if documented.command.hasPrefix("authreel view") {
            return try Self.viewerStartsAndEnds(documented, folder)
        }
        let isPassive = documented.command.contains(" --interface ")
        guard !isPassive || PacketLoginTests.mayCapture else { return }
        let isRecord = documented.command.hasPrefix("authreel record")
        if isRecord { try FileManager.default.removeItem(atPath: folder.file("login.har")) }
        // Browsers and the reader's own programs are stood in for by one that waits; what they do is told elsewhere.
        let own = documented.command.components(separatedBy: " -- ").dropFirst().first?.split(separator: " ")
            .first
        for name in ["chromium", "firefox"] + (own.map { [String($0)] } ?? []) {
            try FileManager.default.createDirectory(
                atPath: folder.file("bin"),
                withIntermediateDirectories: true
            )
            _ = FileManager.default.createFile(
                atPath: folder.file("bin/\(name)"),
                contents: Data("#!/bin/sh\nexec sleep 60\n".utf8),
                attributes: [.posixPermissions: 0o755]
            )
        }
        // A port of its own, a CA of its own, and an interrupt as soon as it listens; the `&` of a script is written below.
        let command = documented.command.replacingOccurrences(
            of: #"--listen \S+| &$"#,
            with: "",
            options: .regularExpression
        ).replacingOccurrences(
            of: #"(--reverse \S+=\S+):\d+"#,
            with: "$1:0",
            options: .regularExpression
        ).replacingOccurrences(
            of: isRecord ? "authreel record" : "authreel mock",
            with: "authreel \(isRecord ? "record" : "mock") "
                + (isPassive ? "" : "--listen 127.0.0.1:0 --ca-dir ca")
        )
        let line = isPassive ? "^capturing on " : "^listening on "
        let script = """
            \(command) 2>log & pid=$!
            for i in $(seq 200); do grep -q '\(line)' log && break; sleep 0.05; done
            grep -q '\(line)' log || { cat log >&2; kill -9 $pid; exit 99; }
            kill -INT $pid; wait $pid
            """
        let result = try Self.shell(script, in: folder)
        // A command that Ctrl-C ends has the status of that.
        #expect(result.status == (own == nil ? 0 : 130), "\(command): \(result.errors)")
    }

    private static func viewerStartsAndEnds(_ documented: DocumentedCommand, _ folder: TemporaryFolder) throws
    {
        let command = documented.command.replacing(#/--port \d+/#, with: "--port 0").replacing(
            " --no-open",
            with: ""
        )
        let script = """
            \(command) --no-open >url & pid=$!
            for i in $(seq 200); do [ -s url ] && break; sleep 0.05; done
            curl -sf --noproxy '*' "$(cat url)" >page || { kill -9 $pid; exit 99; }
            kill -INT $pid; wait $pid
            """
        let result = try shell(script, in: folder)
        #expect(result.status == 0, "\(documented.command): \(result.errors)")
    }

    /// What the reader's own login test is: one of the application in `login.har`.
    private static func putLoginTest(into folder: TemporaryFolder) throws {
        let app = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/scripted_app.py").path
        let script = """
            #!/bin/sh
            export CLIENT_ID=shop-web CLIENT_SECRET=any REDIRECT_URI=https://www.shop.example/callback
            exec python3 \(app)
            """
        try FileManager.default.createDirectory(
            atPath: folder.file("bin"),
            withIntermediateDirectories: true
        )
        _ = FileManager.default.createFile(
            atPath: folder.file("bin/npm"),
            contents: Data(script.utf8),
            attributes: [.posixPermissions: 0o755]
        )
    }

    private static func folderWithCapture() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let capture = Fixtures.root.appending(path: "captures/token-request/pkce-verifier-mismatch.har").path
        try FileManager.default.copyItem(atPath: capture, toPath: folder.file("login.har"))
        // What is compared with what, as docs/comparing.md calls it.
        for (name, recording) in [
            ("yesterday", "login-http2"), ("today", "key-rotated"), ("production", "login-http2"),
            ("local", "login-cleartext"),
        ] {
            try FileManager.default.copyItem(
                atPath: Fixtures.root.appending(path: "Tests/Recordings/\(recording).har").path,
                toPath: folder.file("\(name).har")
            )
        }
        // What docs/import.md makes one capture of.
        _ = try SplitLogin("broken-client-secret", ahead: .seconds(37), in: folder)
        // What docs/packets.md reads, and its keys: there is nothing in TLS in it.
        try FileManager.default.copyItem(
            atPath: Fixtures.root.appending(path: "Tests/Recordings/mock.pcap").path,
            toPath: folder.file("server.pcap")
        )
        try Data("# keys\n".utf8).write(to: URL(filePath: folder.file("keys.log")))
        // One login that works, and one that differs from it by what makes it fail.
        for (name, rule) in [
            ("login-that-works", "redirect-uri-token-mismatch.near-miss"),
            ("login-that-fails", "redirect-uri-token-mismatch"),
        ] {
            try FileManager.default.copyItem(
                atPath: Fixtures.root.appending(path: "captures/token-request/\(rule).har").path,
                toPath: folder.file("\(name).har")
            )
        }
        try Data("not-a-secret\n".utf8).write(to: URL(filePath: folder.file("client-secret")))
        try putTokens(into: folder)
        try putClientCertificate(into: folder)
        try putEncryptedCapture(of: capture, into: folder)
        try received.get().write(to: URL(filePath: folder.file("received.har")))
        // `--upstream-ca test-ca.pem` and the like name files that the reader is supposed to have.
        try FileManager.default.createDirectory(
            atPath: folder.file("home"),
            withIntermediateDirectories: true
        )
        return folder
    }

    /// What docs/tokens.md judges, and the keys for it: none.
    private static func putTokens(into folder: TemporaryFolder) throws {
        let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UifQ.c2ln\n"
        for name in ["token.txt", "tokens.txt"] {
            try Data(token.utf8).write(to: URL(filePath: folder.file(name)))
        }
        try Data(#"{"keys":[]}"#.utf8).write(to: URL(filePath: folder.file("keys.json")))
    }

    /// What a provider that asks for a client certificate is shown, in PEM and PKCS #12.
    private static func putClientCertificate(into folder: TemporaryFolder) throws {
        try Data("not-a-secret\n".utf8).write(to: URL(filePath: folder.file("passphrase")))
        let made = try shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=client -keyout client.pem -out c.pem
            cat c.pem >> client.pem
            openssl pkcs12 -export -in client.pem -out client.p12 -passout file:passphrase
            """,
            in: folder
        )
        try #require(made.status == 0, "\(made.errors)")
    }

    /// What somebody has shared.
    private static let received = Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = Fixtures.root.appending(path: "captures/healthy/native-app.har").path
        let out = folder.file("received.har")
        let result = try Program.run(["share", capture, "--out", out])
        try #require(result.status == 0, "\(result.errors)")
        return try Data(contentsOf: URL(filePath: out))
    }

    /// `login.har.age`, and the key that opens it.
    private static func putEncryptedCapture(of capture: String, into folder: TemporaryFolder) throws {
        let secret = SecureRandom.bytes(32)
        let key = Bech32.encode(secret, prefix: "age-secret-key-").uppercased()
        try Data("# key\n\(key)\n".utf8).write(to: URL(filePath: folder.file("key.txt")))
        var file: [UInt8] = []
        var encryptor = try AgeEncryptor(to: [AgeIdentity(key).recipient]) { SecureRandom.bytes($0) }
        try encryptor.push(Array(Data(contentsOf: URL(filePath: capture)))[...], into: &file)
        try encryptor.finish(into: &file)
        try Data(file).write(to: URL(filePath: folder.file("login.har.age")))
    }

    private static func shell(_ script: String, in folder: TemporaryFolder) throws -> (
        status: Int32, errors: String
    ) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: folder.path)
        let programs = URL(filePath: Program.path).deletingLastPathComponent().path
        process.environment = [
            "PATH": folder.file("bin") + ":" + programs + ":/usr/local/bin:/usr/bin:/bin",
            "HOME": folder.file("home"),
            "TMPDIR": folder.path, "DISPLAY": ":99", "PASSWORD": "not-a-password", "NAME": "alice",
        ]
        let errors = folder.file("errors")
        _ = FileManager.default.createFile(atPath: errors, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        process.standardError = FileHandle(forWritingAtPath: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")
    }
}
