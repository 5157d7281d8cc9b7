import Foundation
import JSON
import TestSupport
import Testing

/// Logins between real components, recorded and then driven again while the provider is still there.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ReplayedLoginTests {
    /// A recorded login, and what its replays have to say of each of its flows.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var name: String
        /// The headline of each flow; one for all of them where they are alike.
        var headlines: [String]
        /// How often in a row.
        var times: Int
        var reason: String

        init(_ name: String, _ headlines: [String], times: Int = 1, _ reason: String) {
            self.name = name
            self.headlines = headlines
            self.times = times
            self.reason = reason
        }

        var testDescription: String { name }
    }

    private static func atProvider(_ rule: String) -> String {
        "the same at the provider; \(rule) is in the app's part, which was not driven"
    }

    static let table: [Scenario] = [
        Scenario("login", ["the same"], times: 5, "secret by Basic, consent, logout; pages made by scripts"),
        Scenario("login-refresh", ["the same"], times: 5, "with a refresh in between"),
        Scenario("login-form-post", ["the same"], times: 5, "secret in the body, answer in a form"),
        Scenario("login-public", ["the same"], times: 5, "a public client with PKCE"),
        Scenario("login-implicit", ["the same"], "an ID token in the fragment"),
        Scenario("login-hybrid", ["the same"], "code and ID token in the fragment"),
        Scenario(
            "native-app",
            ["the same"],
            times: 5,
            "custom scheme, userinfo, refresh, logout; signed in before"
        ),
        Scenario(
            "endpoints",
            ["the same"],
            "device grant with its confirmation, pushed request, introspection"
        ),
        Scenario("key-rotated", ["the same"], "two logins in two browsers"),
        Scenario(
            "client-secret",
            ["the same failure: token-invalid-client"],
            "the secret is as wrong as it was"
        ),
        Scenario(
            "redirect-uri",
            ["the same failure: redirect-uri-not-registered"],
            "refused without a redirect"
        ),
        Scenario(
            "pkce-verifier",
            ["the same failure: pkce-verifier-mismatch"],
            "challenge and verifier made apart"
        ),
        Scenario("pkce-missing", ["the same failure: pkce-required"], "no challenge is made up"),
        Scenario("pkce-not-sent", ["the same failure: pkce-required"], "the same in a browser"),
        Scenario("code-reused", ["the same failure: code-reused"], "the new code is spent twice, too"),
        Scenario(
            "code-expired",
            ["the same failure: token-endpoint-error"],
            "the pause before the code's use is kept"
        ),
        Scenario("token-expired", ["the same failure: access-token-expired"], "the token is used as late"),
        Scenario(
            "refresh-reused",
            ["the same failure: refresh-token-reused"],
            "the new token is used twice, too"
        ),
        Scenario("scope", ["the same"], "the provider drops the scope again"),
        Scenario("consent-partial", ["the same"], "the same boxes are ticked"),
        Scenario("password", ["the same"], "the wrong password is typed again"),
        Scenario("clock-ahead", [atProvider("client-clock-skew")], "the clock is the app's"),
        Scenario("clock-behind", [atProvider("client-clock-skew")], "the clock is the app's"),
        Scenario(
            "kid-unknown",
            [
                "first difference: token_request: id_token (signature): unknown_key instead of valid",
                "the same failure: id-token-kid-unknown",
            ],
            "the key set lacks the key now, for the first login as for the second"
        ),
        Scenario("state-cookie", [atProvider("state-cookie-lost")], "the cookie is the app's"),
        Scenario("state-cookie-silent", ["the same"], "both rounds are driven"),
        Scenario("state-expired", [atProvider("callback-rejected-by-app")], "the app's patience ran out"),
        Scenario("form-post-iss", ["the same failure: issuer-param-mismatch"], "the form says it again"),
        Scenario(
            "hybrid-query",
            ["the same failure: response-mode-differs"],
            "the response is in the query again"
        ),
        Scenario("callback-replayed", ["the same"], "the second call was the app's"),
    ]

    @Test(
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")),
        arguments: table
    )
    func loginIsDrivenAgain(scenario: Scenario) throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let again = folder.file("again.har")
        let then = try Self.play(scenario.name, in: folder) { capture in
            ["--format", "json", "--repeat", "\(scenario.times)", "--out", again, capture]
        }
        let output = then?["output"]?.string ?? ""
        let replays = try JSONParser.parse(output.utf8)["replays"]?.array ?? []
        let said = replays.map { $0["headline"]?.string ?? "" }
        let count = said.count / scenario.times
        let expected = (0..<scenario.times).flatMap { _ in
            scenario.headlines.count == 1
                ? [String](repeating: scenario.headlines[0], count: max(count, 1)) : scenario.headlines
        }
        #expect(said == expected, "\(scenario.reason)\n\(output)\n\(then?["errors"]?.string ?? "")")
        #expect(
            then?["status"]?.int == (scenario.headlines.contains { $0.hasPrefix("first difference") } ? 1 : 0)
        )
        // What the first run wrote is a capture like any other.
        let diagnosis = try Program.run(["diagnose", "--format", "json", again])
        #expect(diagnosis.status == 0 || diagnosis.status == 1, "\(diagnosis.errors)")
    }

    /// The change that makes a broken login work, by its id.
    static let fixes: [(scenario: String, change: String)] = [
        ("pkce-verifier", "pkce-s256"), ("pkce-missing", "pkce-added"), ("pkce-not-sent", "pkce-added"),
        ("code-reused", "once-"), ("code-expired", "in-time"), ("token-expired", "in-time"),
        ("refresh-reused", "once-"), ("form-post-iss", "response-mode-query"),
    ]

    @Test(
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")),
        arguments: fixes.indices
    )
    func changeThatMakesItWorkIsFound(_ index: Int) throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let (scenario, change) = Self.fixes[index]
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let proof = folder.file("proof.har")
        let then = try Self.play(scenario, in: folder) {
            ["--find-fix", "--format", "json", "--out", proof, $0]
        }
        let searches = try JSONParser.parse((then?["output"]?.string ?? "").utf8)["searches"]?.array ?? []
        let fix = searches.first?["fix"]
        #expect(
            fix?["change"]?.string?.hasPrefix(change) ?? false,
            "\(scenario): \(then?["output"]?.string ?? "")"
        )
        #expect(then?["status"]?.int == 0)
        // The proof is a login that works, or one that is not refused any more and asks to sign in.
        #expect(fix?["reach"]?.string == (scenario == "pkce-not-sent" ? "sign_in" : "end"))
        let diagnosis = try Program.run(["diagnose", proof])
        #expect(diagnosis.status == 0, "\(diagnosis.output)")
    }

    /// Plays a scenario through a recorder, and replays its capture while the provider is there.
    ///
    /// `options`: of `replay`, made of the capture's name.
    static func play(
        _ name: String,
        in folder: TemporaryFolder,
        _ options: (String) -> [String]
    ) throws -> JSONValue? {
        let state = folder.file("components")
        let authority = try RealComponents.run(["authority", "--state", state]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let capture = folder.file("\(name).har")
        let recorder = try RecorderProcess(into: capture, folder: folder, upstreamCA: authority)
        let played = try RealComponents.run(
            [
                "scenario", name, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)", "--proxy-ca",
                recorder.certificate, "--then", Program.path, "replay", "--upstream-ca", authority,
            ] + options(capture)
        )
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(played.status == 0, "\(played.errors)\n\(recorder.messages)")
        return try JSONParser.parse(played.output.utf8)["then"]
    }

    /// Those that are left out have nothing that a replay could send, or nobody to send it to.
    @Test(.enabled(if: RealComponents.isAvailable)) func everyOtherScenarioIsInTheTable() throws {
        let listed = try RealComponents.run(["scenarios"]).output.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        let without = ["rp-trust", "browser-trust", "provider-down", "provider-down-midway"]
        #expect(listed.filter { !without.contains($0) }.sorted() == Self.table.map(\.name).sorted())
    }
}
