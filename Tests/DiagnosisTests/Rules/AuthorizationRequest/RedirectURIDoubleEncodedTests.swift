import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct RedirectURIDoubleEncodedTests {
    private let rule = "redirect-uri-double-encoded"
    private let broken = "authorization-request/redirect-uri-double-encoded"

    @Test func namesTheRawAndTheDecodedValue() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "1 request.query redirect_uri", "- request.query redirect_uri", "1 response.body ",
            ]
        )
        #expect(finding.evidence[0].value == "https%253A%252F%252Fwww.shop.example%252Fcallback")
        #expect(finding.evidence[1].value == "https%3A%2F%2Fwww.shop.example%2Fcallback")
    }

    @Test func leavesAnEncodedQueryAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: ["https%3a%2f%2fwww.shop.example", "Example.Shop%3A%2Fcb"]) func seesThrough(uri: String)
        throws
    {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) != nil)
    }

    @Test(arguments: ["https%3", "%3A%2F%2F", "example%3Acb", "https://www.shop.example/https%3A%2F%2F"])
    func leavesAlone(uri: String) throws {
        #expect(try Recording(broken).asking("redirect_uri", uri).finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }
}
