import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import TestSupport
import Testing

/// A server at the redirect URI that sends the code on to its app.
extension CodeNeverRedeemedTests {
    /// A server that takes the answer for its app, as providers want it that know no other redirect URIs.
    @Test(arguments: [
        ("code=021AbcDefGhi", "/stats", Outcome.incomplete),
        ("code=021AbcDefGhi&state=af0ifjsldkj", "/stats", .incomplete),
        ("code=021AbcDefGhi", "/token", .success),
        ("code=021AbcDefGhi&state=af0ifjsldkj", "/token", .success),
        ("session=s1", "/stats", .success),
        // Served by its own server, whoever brought the code there.
        ("code=021AbcDefGhi", "/me", .success), ("code=021AbcDefGhi&state=af0ifjsldkj", "/me", .success),
    ])
    func seesWhatTheAppsServerLeavesOut(query: String, next: String, outcome: Outcome) {
        let host = "https://id.harbour.example"
        let app = [("User-Agent", "okhttp/4.12.0")]
        let browser = [("User-Agent", "Mozilla/5.0 (Linux; Android 14) Chrome/126.0 Mobile Safari/537.36")]
        let callback = "https://api.shop.example/cb?code=021AbcDefGhi&state=af0ifjsldkj"
        var capture = CaptureBuilder()
        capture.get(host + "/.well-known/openid-configuration", headers: app, body: .json(Self.metadata))
        capture.redirect(
            host
                + "/authorize?client_id=shop-app&response_type=code&redirect_uri=https%3A%2F%2Fapi.shop.example%2Fcb&scope=read&state=af0ifjsldkj",
            to: callback,
            headers: browser
        )
        capture.redirect(callback, to: "com.shop.app://cb?\(query)", headers: browser)
        if next == "/me" {
            capture.get("https://api.shop.example/me", headers: app, body: .json(#"{"name":"Ada"}"#))
        }
        if next == "/token" {
            capture.post(
                host + "/token",
                [
                    ("grant_type", "authorization_code"), ("code", "021AbcDefGhi"),
                    ("redirect_uri", "https://api.shop.example/cb"), ("client_id", "shop-app"),
                ],
                headers: app,
                body: .json(#"{"access_token":"not-a-token","token_type":"Bearer","expires_in":60}"#)
            )
        }
        capture.post("https://stats.example/a", [("e", "1")], 204, headers: app)
        let recording = Recording(capture.exchanges)
        let isLost = query == "code=021AbcDefGhi" && next == "/stats"
        let finding = recording.finding(rule)
        #expect(finding?.isPrimary == (outcome == .incomplete ? true : nil))
        #expect((finding?.title == "The app's server sent the code on without `state`") == isLost)
        #expect(!isLost || finding?.notes.last == "the code was sent on to the app without it")
        // What the login did not have nobody left out.
        let stateless = recording.editing { exchange in
            exchange.request.url = RecordedURL(
                exchange.request.url.text.replacing("state=af0ifjsldkj", with: "state=")
            )
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: location.replacing("state=af0ifjsldkj", with: "state="))
        }
        #expect(stateless.finding(rule)?.title != "The app's server sent the code on without `state`")
        #expect(recording.finding("state-missing-in-response") == nil)
        if outcome != .incomplete { #expect(recording.outcomes == [outcome]) }
    }

    private static let metadata = """
        {"issuer":"https://id.harbour.example","authorization_endpoint":"https://id.harbour.example/authorize",
        "token_endpoint":"https://id.harbour.example/token","jwks_uri":"https://id.harbour.example/jwks",
        "response_types_supported":["code"],"subject_types_supported":["public"],
        "id_token_signing_alg_values_supported":["RS256"]}
        """
}
