import Captures
import Diagnosis
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

    @Test func leavesTheNearestAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesSingpassAlone() throws {
        #expect(try Recording("provider-specific/singpass-https-type-missing.near-miss").finding(rule) == nil)
    }
}
