import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// Logins as the browsers' own developer tools export them, imported: of the browser alone its half, with the recording of
/// the application's server the whole.
@Suite(.serialized, .timeLimit(.minutes(6)))
struct ExportedLoginTests {
    /// An export, kept or made just now.
    struct Export: Sendable, CustomTestStringConvertible {
        var browser: String
        /// Chromium leaves out cookies and credentials unless it is told otherwise.
        var isSanitized = false
        /// Of its own, as `log.creator` has it.
        var creator: String { browser == "chromium" ? "WebInspector" : "Firefox" }

        var testDescription: String { browser + (isSanitized ? ", sanitized" : "") }

        var kept: String { ExportedLoginTests.recording(browser + (isSanitized ? "-sanitized" : "")) }
        var keptOfServer: String { ExportedLoginTests.recording("\(browser)-server") }
        /// As `components export` names it.
        var fileName: String { "\(browser)-\(isSanitized ? "sanitized" : "with-secrets").har" }
    }

    static let exports = [
        Export(browser: "chromium"), Export(browser: "chromium", isSanitized: true),
        Export(browser: "firefox"),
    ]

    /// The messages of the login when both halves of it are there.
    static let wholeLogin = [
        "discovery", "authorization_request", "authorization_request", "authorization_response",
        "token_request", "jwks", "userinfo_request", "revocation_request", "revocation_request",
        "end_session_request",
    ]

    private static func recording(_ name: String) -> String {
        Fixtures.root.appending(path: "Tests/Recordings/devtools-\(name).har").path
    }

    @Test(arguments: exports) func browsersHalfIsAFlow(export: Export) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Self.checkHalf(export, export.kept, in: folder)
    }

    @Test(arguments: exports) func withTheServersHalfItIsTheWholeLogin(export: Export) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Self.checkWhole(export, export.kept, export.keptOfServer, in: folder)
    }

    /// The developer tools of the installed browsers, now.
    @Test(
        .enabled(
            if: RealComponents.isDisplayAvailable,
            Comment(rawValue: RealComponents.missingForDisplay ?? "")
        ),
        arguments: ["chromium", "firefox"]
    )
    func toolsExportWhatIsImported(browser: String) throws {
        if let missing = RealComponents.missingForDisplay {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("components")
        let recorder = try RecorderProcess(
            into: folder.file("server.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state)
        )
        let export = try RealComponents.run([
            "export", "--browser", browser, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)",
            "--proxy-ca", recorder.certificate, "--out", folder.file("exports"),
        ])
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(export.status == 0, "\(export.errors)")
        for export in Self.exports where export.browser == browser {
            let results = try TemporaryFolder()
            defer { results.remove() }
            let file = folder.file("exports/\(export.fileName)")
            try Self.checkHalf(export, file, in: results)
            try Self.checkWhole(export, file, recorder.capture, in: results)
        }
    }

    /// A support desk opens a capture in what it has.
    @Test(
        .enabled(
            if: RealComponents.isDisplayAvailable,
            Comment(rawValue: RealComponents.missingForDisplay ?? "")
        ),
        arguments: ["chromium", "firefox"]
    )
    func toolsOpenWhatIsWritten(browser: String) throws {
        if let missing = RealComponents.missingForDisplay {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("login.har")
        let healthy = Fixtures.root.appending(path: "captures/healthy/web-code-flow.har").path
        let written = try Program.run(["import", healthy, "--out", out])
        try #require(written.status == 0, "\(written.errors)")
        let opened = try RealComponents.run([
            "open-capture", "--browser", browser, "--state", folder.file("components"), "--capture", out,
        ])
        try #require(opened.status == 0, "\(opened.errors)")
        let listed = try #require(JSONParser.parse(Array(opened.output.utf8)).array).map { request in
            (request.array ?? []).map { $0.string ?? "\($0.int ?? 0)" }.joined(separator: " ")
        }
        let capture = try CaptureReader.read(path: out)
        let wanted = capture.indices.map { index in
            "\(capture[index].request.method) \(capture[index].request.url.text) \(capture[index].response?.status ?? 0)"
        }
        #expect(listed.sorted() == wanted.sorted())
    }

    // MARK: - What has to come of it

    private static func checkHalf(_ export: Export, _ file: String, in folder: TemporaryFolder) throws {
        let out = folder.file("half.har")
        let result = try Program.run(["import", file, "--out", out])
        try #require(result.status == 0, "\(result.errors)")
        let imported = try CaptureReader.read(path: out)
        #expect(imported.losses.isEmpty)
        #expect(imported.imported?.files.first?.creator?["name"]?.string == export.creator)
        try checkFields(of: file, in: out)

        let login = try ShownLogin(of: out)
        #expect(login.flows.count == 1)
        #expect(login.flow["outcome"] == "success")
        #expect(login.flow["provider"] == "glewlwyd" && login.flow["client_id"] == "shop")
        #expect(
            login.messageKinds == [
                "authorization_request", "authorization_request", "authorization_response",
                "end_session_request",
            ]
        )
        checkLinks(login, export)
        let missing = export.isSanitized ? ["note capture-sanitized"] : []
        #expect(try login.findings().sorted() == ["note backchannel-not-recorded"] + missing)
    }

    private static func checkWhole(
        _ export: Export,
        _ file: String,
        _ server: String,
        in folder: TemporaryFolder
    ) throws {
        let out = folder.file("whole.har")
        let result = try Program.run(["import", file, server, "--out", out])
        try #require(result.status == 0, "\(result.errors)")
        let login = try ShownLogin(of: out)
        #expect(login.flows.count == 1 && login.flow["outcome"] == "success")
        #expect(login.messageKinds == wholeLogin)
        checkLinks(login, export)
        #expect(login.link("code", to: ("request.body", "code"), by: "equal"), "\(login.links)")
        #expect(
            login.link("code_verifier", to: ("request.query", "code_challenge"), by: "s256"),
            "\(login.links)"
        )
        #expect(try login.findings() == [])
    }

    private static func checkLinks(_ login: ShownLogin, _ export: Export) {
        for name in ["state", "nonce", "code_challenge", "code"] {
            #expect(login.link(name, to: ("request.query", name), by: "equal"), "\(name): \(login.links)")
        }
        #expect(login.link("nonce", to: ("jwt.claims", "nonce"), by: "equal"), "\(login.links)")
        // Who has not seen the token response knows the token by the hint alone.
        #expect(
            ["id_token", "id_token_hint"].contains {
                login.link($0, to: ("request.query", "id_token_hint"), by: "equal")
            },
            "\(login.links)"
        )
        for cookie in ["GLEWLWYD2_SESSION_ID", "mod_auth_openidc_session"] {
            let isThere = login.link(cookie, to: ("request.cookie", cookie), by: "equal")
            #expect(isThere == !export.isSanitized, "\(cookie): \(login.links)")
        }
    }

    // MARK: - Nothing is lost

    /// What is written otherwise than it was read: whose the file is; who made the first stands in `_authreel.imported`.
    private static let ofTheFile: Set<String> = ["creator.name", "creator.version"]

    private static func checkFields(of file: String, in out: String) throws {
        let lost = Set(JSONDifferences.lost(of: try log(of: file), in: try log(of: out)))
        #expect(lost == ofTheFile)
    }

    private static func log(of path: String) throws -> JSONValue {
        try JSONParser.parse(Array(Data(contentsOf: URL(filePath: path))))["log"] ?? .null
    }
}
