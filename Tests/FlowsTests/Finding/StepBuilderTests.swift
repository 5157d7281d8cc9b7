import Captures
import Flows
import TestSupport
import Testing

struct StepBuilderTests {
    private static let phone = "Wallet/218 CFNetwork/1568.300.101 Darwin/24.2.0"
    private static let server = "Java-http-client/21.0.5"
    private static let scheme = "com.example.wallet:/cb"
    private static let claimed = "https://wallet.example/cb"

    /// Who asks for the tokens of an app: itself, or the server that it brings its code to.
    @Test(
        arguments: [
            (scheme, "api.wallet.example", server, .backend), (scheme, nil, server, .app),
            (scheme, "idp.example", server, .app), (scheme, nil, phone, .app),
            (scheme, "api.wallet.example", phone, .app), (claimed, nil, phone, .app),
            (claimed, nil, server, .backend), (claimed, "api.wallet.example", server, .backend),
        ] as [(String, String?, String, Participant.Role)]
    )
    func tellsAnAppFromItsServer(
        target: String,
        host: String?,
        agent: String,
        role: Participant.Role
    ) throws {
        let code = "code-0123456789abcdef"
        var capture = CaptureBuilder()
        capture.redirect(
            "https://idp.example/authorize?"
                + FormBody.encode([
                    ("response_type", "code"), ("client_id", "wallet"), ("redirect_uri", target),
                    ("state", "state-0123456789"),
                ]),
            to: "\(target)?code=\(code)&state=state-0123456789",
            headers: [("User-Agent", "Mozilla/5.0 (iPhone) Mobile Safari/604.1")]
        )
        if let host {
            capture.post(
                "https://\(host)/login/finish",
                json: #"{"answer":"\#(code)"}"#,
                headers: [("User-Agent", Self.phone)],
                body: .json("{}")
            )
        }
        capture.post(
            "https://idp.example/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("client_id", "wallet"),
                ("redirect_uri", target),
            ],
            headers: [("User-Agent", agent)],
            body: .json(#"{"access_token":"not-a-token","token_type":"Bearer","expires_in":299}"#)
        )
        let flow = try #require(capture.flows.first)
        #expect(capture.flows.count == 1)
        let response = try #require(flow.steps.first { $0.kind == .authorizationResponse })
        #expect(response.from.role == .provider && response.to.role == .app)
        #expect(flow.steps.first { $0.kind == .tokenRequest }?.from.role == role)
    }
}
