import Diagnosis
import DiagnosisTestSupport
import TestSupport
import Testing

struct IssuerWithSlashTests {
    private let rule = "discovery-issuer-mismatch"

    /// What a resource calls its server, and the server itself, for a client that stopped there.
    @Test(arguments: [
        ("https://id.example", "https://id.example/", false, true),
        ("https://id.example/", "https://id.example", false, true),
        ("https://id.example", "https://id.example", false, false),
        ("https://id.example", "https://id.example/", true, false),
    ])
    func tellsASlashBetweenAResourceAndItsServer(listed: String, issuer: String, goesOn: Bool, fires: Bool) {
        var capture = CaptureBuilder()
        let metadata = "https://tools.example/.well-known/oauth-protected-resource/mcp"
        capture.post(
            "https://tools.example/mcp",
            json: "{}",
            401,
            answer: [("WWW-Authenticate", "Bearer resource_metadata=\"\(metadata)\"")]
        )
        capture.get(
            metadata,
            body: .json(
                #"{"resource":"https://tools.example/mcp","authorization_servers":["\#(listed)"]}"#
            )
        )
        capture.get(
            "https://id.example/.well-known/oauth-authorization-server",
            body: .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"https://id.example/authorize",\
                "token_endpoint":"https://id.example/token","registration_endpoint":"https://id.example/register",\
                "response_types_supported":["code"]}
                """
            )
        )
        if goesOn {
            capture.post(
                "https://id.example/register",
                json: #"{"redirect_uris":["http://127.0.0.1:51234/cb"]}"#,
                201,
                body: .json(#"{"client_id":"cli-1"}"#)
            )
        }
        let finding = Recording(capture.exchanges).finding(rule)
        #expect((finding?.places.first == "1 response.body authorization_servers") == fires)
        #expect((finding?.severity == .note) == fires)
    }
}
