import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct AuthorizationServerNotListedTests {
    private let rule = "authorization-server-not-listed"
    private let broken = "discovery/authorization-server-not-listed"
    private let path = "/.well-known/oauth-protected-resource/mcp"

    private func listing(_ servers: [JSONValue], in recording: Recording) -> Recording {
        recording.editingAnswer(of: path) { $0["authorization_servers"] = .array(servers) }
    }

    @Test func showsTheListAndTheServer() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 response.body authorization_servers", "2 response.body issuer"])
        #expect(recording.outcomes == [.success])
    }

    @Test func theSlashAtTheEndDoesNotCount() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func withoutMetadataTheOriginDecides() throws {
        let recording = try Recording(broken).without { $0.request.url.path.contains("openid-configuration") }
        #expect(recording.finding(rule)?.places.last == "2 request.url ")
        let listed = listing(["https://id.harbour.example/tenant"], in: recording)
        #expect(listed.finding(rule) == nil)
    }

    @Test func goesByTheAddressThatTheClientAsked() throws {
        let recording = try Recording("authorization-request/resource-indicator-missing.near-miss")
        #expect(recording.behindProxy(telling: "https").finding(rule) == nil)
        #expect(recording.behindProxy(telling: "http").finding(rule) != nil)
        #expect(recording.behindProxy(telling: nil).finding(rule) == nil)
        #expect(recording.withoutHosts().finding(rule) == nil)
    }

    @Test func aListThatIsEmptySaysNothing() throws {
        #expect(listing([], in: try Recording(broken)).finding(rule) == nil)
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    @Test func anotherResourceOfTheFileSaysNothing() throws {
        let recording = try Recording(broken).editingAnswer(of: path) {
            $0["resource"] = "https://tools.harbour.example/other"
        }
        #expect(recording.finding(rule) == nil)
    }
}
