import Captures
import Flows
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
                "max_age": 3600, "display": "page",
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

    /// What is set for the run is set in the object, which is what counts (RFC 9101, section 6.3); it names the client that is set.
    @Test func parametersThatAreSetAreThoseOfTheObject() async throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let capture = try Self.capture(key)
        let options = FlowDriver.Options(
            credentials: ReplayCredentials(clientKey: .init(key: key, id: nil)),
            plan: PlanOptions(overrides: [
                "client_id": "shop-test", "authorization_request.scope": "openid", "nonce": "n-of-nobody",
                "max_age": "0", "display": "",
            ])
        )
        let replay = try await AskedReplay(of: capture, options: options) { request, _ in
            guard request.url.path == "/authorize" else {
                return RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8Kq2"}"#))
            }
            return AskedReplay.back(to: Self.app, code: "c-7Hq2vLx7TzB4nWm8R", answering: request)
        }
        let query = try #require(replay.asked.first).url.queryItems
        let token = try #require(query.first("request").flatMap { JSONWebToken.parse($0) })
        #expect(query.first("client_id") == "shop-test" && token.claim("client_id")?.string == "shop-test")
        #expect(token.issuer == "shop-test" && token.audience == ["https://id.example"])
        #expect(token.claim("scope")?.string == "openid" && token.claim("nonce") == nil)
        #expect(token.claim("max_age") == 0 && token.claim("display") == nil)
        let flows = FlowFinder.flows(in: capture)
        let plan = PlanBuilder(try #require(flows.first), siblings: flows).plan()
        let object = try #require(plan.steps.flatMap(\.parameters).first { $0.name == "request" })
        #expect(object.asksFor("scope") && !object.asksFor("nonce"))
    }
}
