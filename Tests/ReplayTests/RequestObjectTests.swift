import Captures
import JOSE
import JSON
import LibCrypto
import Replay
import TestSupport
import Testing

/// A request object (RFC 9101) of a client whose app is at the provider's own host, driven at another address.
struct RequestObjectTests {
    private static let app = "https://id.example/portal/cb"
    private static let scope = "https://id.example/scopes/read"
    private static let mapped = "http://127.0.0.1:8090"

    private static func capture(_ key: PrivateKey) throws -> Capture {
        let object = try JSONWebToken.sign(
            claims: [
                "iss": "shop", "aud": "https://id.example", "client_id": "shop", "response_type": "code",
                "scope": .string(scope), "redirect_uri": .string(app), "state": "s-Kq2vLx7TzB4nWm8R",
                "iat": .number(JSONNumber(Int64(1_780_000_000))),
            ],
            header: [:],
            algorithm: .es256,
            with: .privateKey(key)
        )
        var capture = CaptureBuilder()
        let query = FormBody.encode([
            ("client_id", "shop"), ("response_type", "code"), ("state", "s-Kq2vLx7TzB4nWm8R"),
            ("redirect_uri", app), ("scope", scope), ("request", object),
        ])
        capture.redirect(
            "https://id.example/authorize?" + query,
            to: app + "?code=c-Kq2vLx7TzB4nWm8R&state=s-Kq2vLx7TzB4nWm8R"
        )
        capture.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "c-Kq2vLx7TzB4nWm8R"), ("client_id", "shop"),
                ("redirect_uri", app),
            ],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }

    /// What the client is called, and what it asks for, is the same inside and outside of it.
    @Test func addressesOfTheClientDoNotMoveWithTheProvider() async throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let options = FlowDriver.Options(
            map: EndpointMap([.init(old: "https://id.example", new: Self.mapped)]),
            credentials: ReplayCredentials(clientKey: .init(key: key, id: nil))
        )
        let replay = try await AskedReplay(of: Self.capture(key), options: options) { request, _ in
            guard request.url.path == "/authorize" else {
                return RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            }
            return AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7TzB4nWm8R", answering: request)
        }
        #expect(replay.run.isComplete, "\(replay.run.results)")
        let sent = replay.asked
        let query = try #require(sent.first).url.queryItems
        let token = try #require(query.first("request").flatMap { JSONWebToken.parse($0) })
        #expect(token.audience == [Self.mapped] && token.claim("state")?.string == query.first("state"))
        #expect(token.claim("redirect_uri")?.string == Self.app && query.first("redirect_uri") == Self.app)
        #expect(token.claim("scope")?.string == Self.scope && query.first("scope") == Self.scope)
        let redeemed = FormBody.items(of: sent.last?.body)
        #expect(
            redeemed?.first("redirect_uri") == Self.app && redeemed?.first("code") == "c-7Hq2vLx7TzB4nWm8R"
        )
    }
}
