import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct RedirectURIHasFragmentTests {
    private let rule = "redirect-uri-has-fragment"
    private let broken = "authorization-request/redirect-uri-has-fragment"

    @Test func namesTheURIAndItsFragment() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query redirect_uri", "1 response.body "])
        #expect(finding.notes.first == "fragment: #/callback")
    }

    @Test func leavesAnEscapedNumberSignAlone() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        #expect(try Recording(broken).saying("Sign in", status: 200).finding(rule)?.severity == .warning)
    }

    @Test func goesBeforeTheProvidersOwnWord() throws {
        let recording = try Recording(broken).saying("Invalid parameter: redirect_uri")
        let names = recording.findings.map(\.rule)
        #expect(names.prefix(2) == [rule, "redirect-uri-not-registered"])
        #expect(recording.findings[1].effectOf == rule)
    }

    @Test func leavesAFragmentOfTheResponseAlone() throws {
        let recording = try Recording("healthy/web-code-flow").editing { exchange in
            guard let location = exchange.response?.location, location.contains("?code=") else { return }
            exchange.response?.redirect(to: location.replacing("?code=", with: "#code="))
        }
        #expect(recording.finding(rule) == nil)
    }
}
