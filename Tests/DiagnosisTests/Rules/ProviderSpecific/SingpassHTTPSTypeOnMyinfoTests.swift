import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct SingpassHTTPSTypeOnMyinfoTests {
    private let rule = "singpass-https-type-on-myinfo"
    private let broken = "provider-specific/singpass-https-type-on-myinfo"

    @Test func namesTheParameter() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["0 request.query redirect_uri_https_type"])
    }

    /// As mockpass has it, beside those of the register's own hosts and versions.
    @Test(arguments: [
        ("/myinfo/v3/authorise", true), ("/myinfo/v4/authorize", true), ("/profile/authorize", false),
    ])
    func knowsThePathsOfTheRegister(path: String, fires: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            let url = exchange.request.url.text.replacing("/com/v4/authorize", with: path)
            exchange.request.url = RecordedURL(url)
        }
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesSingpassAlone() throws {
        #expect(try Recording("provider-specific/singpass-https-type-missing.near-miss").finding(rule) == nil)
    }
}
