import Foundation
import JSON
import TestSupport
import Testing

/// `record --browser … -- SERVER`, from nothing set up to the cause: the recorder starts browser and relying
/// party, nobody tells them of a proxy, and what broke the login is said while it still records.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct OneCommandTests {
    /// A login, and what is told of it.
    struct Login: Sendable, CustomTestStringConvertible {
        var name: String
        /// The root cause that is told; nil where the login succeeds.
        var rule: String?

        init(_ name: String, _ rule: String?) {
            self.name = name
            self.rule = rule
        }

        var testDescription: String { "\(name): \(rule ?? "success")" }
    }

    /// Why that is the cause is in the table of ``ComponentScenario``.
    static let table = [
        Login("login", nil),
        Login("client-secret", "token-invalid-client"),
        Login("redirect-uri", "redirect-uri-not-registered"),
        Login("pkce-not-sent", "pkce-required"),
        Login("state-cookie", "state-cookie-lost"),
        Login("clock-ahead", "client-clock-skew"),
        Login("hybrid-query", "response-mode-differs"),
        Login("form-post-iss", "issuer-param-mismatch"),
    ]

    @Test(
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")),
        arguments: table
    )
    func chromium(login: Login) throws {
        try Self.check(login, in: "chromium", process: "chrom", missing: RealComponents.missing)
    }

    @Test(
        .enabled(
            if: RealComponents.isFirefoxAvailable,
            Comment(rawValue: RealComponents.missingForFirefox ?? "")
        ),
        arguments: table
    )
    func firefox(login: Login) throws {
        try Self.check(login, in: "firefox", process: "firefox", missing: RealComponents.missingForFirefox)
    }

    private static func check(_ login: Login, in browser: String, process: String, missing: String?) throws {
        if let missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        // Its path is short: Chromium has a socket below it.
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let played = try RealComponents.run([
            "one-command", login.name, "--browser", browser, "--authreel", Program.path, "--state",
            folder.path,
        ])
        try #require(played.status == 0, "\(played.errors)")
        let seen = try JSONParser.parse(played.output.utf8)
        let errors = seen["stderr"]?.string ?? ""
        func words(_ name: String) -> [String]? { seen[name]?.array?.compactMap(\.string) }

        #expect(words("told") == [login.rule ?? "success"], "\(errors)")
        let halves = (seen["self_test"]?.string ?? "").components(separatedBy: " · ")
        #expect(
            halves.count == 2 && halves.first?.hasPrefix("browser: intercepted (\(process)") == true,
            "\(halves)"
        )
        #expect(halves.last == "backend: intercepted (apache2)")
        // The command's own: Apache has ended in good order.
        #expect(seen["status"] == 0, "\(errors)")
        #expect(words("tabs")?.count == 1, "\(words("tabs") ?? [])")
        #expect(words("left") == [], "\(errors)")
        #expect(words("folders") == [])
        try checkCapture(try #require(seen["capture"]?.string), login, process)
    }

    /// What was told holds for the capture as a whole, and both halves are in the one flow.
    private static func checkCapture(_ capture: String, _ login: Login, _ process: String) throws {
        let diagnosis = try Program.run(["diagnose", "--format", "json", capture])
        let diagnosed = try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array ?? []
        #expect(
            diagnosed.map { $0["outcome"]?.string } == [login.rule == nil ? "success" : "failure"],
            "\(diagnosis.output)"
        )
        let primary = diagnosed.first?["findings"]?.array?.first { $0["primary"] == true }?["rule"]?.string
        #expect(primary == login.rule, "\(diagnosis.output)")
        #expect(diagnosis.status == (login.rule == nil ? 0 : 1))

        let shown = try Program.run(["show", "--format", "json", capture])
        let steps = try JSONParser.parse(shown.output.utf8)["flows"]?.array?.first?["steps"]?.array ?? []
        let senders = Set(steps.compactMap { $0["from"]?.string })
        #expect(senders.contains { $0.hasPrefix(process) } && senders.contains("apache2"), "\(senders)")
    }
}
