import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ResourceIndicatorMissingTests {
    private let rule = "resource-indicator-missing"
    private let broken = "authorization-request/resource-indicator-missing"

    @Test func namesTheMetadataAndBothRequests() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .warning)
        #expect(
            finding.places == [
                "1 response.body resource", "2 request.query resource", "4 request.body resource",
            ]
        )
        #expect(finding.evidence.map(\.value) == ["https://tools.harbour.example/mcp", "missing", "missing"])
    }

    @Test func isContentWithAResource() throws {
        #expect(try Recording(broken + ".near-miss").findings.allSatisfy { $0.severity == .note })
    }

    @Test func isContentWithAResourceInEitherRequest() throws {
        #expect(
            try Recording(broken).sending("resource", "https://tools.harbour.example/mcp").finding(rule)
                == nil
        )
        #expect(
            try Recording(broken).asking("resource", "https://tools.harbour.example/mcp").finding(rule) == nil
        )
    }

    /// Entra reads off the scopes whom the token is for, and refuses a resource beside them that is another string.
    @Test(arguments: [("api://tools/tools.read", false), ("tools", true)])
    func isContentWithAScopeOfEntraThatNamesTheAPI(scope: String, isMissing: Bool) throws {
        let recording = try Recording(broken).asking("scope", scope)
            .withEndpoints { "https://login.microsoftonline.com/shop.example/oauth2/v2.0/\($0)" }
            .editing { exchange in
                guard exchange.request.url.path == "/sign-in" else { return }
                exchange.request.url = RecordedURL("https://login.microsoftonline.com/sign-in")
            }
        #expect((recording.finding(rule) != nil) == isMissing)
    }

    @Test func saysNothingWithoutMetadata() throws {
        #expect(
            try Recording(broken).without {
                $0.request.method == "GET" && $0.request.url.path.hasPrefix("/.well-known")
            }
            .finding(rule) == nil
        )
    }

    @Test func saysNothingWhereNothingWasRefused() throws {
        #expect(try Recording(broken).without { $0.response?.status == 401 }.finding(rule) == nil)
    }

    @Test func abstainsWithoutATokenRequest() throws {
        let recording = try Recording(broken).without { $0.request.url.path == "/token" }
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
    }
}
