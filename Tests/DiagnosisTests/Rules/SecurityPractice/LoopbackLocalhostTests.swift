import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct LoopbackLocalhostTests {
    private let rule = "loopback-localhost"
    private let broken = "security-practice/loopback-localhost"

    @Test func namesTheRedirectURI() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(!finding.isPrimary)
        #expect(finding.places == ["0 request.query redirect_uri"])
    }

    @Test func leavesTheAddressAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    /// Also where a front in its place speaks TLS to the browser; another port is another program, and the icon of the page is none.
    @Test(arguments: [
        ("http://localhost:51004/", false), ("https://localhost:51004/", false),
        ("https://localhost:51005/", true), ("http://localhost:51004/favicon.ico", true),
    ])
    func leavesAWebAppUnderDevelopmentAlone(start: String, fires: Bool) throws {
        var recording = try Recording(broken)
        var page = recording.exchanges[0]
        page.startedAt = page.startedAt - .seconds(5)
        page.request.url = RecordedURL(start)
        page.response = RecordedResponse(status: 200)
        page.response?.body = Body(text: "<a href=/login>Sign in</a>", mediaType: "text/html")
        recording.exchanges.append(page)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: ["http://localhost/callback", "https://localhost:8443/callback"])
    func needsAPortInTheClear(uri: String) throws {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) == nil)
    }
}
