import Foundation
import JSON
import TestSupport
import Testing

/// HTTP clients of the common runtimes under `record -- COMMAND`: each gets through with verification on, and is recorded.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RuntimeClientsTests {
    private static let script = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/clients.py")
        .path
    /// Python's packages, kept between runs.
    private static let packages = Fixtures.root.appending(path: ".build/python-clients").path

    /// The clients of the table in `docs/record-command-line.md`, by the name of their process.
    static let table = [
        ("curl", "curl"), ("wget", "wget"), ("git", "git-remote-http"), ("python-urllib", "python"),
        ("python-requests", "python"), ("python-httpx", "python"), ("python-aiohttp", "python"),
        ("python-aiohttp-websocket", "python"), ("python-urllib3", "python"),
        ("python-urllib3-pool", "python"), ("node-fetch", "node"), ("node-https", "node"),
        ("node-undici", "node"), ("java-httpclient", "java"),
        ("java-urlconnection", "java"), ("ruby-net-http", "ruby"), ("ruby-httpclient", "ruby"),
        ("perl-lwp", "perl"), ("perl-http-tiny", "perl"), ("perl-mojo", "perl"),
        ("php-curl", "php"), ("go", "go_http"),
    ]

    /// What is not installed of a client; nil where all is there.
    private static let missing: [String: String] = {
        if !FileManager.default.fileExists(atPath: packages + "/complete") {
            try? FileManager.default.removeItem(atPath: packages)
            let made = try? Program.run(["venv", packages], executable: script, within: 240)
            if made?.status == 0 {
                _ = FileManager.default.createFile(atPath: packages + "/complete", contents: nil)
            }
        }
        let lines = (try? Program.run(["check", "--venv", packages], executable: script).output) ?? ""
        return Dictionary(
            lines.split(separator: "\n").compactMap { line -> (String, String)? in
                guard let range = line.range(of: "missing: ") else { return nil }
                return (
                    line.prefix(20).trimmingCharacters(in: .whitespaces), String(line[range.lowerBound...])
                )
            }
        ) { $1 }
    }()

    /// The server that the clients are tried with, for one test.
    private struct Server {
        let process: Process
        let port: Int
        let authority: String

        init(_ folder: TemporaryFolder) throws {
            process = Process()
            process.executableURL = URL(filePath: RuntimeClientsTests.script)
            process.arguments = ["serve", "--state", folder.path]
            let log = folder.file("server.json")
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            process.standardOutput = FileHandle(forWritingAtPath: log)
            try process.run()
            for _ in 0..<3000 {
                if (try? Data(contentsOf: URL(filePath: log)))?.last == 0x0a { break }
                usleep(10_000)
            }
            let facts = try JSONParser.parse(Array(try Data(contentsOf: URL(filePath: log))))
            port = Int(try #require(facts["port"]?.int))
            authority = try #require(facts["ca"]?.string)
        }

        func stop() {
            kill(process.processIdentifier, SIGTERM)
            process.waitUntilExit()
        }
    }

    @Test(arguments: table)
    func clientGetsThroughAndIsRecorded(_ row: (name: String, process: String)) throws {
        try recorded(row, from: ["https://localhost", "https://127.0.0.1"])
    }

    /// What Python loads first leads requests in clear by other ways than those for a tunnel.
    @Test(arguments: table.filter { $0.1 == "python" })
    func pythonIsRecordedInClear(_ row: (name: String, process: String)) throws {
        try recorded(row, from: ["http://localhost"])
    }

    /// Runs a client once an origin, which lacks its port, and looks for it in the capture.
    private func recorded(_ row: (name: String, process: String), from origins: [String]) throws {
        if let missing = Self.missing[row.name] {
            if RealComponents.isRequired { Issue.record("\(row.name): \(missing)") }
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try Server(folder)
        defer { server.stop() }
        for (index, origin) in origins.enumerated() {
            let capture = folder.file("\(index).har")
            let result = try Program.run(
                [
                    "record", "--listen", "127.0.0.1:0", "--out", capture, "--ca-dir", folder.file("ca"),
                    "--upstream-ca",
                    server.authority, "--", Self.script, "run", "--venv", Self.packages, row.name,
                    "\(origin):\(server.port)",
                ],
                within: 120
            )
            #expect(result.status == 0, "\(row.name) \(origin): \(result.errors)")
            let entries =
                try JSONParser.parse(Array(try Data(contentsOf: URL(filePath: capture))))["log"]?["entries"]?
                .array ?? []
            let own = entries.filter {
                let url = $0["request"]?["url"]?.string ?? ""
                return url.contains("client=\(row.name)") || url.contains("/repo.git/")
            }
            #expect(!own.isEmpty, "\(row.name) \(origin) is not in the capture: \(result.errors)")
            #expect(own.allSatisfy { [101, 200, 404].contains($0["response"]?["status"]?.int) })
            let processes = Set(own.compactMap { $0["_authreel"]?["client"]?["process"]?.string })
            #expect(processes.contains { $0.hasPrefix(row.process) }, "\(processes)")
        }
    }

    /// By the module's function, whether it is looked up at each call, was imported by its name, or is made one with a promise.
    @Test func nodesHTTP2IsRecorded() throws {
        if let missing = Self.missing["node-fetch"] {
            if RealComponents.isRequired { Issue.record("node: \(missing)") }
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = folder.file("http2.har")
        let client = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/clients/node_http2.mjs")
        let result = try Program.run(
            [
                "record", "--listen", "127.0.0.1:0", "--out", capture, "--ca-dir", folder.file("ca"), "--",
                "node", client.path,
            ],
            within: 60
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "hello module\nhello name\nhello promise\n")
        let entries =
            try JSONParser.parse(Array(try Data(contentsOf: URL(filePath: capture))))["log"]?["entries"]?
            .array ?? []
        #expect(entries.map { $0["response"]?["status"]?.int } == [200, 200, 200])
        #expect(entries.allSatisfy { $0["request"]?["httpVersion"]?.string == "HTTP/2" }, "\(entries)")
    }

    @Test func theTableIsThatOfTheScriptAndOfTheDocumentation() throws {
        let names = try Program.run(["list"], executable: Self.script).output.split(separator: "\n").map(
            String.init
        )
        #expect(Set(names) == Set(Self.table.map(\.0)))
        let page = try String(
            contentsOf: Fixtures.root.appending(path: "docs/record-command-line.md"),
            encoding: .utf8
        )
        for name in names {
            #expect(page.contains("`\(name)`"), "\(name) is not in docs/record-command-line.md")
        }
    }
}
