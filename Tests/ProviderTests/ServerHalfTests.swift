import Captures
import JSON
import OAuth
import Provider
import TestSupport
import Testing

/// What an application's server recorded, without the browser, played: logins begin all the same.
struct ServerHalfTests {
    private static let base = RecordedProviderTests.base
    private static let app = "https://shop.example/cb"

    /// A code that was exchanged at `token`; `redirectURI`: nil where the request named none.
    private static func half(_ token: String, _ redirectURI: String?, metadata: String? = nil)
        -> CaptureBuilder
    {
        var builder = CaptureBuilder()
        if let metadata {
            builder.get("https://id.example/.well-known/openid-configuration", body: .json(metadata))
        }
        builder.post(
            "https://id.example" + token,
            [("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R")]
                + (redirectURI.map { [("redirect_uri", $0)] } ?? [])
                + [("client_id", "shop"), ("client_secret", "secret-of-shop")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return builder
    }

    private static let metadata = """
        {"issuer":"https://id.example","authorization_endpoint":"https://id.example/login/start",\
        "token_endpoint":"https://id.example/token","response_types_supported":["code"]}
        """

    @Test(
        arguments: [
            ("/oauth2/token", "/oauth2/authorize", nil),
            ("/token", "/authorize", nil),
            ("/realms/a/protocol/openid-connect/token", "/realms/a/protocol/openid-connect/auth", nil),
            ("/token", "/login/start", metadata),
        ] as [(String, String, String?)]
    )
    func serversHalfIsPlayedFromTheStart(token: String, start: String, metadata: String?) throws {
        let half = Self.half(token, Self.app, metadata: metadata)
        let provider = try RecordedProviderTests.provider(half.capture) { $0.autoLogin = "" }
        #expect(provider.issuers[0].clients.map(\.redirectURIs) == [[Self.app]])
        #expect(provider.issuers[0].remarks.contains { $0.contains("browser's half") } == (metadata == nil))
        let caller = Caller(provider)
        let document = caller.json(caller.get(provider.issuers[0].discovery))
        #expect(document["authorization_endpoint"]?.string == Self.base + start)
        let login = caller.get(
            Self.base + start,
            [
                ("response_type", "code"), ("client_id", "shop"), ("redirect_uri", Self.app),
                ("state", "state-of-mine"),
            ]
        )
        #expect(login.parameters.first("state") == "state-of-mine")
        let tokens = caller.post(
            Self.base + token,
            [
                ("grant_type", "authorization_code"), ("code", login.parameters.first("code") ?? ""),
                ("redirect_uri", Self.app), ("client_id", "shop"), ("client_secret", "secret-of-shop"),
            ]
        )
        #expect(tokens.status == 200)
    }

    /// Nobody knows the address of a client whose token requests name none: one on this machine will do.
    @Test(arguments: [("http://localhost:3000/cb", 302), ("https://elsewhere.example/cb", 400)])
    func addressThatNoTokenRequestNamesIsOnThisMachine(redirectURI: String, status: Int) throws {
        let provider = try RecordedProviderTests.provider(Self.half("/token", nil).capture) {
            $0.autoLogin = ""
        }
        #expect(provider.issuers[0].clients[0].acceptsLocalRedirects)
        let answer = Caller(provider).get(
            Self.base + "/authorize",
            [("response_type", "code"), ("client_id", "shop"), ("redirect_uri", redirectURI)]
        )
        #expect(answer.status == status)
    }

    /// A service has no user who would sign in.
    @Test func serviceHasNoSignIn() throws {
        var builder = CaptureBuilder()
        builder.post(
            "https://id.example/token",
            [("grant_type", "client_credentials"), ("client_id", "svc"), ("client_secret", "secret-of-svc")],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        let provider = try RecordedProviderTests.provider(builder.capture)
        let caller = Caller(provider)
        #expect(caller.json(caller.get(provider.issuers[0].discovery))["authorization_endpoint"] == nil)
        #expect(
            provider.issuers[0].clients.allSatisfy { $0.redirectURIs.isEmpty && !$0.acceptsLocalRedirects }
        )
        #expect(!provider.issuers[0].remarks.contains { $0.contains("browser's half") })
    }
}
