import Foundation
import TestSupport
import Testing

/// Who may use the recorder, and which proxy it uses itself, as options of `record`.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed")
)
struct ProxyAccessTests {
    /// Leads nowhere (RFC 6761, section 6.4): whoever was let in is told 502.
    private static let url = "http://idp.invalid/"

    private static let misunderstood: [(options: [String], words: String)] = [
        (
            ["--upstream-proxy", "ftp://al:s3cret@proxy.example"],
            "ftp:// is none of http://, https://, socks5://"
        ),
        (["--upstream-proxy", "al:s3cret@proxy.example:3128"], "begins with http://, https://, socks5://"),
        (["--upstream-proxy", "http://al:s3cret@proxy.example/x"], "ends with its port"),
        (["--upstream-proxy", "http://al:s3cret%@proxy.example"], "written %40, %3A, %2F and %25"),
        (["--upstream-proxy", "env:NOBODY_HAS_SET_THIS"], "has no variable NOBODY_HAS_SET_THIS"),
        (["--upstream-proxy", "file:/nobody/made/this"], "/nobody/made/this"),
        (
            ["--upstream-proxy", "http://x", "--upstream-proxy-auth", "s3cret"],
            "--upstream-proxy-auth takes USER:PASSWORD"
        ),
        (["--upstream-proxy", "http://a:b@x", "--upstream-proxy-auth", "al:s3cret"], "which counts?"),
        (["--upstream-proxy-auth", "al:s3cret"], "--upstream-proxy-auth is about --upstream-proxy"),
        (["--no-upstream-proxy", "x.example"], "--no-upstream-proxy is about --upstream-proxy"),
        (["--proxy-auth", "s3cret"], "--proxy-auth takes USER:PASSWORD"),
        (["--proxy-auth", ":s3cret"], "--proxy-auth takes USER:PASSWORD"),
        (["--proxy-auth", "env:NOBODY_HAS_SET_THIS"], "--proxy-auth: the environment has no variable"),
        (["--allow-remote-loopback"], "whom --allow-remote lets in"),
    ]

    @Test(arguments: misunderstood.indices)
    func whatIsWrongIsSaidWithoutTheSecret(_ index: Int) throws {
        let row = Self.misunderstood[index]
        let result = try Program.run(["record", "--out", "/nobody/made/this.har"] + row.options)
        #expect([64, 66].contains(result.status), "\(result.status)")
        #expect(result.errors.contains(row.words), "\(result.errors)")
        #expect(!result.errors.contains("s3cret"), "\(result.errors)")
    }

    private func curl(_ port: Int, _ more: String...) throws -> String {
        let options = [
            "-sS", "--noproxy", "", "--proxy", "http://127.0.0.1:\(port)", "-w", "%{http_code}", Self.url,
        ]
        return try Program.run(options + more, executable: "/usr/bin/curl").output
    }

    @Test func passwordIsAskedForAlsoOnLoopback() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data("al:p:w\n".utf8).write(to: URL(filePath: folder.file("password")))
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: ["--proxy-auth", "file:\(folder.file("password"))"]
        )
        #expect(recorder.messages.contains("clients have to give the user name and password of --proxy-auth"))
        #expect(try curl(recorder.port).hasSuffix("407"))
        #expect(try curl(recorder.port, "--proxy-user", "al:wrong").hasSuffix("407"))
        #expect(try curl(recorder.port, "--proxy-user", "al:p:w").hasSuffix("502"))
        #expect(recorder.interrupt() == 0)
        let capture = try String(contentsOfFile: folder.file("login.har"), encoding: .utf8)
        #expect(capture.components(separatedBy: Self.url).count == 2)
        #expect(!capture.lowercased().contains("proxy-authorization"))
    }

    @Test func commandOfTheRecorderIsLetIn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let script =
            "echo $HTTP_PROXY; curl -s \(Self.url) -o /dev/null -w '%{http_code} '; "
            + "curl -s --proxy ${HTTP_PROXY##*@} \(Self.url) -o /dev/null -w '%{http_code}'"
        let result = try Program.run(
            [
                "record", "--listen", "127.0.0.1:0", "--out", folder.file("a.har"), "--ca-dir",
                folder.file("ca"),
                "--proxy-auth", "env:AL", "--", "sh", "-c", script,
            ],
            environment: ["AL": "al:p@ss"]
        )
        #expect(result.output.hasPrefix("http://al:p%40ss@127.0.0.1:"), "\(result.output)")
        // By the variable; and, where the system tells whose a socket is, without.
        #if os(Linux)
        #expect(result.output.hasSuffix("502 502"), "\(result.output)")
        #else
        #expect(result.output.contains("502 "), "\(result.output)")
        #endif
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"),
            "chromium is not installed"
        )
    )
    func browserOfTheRecorderIsLetIn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = folder.file("login.har")
        let recorder = try RecorderProcess(
            into: capture,
            folder: folder,
            options: [
                "--proxy-auth", "al:pw", "--browser", Self.url, "--browser-program", "chromium", "--headless",
            ]
        )
        let deadline = Date.now.addingTimeInterval(60)
        var text = ""
        while Date.now < deadline, !text.contains(Self.url) {
            usleep(50_000)
            text = (try? String(contentsOfFile: capture, encoding: .utf8)) ?? ""
        }
        #expect(text.contains(Self.url), "\(recorder.messages)")
        #expect(try curl(recorder.port).hasSuffix("407"))
        recorder.interrupt()
    }

    @Test func recorderGoesThroughAnother() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let outer = try RecorderProcess(
            into: folder.file("outer.har"),
            folder: folder,
            options: ["--proxy-auth", "al:p@ss"]
        )
        let url = "http://al:p%40ss@127.0.0.1:\(outer.port)"
        try Data("\(url)\n".utf8).write(to: URL(filePath: folder.file("url")))
        try Data("al:wrong".utf8).write(to: URL(filePath: folder.file("wrong")))
        let inner = try RecorderProcess(
            into: folder.file("inner.har"),
            folder: folder,
            options: ["--upstream-proxy", "file:\(folder.file("url"))", "--no-upstream-proxy", "*.test"]
        )
        #expect(inner.messages.contains("providers are reached by way of http://127.0.0.1:\(outer.port)\n"))
        // It is the outer one that does not find it.
        #expect(try curl(inner.port).contains("ENOTFOUND: no address found for idp.invalid"))
        let direct = try Program.run(
            ["-sS", "--noproxy", "", "--proxy", "http://127.0.0.1:\(inner.port)", "http://idp.test/"],
            executable: "/usr/bin/curl"
        )
        #expect(direct.output.contains("ENOTFOUND: no address found for idp.test"))
        #expect(inner.interrupt() == 0)
        let refused = try RecorderProcess(
            into: folder.file("refused.har"),
            folder: folder,
            options: [
                "--upstream-proxy", "http://127.0.0.1:\(outer.port)", "--upstream-proxy-auth",
                "file:\(folder.file("wrong"))",
            ]
        )
        let page = try curl(refused.port)
        #expect(page.contains("ERR_PROXY_AUTH_REQUESTED") && page.hasSuffix("502"), "\(page)")
        #expect(refused.messages.contains("Proxy-Authenticate: Basic realm=\"authreel\""))
        #expect(refused.interrupt() == 0)
        #expect(outer.interrupt() == 0)
        let outside = try String(contentsOfFile: folder.file("outer.har"), encoding: .utf8)
        #expect(outside.contains(Self.url) && !outside.contains("idp.test"))
        for name in ["outer.har", "inner.har", "refused.har"] {
            let capture = try String(contentsOfFile: folder.file(name), encoding: .utf8)
            #expect(!capture.lowercased().contains("proxy-authorization"))
        }
    }

    @Test func variablesOfTheEnvironmentDoNotCount() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try Program.run(
            [
                "record", "--listen", "127.0.0.1:0", "--out", folder.file("a.har"), "--ca-dir",
                folder.file("ca"),
                "--", "curl", "-s", Self.url,
            ],
            environment: ["HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"]
        )
        #expect(result.output.contains("ENOTFOUND"), "\(result.output)")
        #expect(!result.output.contains("ERR_PROXY"))
    }

    @Test func listeningOnTheNetworkWithAPasswordIsNoReasonToWarn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: ["--allow-remote", "--listen", "0.0.0.0:0", "--proxy-auth", "al:pw"]
        )
        #expect(!recorder.messages.contains("anyone on the network"), "\(recorder.messages)")
        #expect(!recorder.messages.contains("al:pw"))
        #expect(recorder.interrupt() == 0)
        let open = try RecorderProcess(
            into: folder.file("open.har"),
            folder: folder,
            options: ["--allow-remote", "--allow-remote-loopback", "--listen", "0.0.0.0:0"]
        )
        #expect(
            open.messages.contains(
                "warning: anyone on the network can use this proxy, also to reach what listens on this computer alone: it "
                    + "asks for no password"
            ),
            "\(open.messages)"
        )
        #expect(open.interrupt() == 0)
    }
}
