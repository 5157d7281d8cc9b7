import Captures
import Flows
import TestSupport
import Testing

/// Requests whose program had no code or token to send, and sent nothing or its language's word for that.
struct MissingValueTests {
    private func ask(
        _ form: [(String, String)],
        of client: String = "shop",
        _ capture: inout CaptureBuilder
    ) {
        capture.post(
            "https://idp.example/token",
            form + [("client_id", client)],
            400,
            headers: ShopLogin.backend,
            body: .json(#"{"error":"invalid_request"}"#)
        )
    }

    /// Of two users, one after the other.
    @Test(arguments: ["", "undefined", "null"]) func codeThatIsNoneLeadsToNoOtherLogin(code: String) {
        var capture = CaptureBuilder()
        for name in ["one", "two"] {
            let login = ShopLogin(name)
            login.authorize(&capture)
            login.answer(&capture)
            login.callback(&capture)
            let form = [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", login.redirectURI),
            ]
            ask(form, &capture)
        }
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2, 3], [4, 5, 6, 7]])
    }

    /// As keycloak-js does whose app starts anew without the tokens that it had: with the only login of its client.
    @Test(arguments: [nil, "", "undefined"] as [String?])
    func refreshWithoutTokenIsOfItsClient(token: String?) {
        let form = [("grant_type", "refresh_token")] + (token.map { [("refresh_token", $0)] } ?? [])
        var capture = CaptureBuilder()
        let login = ShopLogin()
        login.authorize(&capture)
        login.answer(&capture)
        login.callback(&capture)
        login.token(&capture)
        ask(form, &capture)
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2, 3, 4]])
        var alone = CaptureBuilder()
        for client in ["shop", "blog", "shop"] { ask(form, of: client, &alone) }
        #expect(alone.flows.map(\.exchanges) == [[0, 2], [1]])
    }

    @Test func pollsWithoutTheirCodeAreOneFlow() {
        var capture = CaptureBuilder()
        let form = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "undefined"),
        ]
        for _ in 0..<3 { ask(form, of: "tv", &capture) }
        #expect(capture.flows.map(\.exchanges) == [[0, 1, 2]])
    }
}
