import Foundation
import JSON
import Provider
import TestSupport
import Testing

/// The tables of `docs/attack-suite.md` are what happens: mod_auth_openidc and Chromium log in at a provider that breaks.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct AttackedRelyingPartyTests {
    /// What the tables say of each fault, in the words of `--format json`.
    private static func documented() throws -> [String: String] {
        let words = [
            "rejected": "rejected", "failed": "rejected", "**let through**": "let_through",
            "went through": "let_through", "undecided": "undecided", "not exercised": "not_exercised",
        ]
        let path = Fixtures.root.appending(path: "docs/attack-suite.md")
        let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| `") && !$0.hasPrefix("| `AUTHREEL_")
        }
        return Dictionary(
            rows.map { row in
                let cells = row.components(separatedBy: " | ")
                let fault = cells[0].trimmingCharacters(in: CharacterSet(charactersIn: "|` "))
                return (fault, words[cells[1]] ?? "no word for it: \(cells[1])")
            },
            uniquingKeysWith: { "twice: \($0), \($1)" }
        )
    }

    @Test func everyFaultIsInTheTables() throws {
        #expect(Set(try Self.documented().keys) == Set(FaultCatalog.all.map(\.id)))
        for (file, words) in [
            ("README.md", "ways of lying"), ("docs/attack-suite.md", "ways of being wrong"),
        ] {
            let text = try String(contentsOf: Fixtures.root.appending(path: file), encoding: .utf8)
            #expect(text.contains("\(FaultCatalog.all.count) \(words)"), "\(file)")
        }
    }

    /// One of each kind, so that it takes no minute.
    private static let some = [
        "discovery-issuer-mismatch", "jwks-private-key-exposed", "state-mismatch", "jarm-invalid:exp",
        "id-token-signature-invalid:claims", "userinfo-sub-mismatch", "refresh-token-expired",
    ]

    /// All of them where a variable asks for it: it takes minutes.
    private static var chosen: [String] {
        ProcessInfo.processInfo.environment["AUTHREEL_FULL_ATTACK_SUITE"] == nil
            ? some : FaultCatalog.all.map(\.id)
    }

    @Test(.enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")))
    func relyingPartyDoesWhatTheTablesSay() throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let components = Fixtures.root.appending(path: "Tests/EndToEndTests/Components/components").path
        let port = try RealComponents.run(["free-port"]).output.trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        let suite = try Program.run(
            [
                "mock", Fixtures.root.appending(path: "Tests/Recordings/login-http2.har").path, "--tls",
                "--ca-dir", folder.file("ca"), "--listen", "127.0.0.1:0", "--auto-login", "--redirect-uri",
                "https://localhost:\(port)/protected/callback", "--attack-suite", "--drive",
                "'\(components)' drive --state '\(folder.file("state"))' --port \(port)", "--fault",
                Self.chosen.joined(separator: ","), "--format", "json",
            ],
            within: 850
        )
        #expect(suite.status == 0, "\(suite.errors)")
        let report = try JSONParser.parse(suite.output.utf8)
        let documented = try Self.documented()
        let rows = report["faults"]?.array ?? []
        #expect(rows.count == Self.chosen.count)
        for row in rows {
            let fault = row["fault"]?.string ?? ""
            #expect(
                row["verdict"]?.string == documented[fault],
                "\(fault): \((row["output"]?.array ?? []).compactMap(\.string).joined(separator: "\n"))"
            )
        }
    }
}
