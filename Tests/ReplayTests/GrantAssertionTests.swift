import Captures
import JOSE
import JSON
import LibCrypto
import Replay
import TestSupport
import Testing

/// A client that asks for tokens with an assertion of its own (RFC 7523, section 2.1).
struct GrantAssertionTests {
    private static let key = Result { try PrivateKey.generate(.elliptic(.p256)) }
    private static let issuer = "https://id.example"
    private static let mapped = "http://127.0.0.1:8090"

    private static func assertion(
        of issuer: String,
        until end: Int64 = 1_780_000_300,
        algorithm: SignatureAlgorithm = .es256,
        with key: SigningKey? = nil
    ) throws -> String {
        try JSONWebToken.sign(
            claims: [
                "iss": .string(issuer), "sub": "svc-1", "aud": .string(Self.issuer + "/token"),
                "iat": .number(JSONNumber(Int64(1_780_000_000))),
                "exp": .number(JSONNumber(end)), "jti": "a7Kq2vLx7TzB4nW",
            ],
            header: ["kid": "k-1"],
            algorithm: algorithm,
            with: try key ?? .privateKey(try self.key.get())
        )
    }

    private static func capture(assertion: String, secret: String?) -> Capture {
        var capture = CaptureBuilder()
        capture.get(
            issuer + "/.well-known/openid-configuration",
            body: .json(#"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#)
        )
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("client_id", "svc-1"),
                ("assertion", assertion),
            ] + (secret.map { [("client_secret", $0)] } ?? []),
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
        )
        return capture.capture
    }

    /// The assertion that a replay at another address sends.
    private static func sent(
        _ recorded: String,
        secret: String? = nil,
        with credentials: ReplayCredentials
    ) async throws -> String? {
        let options = FlowDriver.Options(
            map: EndpointMap([.init(old: issuer, new: mapped)]),
            credentials: credentials
        )
        let recording = capture(assertion: recorded, secret: secret)
        let replay = try await AskedReplay(of: recording, options: options) { request, _ in
            let body: Body =
                request.method == "GET"
                ? .json(#"{"issuer":"\#(mapped)","token_endpoint":"\#(mapped)/token"}"#)
                : .json(#"{"access_token":"at-8Kq2vLx7TzB4nWm8RdYc9Kq2","token_type":"Bearer"}"#)
            return RecordedResponse(
                status: 200,
                headers: HeaderFields([("Content-Type", "application/json")]),
                body: body
            )
        }
        #expect(replay.run.isComplete, "\(replay.run.results)")
        let token = try #require(replay.asked.last)
        return FormBody.items(of: token.body)?.first("assertion")
    }

    @Test func isSignedAnewWithTheClientsKey() async throws {
        let recorded = try Self.assertion(of: "svc-1")
        let key = try Self.key.get()
        let credentials = ReplayCredentials(clientKey: .init(key: key, id: "k-2"))
        let text = try #require(try await Self.sent(recorded, with: credentials))
        let token = try #require(JSONWebToken.parse(text))
        #expect(token.audience == [Self.mapped + "/token"] && token.keyID == "k-2")
        #expect(token.issuedAt ?? 0 > 1_789_000_000 && token.claim("jti")?.string != "a7Kq2vLx7TzB4nW")
        #expect(token.verify(keys: [JSONWebKey(key.publicKey, id: "k-2")]).outcome == .valid)
    }

    /// Of HS256 the secret is the key, and the capture has it; with another key it stays as it is.
    @Test func isSignedAnewWithTheRecordedSecret() async throws {
        let secret = "Vb3nQ8wLk2ZtR5yXc7Hd0MfGs9PjUa4E"
        let own = try Self.assertion(of: "svc-1", algorithm: .hs256, with: .secret(Array(secret.utf8)))
        let text = try #require(try await Self.sent(own, secret: secret, with: ReplayCredentials()))
        let token = try #require(JSONWebToken.parse(text))
        #expect(token.audience == [Self.mapped + "/token"] && token.issuedAt ?? 0 > 1_789_000_000)
        #expect(token.verify(keys: [], secret: Array(secret.utf8)).outcome == .valid)
        let other = [UInt8](repeating: 0x41, count: 32)
        let foreign = try Self.assertion(of: "svc-1", algorithm: .hs256, with: .secret(other))
        #expect(try await Self.sent(foreign, secret: secret, with: ReplayCredentials()) == foreign)
    }

    /// What a program writes for a time that it does not know.
    @Test(arguments: [Int64.min, .max])
    func timeThatNoClockShowsStays(end: Int64) async throws {
        let recorded = try Self.assertion(of: "svc-1", until: end)
        let key = ReplayCredentials.ClientKey(key: try Self.key.get(), id: nil)
        let text = try #require(
            try await Self.sent(recorded, with: ReplayCredentials(clientKey: key))
        )
        let token = try #require(JSONWebToken.parse(text))
        #expect(token.claim("exp")?.int == end && token.issuedAt ?? 0 > 1_789_000_000)

        let plans = try [Self.assertion(of: "svc-1"), recorded].map {
            try BisectedPair.plan(Self.capture(assertion: $0, secret: nil))
        }
        let changes = RequestChangeFinder.changes(from: plans[0], to: plans[1], failedAt: [])
        #expect(changes.map(\.difference.seen) == ["\(end)"])
    }

    @Test func isSentAsRecordedWithoutIt() async throws {
        let recorded = try Self.assertion(of: "svc-1")
        #expect(try await Self.sent(recorded, with: ReplayCredentials()) == recorded)
    }

    @Test func anotherIssuersIsSentAsRecorded() async throws {
        let recorded = try Self.assertion(of: "https://sts.example")
        let credentials = ReplayCredentials(clientKey: .init(key: try Self.key.get(), id: nil))
        #expect(try await Self.sent(recorded, with: credentials) == recorded)
    }
}
