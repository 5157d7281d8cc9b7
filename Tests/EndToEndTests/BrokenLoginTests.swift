import Foundation
import JSON
import TestSupport
import Testing

/// Logins between real components, each broken in one way, recorded and diagnosed by the program itself.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BrokenLoginTests {
    /// A login, and what has to be said of each of its flows.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var name: String
        /// Outcome and primary finding of each flow, in order of time.
        var flows: [(outcome: String, primary: String?)]
        /// Why that is the cause, or why there is none.
        var reason: String

        init(_ name: String, _ flows: [(String, String?)], _ reason: String) {
            self.name = name
            self.flows = flows.map { (outcome: $0.0, primary: $0.1) }
            self.reason = reason
        }

        var testDescription: String { name }
    }

    static let table: [Scenario] = [
        Scenario("login", [("success", nil)], "consent, session information and logout go well"),
        Scenario(
            "login-refresh",
            [("success", "token-in-query")],
            "the app's refresh address takes the access token as a query parameter: a warning, and true"
        ),
        Scenario("login-form-post", [("success", nil)], "the answer comes by form_post, as asked"),
        Scenario("login-public", [("success", nil)], "a public client with PKCE"),
        Scenario(
            "login-implicit",
            [("success", nil)],
            "the ID token comes in the fragment, which a page posts on"
        ),
        Scenario("login-hybrid", [("success", nil)], "code and ID token come in the fragment, as asked"),
        Scenario("native-app", [("success", nil)], "a scheme of the app's own, refresh and logout"),
        Scenario(
            "endpoints",
            [("success", nil), ("success", nil)],
            "a device, and a pushed request with introspection and revocation"
        ),
        Scenario(
            "key-rotated",
            [("success", nil), ("success", nil)],
            "the app reads the key set again when it meets a key it does not know"
        ),
        Scenario(
            "client-secret",
            [("failure", "token-invalid-client")],
            "unauthorized_client for a code that this very client was given: it is the secret that is wrong"
        ),
        Scenario(
            "redirect-uri",
            [("failure", "redirect-uri-not-registered")],
            "the endpoint refuses without redirecting, which is for redirect URI and client alone"
        ),
        Scenario(
            "pkce-verifier",
            [("failure", "pkce-verifier-mismatch")],
            "the SHA-256 of the verifier sent is not the challenge"
        ),
        Scenario(
            "pkce-missing",
            [("failure", "pkce-required")],
            "a bare invalid_request, nothing else is missing, and the provider offers PKCE"
        ),
        Scenario(
            "pkce-not-sent",
            [("failure", "pkce-required")],
            "the same, said to an app's server by way of the browser"
        ),
        Scenario(
            "code-reused",
            [("failure", "code-reused")],
            "the same code went to the token endpoint twice"
        ),
        Scenario(
            "code-expired",
            [("failure", "token-endpoint-error")],
            "everything that can be checked is right, and four seconds are no lifetime that a capture shows"
        ),
        Scenario(
            "token-expired",
            [("failure", "access-token-expired")],
            "the token was used after its expires_in"
        ),
        Scenario(
            "refresh-reused",
            [("failure", "refresh-token-reused")],
            "the refresh token had been replaced by an earlier answer"
        ),
        Scenario(
            "scope",
            [("success", nil)],
            "the provider drops the scope it does not know; the user gets in"
        ),
        Scenario("consent-partial", [("success", nil)], "the user ticked less than was asked, and gets in"),
        Scenario(
            "password",
            [("incomplete", "login-abandoned")],
            "credentials were posted and answered 401, and nothing came after"
        ),
        Scenario(
            "clock-ahead",
            [("failure", "client-clock-skew")],
            "the app's Date is two hours ahead: by it the ID token has run out"
        ),
        Scenario(
            "clock-behind",
            [("failure", "client-clock-skew")],
            "the app's Date is two hours behind: by it the ID token is not issued yet"
        ),
        Scenario(
            "kid-unknown",
            [("success", nil), ("failure", "id-token-kid-unknown")],
            "the key set was read again and has no key of this name"
        ),
        Scenario(
            "rp-trust",
            [("incomplete", "tls-client-rejects-recorder")],
            "the app's server does not trust the recorder's certificate"
        ),
        Scenario(
            "browser-trust",
            [("incomplete", "tls-client-rejects-recorder")],
            "the browser does not trust the recorder's certificate"
        ),
        Scenario(
            "state-cookie",
            [("failure", "state-cookie-lost")],
            "the cookie that the app set before the login did not come back"
        ),
        Scenario(
            "state-cookie-silent",
            [("success", nil)],
            "the app begins a second round by itself, and the user gets in"
        ),
        Scenario(
            "state-expired",
            [("failure", "callback-rejected-by-app")],
            "state and cookie came back as sent; the app's own page says that it took too long"
        ),
        Scenario(
            "form-post-iss",
            [("failure", "issuer-param-mismatch")],
            "the provider encodes iss once too often"
        ),
        Scenario(
            "hybrid-query",
            [("failure", "response-mode-differs")],
            "an ID token in the query, where the fragment is the place"
        ),
        Scenario(
            "callback-replayed",
            [("success", nil)],
            "the callback was loaded again after the login, and did no harm"
        ),
        Scenario(
            "provider-down",
            [("failure", "host-unreachable")],
            "the app's server could not connect while it answered its user with an error"
        ),
        Scenario(
            "provider-down-midway",
            [("failure", "host-unreachable")],
            "the token endpoint could not be reached any more"
        ),
    ]

    @Test(
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")),
        arguments: table
    )
    func theCauseIsFound(scenario: Scenario) throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = try Self.record(scenario.name, in: folder)
        let diagnosis = try Program.run(["diagnose", "--format", "json", capture])
        let flows = try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array ?? []
        let said = flows.map { flow in
            let findings = flow["findings"]?.array ?? []
            let primary = findings.first { $0["primary"] == true }?["rule"]?.string
            return "\(flow["outcome"]?.string ?? ""): \(primary ?? "nothing")"
        }
        let expected = scenario.flows.map { "\($0.outcome): \($0.primary ?? "nothing")" }
        #expect(said == expected, "\(scenario.reason)\n\(diagnosis.output)")
        // Beside a cause only what it brought about, and in a good login nothing loud at all.
        let isBroken = scenario.flows.contains { $0.outcome == "failure" }
        #expect(diagnosis.status == (isBroken || scenario.name.hasSuffix("-trust") ? 1 : 0))
    }

    /// Whoever adds a scenario says what has to come of it.
    @Test(.enabled(if: RealComponents.isAvailable)) func everyScenarioIsInTheTable() throws {
        let listed = try RealComponents.run(["scenarios"]).output.split(separator: "\n").compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(listed.sorted() == Self.table.map(\.name).sorted())
    }

    private static func record(_ name: String, in folder: TemporaryFolder) throws -> String {
        let state = folder.file("components")
        let authority = try RealComponents.run(["authority", "--state", state])
        try #require(authority.status == 0, "\(authority.errors)")
        let recorder = try RecorderProcess(
            into: folder.file("\(name).har"),
            folder: folder,
            upstreamCA: authority.output.trimmingCharacters(in: .whitespacesAndNewlines)
        )
        let played = try RealComponents.run([
            "scenario", name, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)", "--proxy-ca",
            recorder.certificate,
        ])
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        try #require(played.status == 0, "\(played.errors)\n\(recorder.messages)")
        return recorder.capture
    }
}
