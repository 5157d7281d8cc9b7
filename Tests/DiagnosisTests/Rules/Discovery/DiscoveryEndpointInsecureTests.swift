import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct DiscoveryEndpointInsecureTests {
    private let rule = "discovery-endpoint-insecure"
    private let broken = "discovery/discovery-endpoint-insecure"

    @Test func tellsEveryEndpoint() throws {
        let finding = try #require(try Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "0 request.url ", "0 response.body userinfo_endpoint", "0 response.body end_session_endpoint",
            ]
        )
    }

    @Test func leavesADocumentAloneThatCameWithoutTLSItself() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [("https", true), ("http", false), (nil, false)])
    func goesByTheSchemeThatAProxyTells(scheme: String?, fires: Bool) throws {
        let recording = try Recording(broken).behindProxy(telling: scheme)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("http://localhost:8080/userinfo", false), ("http://127.0.0.1/userinfo", false),
        ("http://[::1]/userinfo", false), ("https://id.harbour.example/userinfo", false),
        ("HTTP://id.harbour.example/userinfo", true), ("http://10.0.0.1/userinfo", true),
    ])
    func looksAtSchemeAndHost(url: String, fires: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["userinfo_endpoint"] = .string(url) }
        #expect((recording.finding(rule) != nil) == fires)
    }
}
