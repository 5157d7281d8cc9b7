import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import Testing

struct CustomSchemeShortTests {
    private let rule = "custom-scheme-short"
    private let broken = "security-practice/custom-scheme-short"

    @Test func namesTheScheme() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.severity == .note)
        #expect(finding.places == ["0 request.query redirect_uri"])
        #expect(finding.notes == ["the scheme is shopapp"])
    }

    @Test func leavesAReversedDomainAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "com.googleusercontent.apps.000000000000-abc:/oauth2redirect", "msauth.example.shop://auth",
        "msal00000000-0000-0000-0000-000000000000://auth", "urn:ietf:wg:oauth:2.0:oob",
        "https://www.shop.example/cb", "storagerelay://https/www.shop.example?id=auth1",
    ])
    func leavesTheUsualOnesAlone(uri: String) throws {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) == nil)
    }
}
