import Captures
import Diagnosis
import Flows
import JSON
import OAuth
import TestSupport
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

    @Test func saysNothingWithoutAList() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func takesNoMethodForPlain() throws {
        let finding = try Recording(broken).asking("code_challenge_method", nil).finding(rule)
        #expect(finding?.evidence.first?.value == "missing")
    }

    /// A client of MCP has to refuse metadata that do not say it.
    @Test(
        arguments: [
            (nil, 3, true), (["plain"], 3, true), (["S256"], 3, false), (nil, 7, false),
        ] as [([JSONValue]?, Int, Bool)]
    )
    func clientOfMCPStopsWithoutS256(methods: [JSONValue]?, count: Int, fires: Bool) throws {
        let whole = try Recording("discovery/authorization-server-not-listed.near-miss")
        let recording = Recording(Array(whole.exchanges.prefix(count))).editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["code_challenge_methods_supported"] = methods.map { .array($0) } }
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == fires)
        #expect(
            finding.map {
                $0.places == ["2 request.url ", "2 response.body code_challenge_methods_supported"]
            } ?? true
        )
        // Of a client that is none of MCP nothing is said.
        let other = recording.editing { $0.request.body = nil }
        #expect(other.finding(rule) == nil)
    }

    /// Who asks to be registered at the server has taken its metadata.
    @Test func refusedRegistrationIsNoStop() throws {
        let whole = try Recording("discovery/authorization-server-not-listed.near-miss")
        var recording = Recording(Array(whole.exchanges.prefix(3))).editingAnswer(
            of: "/.well-known/openid-configuration"
        ) { $0["code_challenge_methods_supported"] = nil }
        var registration = recording.exchanges[0]
        registration.startedAt = recording.exchanges[2].startedAt + .seconds(1)
        registration.request.url = RecordedURL("https://id.harbour.example/register")
        registration.request.body = .json(#"{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"Tools"}"#)
        registration.response = RecordedResponse(
            status: 403,
            body: .json(#"{"error":"access_denied","error_description":"Registration is switched off"}"#)
        )
        recording.exchanges.append(registration)
        #expect(recording.finding("registration-rejected")?.isPrimary == true)
        #expect(recording.finding(rule) == nil)
    }

    @Test func leavesAListedMethodAlone() throws {
        #expect(try Recording(broken).asking("code_challenge_method", "S256").finding(rule) == nil)
        #expect(try Recording("healthy/web-code-flow").finding(rule) == nil)
    }

    @Test func onlyWarnsWhereTheProviderTookIt() throws {
        let recording = try Recording("healthy/web-code-flow").asking("code_challenge_method", "s256")
        #expect(recording.finding(rule)?.severity == .warning)
    }

    /// Which of the two methods a provider has is in its metadata; that there is no third one is not.
    @Test(
        arguments: [
            ("s256", "in another case: S256 is meant"), ("SHA256", "neither S256 nor plain"), ("S256", nil),
            ("plain", nil),
        ] as [(String, String?)]
    )
    func knowsAMethodThatNobodyHasWithoutMetadata(method: String, note: String?) throws {
        let recording = try Recording(broken).without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        .asking("code_challenge_method", method)
        let finding = recording.finding(rule)
        #expect(finding?.isPrimary == (note == nil ? nil : true))
        #expect(finding?.notes.first == note)
        #expect((recording.abstention(rule) != nil) == (note == nil))
    }

    @Test func abstainsWithoutMetadataWhereTheProviderTookIt() throws {
        let recording = try Recording("healthy/web-code-flow").without {
            $0.request.url.path.hasSuffix("openid-configuration")
        }
        .asking("code_challenge_method", "s256")
        #expect(recording.finding(rule) == nil)
    }
}
