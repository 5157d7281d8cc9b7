import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

/// The app's half of a login alone, as a recorder in front of the app has it: the redirect to the provider, the callback, and what
/// the app's server asks.
struct AppsHalfTests {
    private func half(_ path: String) throws -> Recording {
        // A cookie shows that cookies were recorded.
        try Recording(path).without { ["/authorize", "/sign-in"].contains($0.request.url.path) }
            .sendingHeader("Cookie", "theme=dark", to: "/login")
    }

    @Test func requestIsReadInTheRedirect() throws {
        let recording = try half("healthy/web-code-flow")
        let whole = try Recording("healthy/web-code-flow")
        let request = try #require(recording.flows.first?.authorizationRequests.first)
        let seen = try #require(whole.flows.first?.authorizationRequests.first)
        #expect(request.isUnseen && !seen.isUnseen && request.endpoint == seen.endpoint)
        #expect(request.parameters.items.map(\.value) == seen.parameters.items.map(\.value))
        #expect(request.parameters.parameter("state")?.place.part == .responseLocation)
        #expect(recording.flows.count == 1 && recording.outcomes == [.success])
        #expect(!recording.findings.contains { $0.severity == .error })
    }

    @Test(arguments: [
        ("id-token/id-token-nonce-mismatch", "id-token-nonce-mismatch"),
        ("token-request/pkce-verifier-mismatch", "pkce-verifier-mismatch"),
        ("authorization-response/state-mismatch", "state-mismatch"),
        ("user-agent/callback-rejected-by-app", "callback-rejected-by-app"),
        ("user-agent/state-cookie-lost", "state-cookie-lost"),
        ("authorization-response/user-cancelled", "user-cancelled"),
    ])
    func verdictIsThatOfTheWholeLogin(path: String, rule: String) throws {
        let whole = try Recording(path)
        let half = try half(path)
        let finding = try #require(half.finding(rule))
        #expect(finding.isPrimary && half.outcomes == whole.outcomes)
    }

    /// A redirect of which nothing came back is none of a login.
    @Test func redirectAloneIsNone() throws {
        let recording = try half("healthy/web-code-flow").without { $0.request.url.path == "/callback" }
        #expect(recording.flows.allSatisfy { $0.authorizationRequests.isEmpty })
    }
}
