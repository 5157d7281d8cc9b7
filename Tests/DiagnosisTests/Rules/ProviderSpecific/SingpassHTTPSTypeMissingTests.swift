import Captures
import Diagnosis
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct SingpassHTTPSTypeMissingTests {
    private let rule = "singpass-https-type-missing"
    private let broken = "provider-specific/singpass-https-type-missing"

    /// A parameter of the login's request changed; nil takes it out.
    private func asking(_ name: String, _ value: String?, _ capture: String? = nil) throws -> Recording {
        try Recording(capture ?? broken).editing { exchange in
            let url = exchange.request.url
            guard url.path.hasSuffix("/authorize"), url.queryItems.contains("client_id") else { return }
            exchange.request.url = RecordedURL(Recording.changing(url.text, name, value))
        }
    }

    /// The provider's host, another one.
    private func at(_ host: String, _ path: String? = nil, _ capture: String? = nil) throws -> Recording {
        try Recording(capture ?? broken).editing { exchange in
            guard exchange.request.url.host == "id.harbour.example" else { return }
            var text = exchange.request.url.text.replacing("id.harbour.example", with: host)
            if let path { text = text.replacing("/singpass/v2/authorize", with: path) }
            exchange.request.url = RecordedURL(text)
        }
    }

    @Test func namesTheRedirectURIAndTheApp() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query redirect_uri", "1 request.query ", "1 request.query app_launch_url",
            ]
        )
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func knowsAnAppByTheChallengeItFetched() throws {
        let recording = try asking("app_launch_url", nil)
        #expect(recording.finding(rule)?.notes.last == "an app fetched the code challenge")
        #expect(recording.without { $0.request.url.path == "/login/start" }.finding(rule) == nil)
    }

    @Test func knowsAnAppByTheCodeItHandsOn() throws {
        let recording = try asking(
            "redirect_uri_https_type",
            nil,
            "provider-specific/singpass-https-type-missing.near-miss"
        ).editing { exchange in
            let url = Recording.changing(exchange.request.url.text, "app_launch_url", nil)
            if exchange.request.url.path.hasSuffix("/authorize") { exchange.request.url = RecordedURL(url) }
        }.without { $0.request.url.path == "/login/start" }
        let finding = try #require(recording.finding(rule))
        #expect(finding.notes.last == "an app handed the code on")
        #expect(finding.severity == .warning)
    }

    @Test func leavesWebSitesAndMyInfoAlone() throws {
        #expect(try Recording("provider-specific/myinfo-purpose-missing.near-miss").finding(rule) == nil)
        #expect(try at("id.harbour.example", "/com/v4/authorize").finding(rule) == nil)
    }
}
