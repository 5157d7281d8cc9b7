import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

struct PKCEMethodUnsupportedTests {
    private let rule = "pkce-method-unsupported"
    private let broken = "authorization-request/pkce-method-unsupported"

    @Test func namesTheValueAndTheList() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "2 request.query code_challenge_method", "0 response.body code_challenge_methods_supported",
                "3 request.query error",
            ]
        )
        #expect(finding.evidence.map(\.value).prefix(2) == ["s256", "S256"])
        #expect(finding.notes.first == "in another case: S256 is meant")
    }

    /// The scheme of the request is a fault of its own, and hides no other.
    @Test func readsTheListForAnEndpointThatWasAskedByPlainHTTP() throws {
        let endpoint = "https://id.harbour.example/authorize"
        func plain(_ url: String) -> String { url.hasPrefix(endpoint) ? "http" + url.dropFirst(5) : url }
        let recording = try Recording(broken).editing { exchange in
            exchange.request.url = RecordedURL(plain(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: plain(location)) }
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary && finding.severity == .error)
        #expect(recording.finding("insecure-endpoint")?.severity == .warning)
    }

    @Test func saysNothingWithoutAList() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func takesNoMethodForPlain() throws {
        let finding = try Recording(broken).asking("code_challenge_method", nil).finding(rule)
        #expect(finding?.evidence.first?.value == "missing")
    }

    @Test func leavesAListedMethodAlone() throws {
        #expect(try Recording(broken).asking("code_challenge_method", "S256").finding(rule) == nil)
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        let recording = try Recording("healthy/web-code-flow").asking("code_challenge_method", "s256")
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Without metadata the refusal tells of a method that nobody has.
    @Test(
        arguments: [
            ("s256", "in another case: S256 is meant"), ("SHA256", "neither S256 nor plain"), ("S256", nil),
            ("plain", nil),
        ] as [(String, String?)]
    )
    func leavesAMethodThatNobodyHasToTheRefusal(method: String, note: String?) throws {
        let recording = try Recording(broken).without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        .asking("code_challenge_method", method)
        #expect(recording.finding(rule) == nil)
        #expect(recording.abstention(rule) != nil)
        let refused = try #require(recording.finding("authorization-error"))
        #expect(refused.isPrimary)
        #expect(refused.notes.last == note)
        #expect(refused.title.contains("challenge method") == (note != nil))
    }

    @Test func abstainsWithoutMetadataWhereTheProviderTookIt() throws {
        let recording = try Recording("healthy/web-code-flow").without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        .asking("code_challenge_method", "s256")
        #expect(recording.finding(rule) == nil)
    }
}
