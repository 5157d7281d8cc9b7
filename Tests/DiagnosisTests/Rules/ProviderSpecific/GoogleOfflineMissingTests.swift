import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct GoogleOfflineMissingTests {
    private let rule = "google-offline-missing"
    private let broken = "provider-specific/google-offline-missing"

    @Test func namesTheScope() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places.first == "1 request.query scope")
    }

    @Test func leavesGooglesOwnParameterAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["http://127.0.0.1:51004/callback", "com.googleusercontent.apps.1-a:/oauth2redirect"])
    func leavesAppsOnADeviceAlone(uri: String) throws {
        let recording = try Recording(broken).editing { exchange in
            let url = Recording.changing(exchange.request.url.text, "redirect_uri", uri)
            if exchange.request.url.path.hasSuffix("/auth") { exchange.request.url = RecordedURL(url) }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesOtherProvidersAlone() throws {
        #expect(
            try Recording("healthy/web-code-flow").asking("scope", "openid offline_access").finding(rule)
                == nil
        )
    }
}
