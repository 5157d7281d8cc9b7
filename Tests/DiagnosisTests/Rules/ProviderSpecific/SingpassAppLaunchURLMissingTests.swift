import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct SingpassAppLaunchURLMissingTests {
    private let rule = "singpass-app-launch-url-missing"
    private let broken = "provider-specific/singpass-app-launch-url-missing"

    @Test func namesTheRedirectURIAndTheAgent() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 request.query redirect_uri", "1 request.query ", "1 request.header User-Agent",
            ]
        )
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesARequestThatNamesItAlone() throws {
        let named = try Recording(broken).askingSingpass("app_launch_url", "https://www.shop.example/app")
        #expect(named.finding(rule) == nil)
    }

    @Test(arguments: [
        "Mozilla/5.0 (Linux; Android 15; Pixel 9)", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)",
    ])
    func leavesOtherSystemsAlone(agent: String) throws {
        let recording = try Recording(broken).editing { exchange in
            for index in exchange.request.headers.fields.indices
            where exchange.request.headers.fields[index].value.contains("iPhone") {
                exchange.request.headers.fields[index].value = agent
            }
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func looksAtADeclaredHTTPSRedirectToo() throws {
        let capture = "provider-specific/singpass-https-type-missing.near-miss"
        #expect(try Recording(capture).finding(rule) == nil)
        #expect(try Recording(capture).askingSingpass("app_launch_url", nil).finding(rule) != nil)
    }
}
