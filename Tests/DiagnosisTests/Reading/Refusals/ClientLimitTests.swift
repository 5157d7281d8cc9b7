import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

/// What authgent and others say at the token endpoint that a client may not have.
struct ClientLimitTests {
    private let rule = "token-endpoint-error"

    @Test(arguments: [
        ("invalid_request", "Grant type 'authorization_code' not allowed for this client", true),
        ("invalid_request", "grant_type is required", false),
        ("invalid_request", "The request is not allowed from this address", false),
    ])
    func tellsAGrantThatTheClientMayNotUse(error: String, words: String, isTold: Bool) throws {
        let recording = try Recording("healthy/web-code-flow").answering(
            "/token",
            400,
            ["error": .string(error), "error_description": .string(words)]
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.hasSuffix("may not use the grant") == isTold)
        #expect(finding.places.contains { $0.hasSuffix("request.body grant_type") } == isTold)
        #expect(recording.finding("unsupported-grant-type") == nil)
    }

    @Test(
        arguments: [
            ("insufficient_scope", "Requested scopes not in client registration: tools:admin", true),
            ("insufficient_scope", nil, true),
            ("invalid_request", "The scope is not allowed for this client", true),
            ("invalid_request", "Malformed body", false),
        ] as [(String, String?, Bool)]
    )
    func tellsAScopeThatTheClientMayNotHave(error: String, words: String?, isTold: Bool) throws {
        var answer: [(String, JSONValue)] = [("error", .string(error))]
        if let words { answer.append(("error_description", .string(words))) }
        let recording = try Recording("healthy/web-code-flow").sending("scope", "tools:admin")
            .answering("/token", 403, .object(JSONObject(answer)))
        let finding = try #require(recording.finding(rule))
        #expect(finding.title.hasSuffix("does not give this client the scope") == isTold)
        #expect(finding.places.contains { $0.hasSuffix("request.body scope") } == isTold)
        #expect(recording.finding("scope-rejected") == nil)
    }
}
