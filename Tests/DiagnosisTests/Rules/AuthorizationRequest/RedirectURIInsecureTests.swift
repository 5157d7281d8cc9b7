import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct RedirectURIInsecureTests {
    private let rule = "redirect-uri-insecure"
    private let broken = "authorization-request/redirect-uri-insecure"

    @Test func namesTheURI() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(finding.places == ["1 request.query redirect_uri"])
        #expect(finding.evidence[0].value == "http://old.shop.example/callback")
    }

    @Test func leavesTheMachineItselfAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        "http://localhost:8080/cb", "http://127.8.0.1/cb", "http://[::1]:9/cb", "https://www.shop.example/cb",
        "example.shop:/cb", "http:", "",
    ])
    func leavesAlone(uri: String) throws {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) == nil)
    }

    @Test(arguments: [
        "HTTP://old.shop.example/cb", "http://localhost.shop.example/cb", "http://127.0.0.1.shop.example/cb",
    ])
    func seesThrough(uri: String) throws {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) != nil)
    }
}
