import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RegistrationGrantMissingTests {
    private let rule = "registration-grant-missing"
    private let broken = "registration/registration-grant-missing"

    @Test func showsTheListAndTheGrant() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(
            finding.places == [
                "0 response.body grant_types", "7 request.body grant_type", "7 response.body error",
            ]
        )
        #expect(recording.outcomes == [.failure])
        #expect(recording.finding("token-endpoint-error")?.effectOf == rule)
    }

    @Test func aGrantThatIsListedIsRefusedForSomethingElse() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test(arguments: [
        ("unauthorized_client", true), ("unsupported_grant_type", true), ("invalid_grant", true),
        ("invalid_client", false), ("invalid_scope", false),
    ])
    func knowsTheRefusals(error: String, fires: Bool) throws {
        let recording = try Recording(broken).answering("/token", 400, ["error": .string(error)])
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// The first refresh went well, or another client's did; only what the same client was given shows that it may.
    @Test(
        arguments: [
            ("invalid_grant", nil, false), ("unauthorized_client", nil, false),
            ("unauthorized_client", "another-client", true),
        ] as [(String, String?, Bool)]
    )
    func aGrantThatTheClientGotTokensByIsRefusedForSomethingElse(
        error: String,
        client: String?,
        fires: Bool
    ) throws {
        var recording = try Recording(broken).answering("/token", 400, ["error": .string(error)])
        var second = recording.exchanges[7]
        second.startedAt = second.startedAt + .seconds(60)
        recording = recording.granted()
        if let client { recording = recording.sending("client_id", client) }
        recording.exchanges.append(second)
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test(arguments: [
        ("refresh token expired", false), ("Token has been revoked", false), ("Session not found", false),
        ("Refresh token was already used", false), ("grant type not allowed for this client", true),
        ("The grant is invalid, expired, revoked, or was issued to another client", true),
    ])
    func leavesAGrantAloneThatTheProviderSaysAnotherFaultOf(text: String, fires: Bool) throws {
        let recording = try Recording(broken)
            .answering("/token", 400, ["error": "invalid_grant", "error_description": .string(text)])
        #expect((recording.finding(rule) != nil) == fires)
    }

    @Test func withoutAListItIsTheCodeAlone() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["grant_types"] = nil }
        #expect(recording.finding(rule)?.evidence.first?.value == "authorization_code")
    }

    @Test func aListInTheRequestCounts() throws {
        let recording = try Recording(broken).editingAnswer(of: "/register") { $0["grant_types"] = nil }
            .editing {
                guard $0.request.url.path == "/register" else { return }
                $0.request.body = Body(
                    text:
                        #"{"redirect_uris":["https://www.shop.example/callback"],"grant_types":["refresh_token"]}"#,
                    mediaType: "application/json"
                )
            }
        #expect(recording.finding(rule) == nil)
    }

    @Test func saysNothingWithoutTheRegistration() throws {
        #expect(try Recording(broken).without { $0.request.url.path == "/register" }.finding(rule) == nil)
    }
}
