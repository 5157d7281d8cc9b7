import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct LoopbackPortMismatchTests {
    private let rule = "loopback-port-mismatch"
    private let broken = "security-practice/loopback-port-mismatch"

    @Test func namesBothPorts() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places.prefix(2) == ["1 request.query redirect_uri", "0 response.body redirect_uris"]
        )
        #expect(finding.notes.first == "port 51004 instead of 8400")
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAProviderThatDoesNotMindAlone() throws {
        let recording = try Recording(broken + ".near-miss")
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    @Test(arguments: ["http://127.0.0.1:51004/other", "http://127.0.0.1:8400/callback?a=1"])
    func leavesOtherDifferencesToOtherRules(used: String) throws {
        let recording = try Recording(broken).asking("redirect_uri", used)
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("redirect-uri-not-registered") != nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8400/callback", "http://127.0.0.1:51004/callback"),
        ("shop://127.0.0.1:8400/callback", "shop://127.0.0.1:51004/callback"),
    ])
    func anAddressThatIsRegisteredOrNoProgramsIsLeftAlone(other: String, used: String) throws {
        let isWeb = used.hasPrefix("http:")
        let recording = try Recording(broken).asking("redirect_uri", used).editingAnswer(of: "/register") {
            $0["redirect_uris"] = .array(isWeb ? [.string(other), .string(used)] : [.string(other)])
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A redirect to another port that brings neither a code nor an error is the provider's own affair.
    @Test func leavesARedirectAloneThatBringsNothing() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "http://127.0.0.1:8400/callback")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func findsAResponseToAnotherPort() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/authorize" else { return }
            exchange.response = RecordedResponse(status: 302)
            let state = exchange.request.url.queryItems.first("state") ?? ""
            exchange.response?.redirect(
                to: "http://127.0.0.1:8400/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=\(state)"
            )
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places == ["1 request.query redirect_uri", "1 response.location "])
        #expect(finding.notes.last == "port 8400 instead of 51004")
        #expect(finding.isPrimary)
        #expect(recording.finding("redirect-target-differs") == nil)
        #expect(finding.severity == .error)
    }
}
