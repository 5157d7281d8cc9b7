import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import Replay
import Synchronization
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
        let flows = FlowFinder.flows(in: try Self.capture(key))
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let asked = Mutex<[RecordedRequest]>([])
        let environment = FlowDriver.Environment.inMemory { request, _ in
            asked.withLock { $0.append(request) }
            guard request.url.path == "/authorize" else {
                return RecordedResponse(
                    status: 200,
                    body: .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
                )
            }
            let state = request.url.queryItems.first("state") ?? ""
            let target = Self.app + "?code=c-7Hq2vLx7TzB4nWm8R&state=" + state
            return RecordedResponse(status: 302, headers: HeaderFields([("Location", target)]))
        }
        let options = FlowDriver.Options(
            map: EndpointMap([.init(old: "https://id.example", new: Self.mapped)]),
            credentials: ReplayCredentials(clientKey: .init(key: key, id: nil))
        )
        let run = await FlowDriver(plan, environment, options: options).run()
        #expect(run.isComplete, "\(run.results)")
        let sent = asked.withLock { $0 }
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
