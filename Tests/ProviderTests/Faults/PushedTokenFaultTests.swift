import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Tokens that are sent to a client (OpenID Connect CIBA, section 10.3) are wrong where those would be that answer a token request.
struct PushedTokenFaultTests {
    /// What a client that registered for pushes is answered when it asks for alice.
    private static func asked(_ provider: BuiltInProvider) throws -> ProviderAnswer {
        let caller = Caller(provider)
        let wishes: JSONObject = [
            "redirect_uris": [.string(FaultyProvider.redirectURI)],
            "grant_types": [.string(GrantType.ciba)], "token_endpoint_auth_method": "client_secret_post",
            "backchannel_token_delivery_mode": "push",
            "backchannel_client_notification_endpoint": "http://localhost:4000/push",
        ]
        let metadata = Body(text: JSONWriter.text(of: .object(wishes)), mediaType: "application/json")
        let client = caller.json(caller.send("POST", FaultyProvider.issuer + "/register", metadata))
        let form = [
            ("client_id", try #require(client["client_id"]?.string)),
            ("client_secret", try #require(client["client_secret"]?.string)), ("scope", "openid profile"),
            ("login_hint", "alice"), ("client_notification_token", "cnt-8Kq2"),
        ]
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(FaultyProvider.issuer + "/bc-authorize"),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        return provider.answer(to: request, at: caller.now)
    }

    private static func pushed(_ answer: ProviderAnswer) throws -> JSONValue {
        try JSONParser.parse(try #require(answer.notices.first?.request.body?.bytes))
    }

    @Test func claimIsWrongAndSigned() throws {
        let fault = try #require(FaultCatalog.fault("id-token-issuer-mismatch"))
        let provider = try FaultyProvider.make([fault])
        let answer = try Self.asked(provider)
        #expect(answer.broken == [fault.id] && answer.kind == .tokenResponse)
        let tokens = try Self.pushed(answer)
        let token = try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse))
        #expect(token.claim("iss") == "https://another-issuer.example")
        let key = try #require(RecordedProviderTests.rsa)
        #expect(token.verify(keys: [JSONWebKey(key.publicKey, id: "r1")]).outcome == .valid)
        // The rest is as it should be.
        #expect(token.claim("urn:openid:params:jwt:claim:auth_req_id") == tokens["auth_req_id"])
    }

    @Test func memberIsLeftOut() throws {
        let fault = try #require(FaultCatalog.fault("refresh-token-missing"))
        let answer = try Self.asked(try FaultyProvider.make([fault]))
        let tokens = try Self.pushed(answer)
        #expect(answer.broken == [fault.id] && tokens["refresh_token"] == nil)
        #expect(tokens["access_token"] != nil)
    }

    /// No status comes with them and no header fields, and an error that is sent is a lawful message (section 12).
    @Test(arguments: [
        "token-error-with-200", "token-response-not-json:html", "token-response-not-json:form",
        "token-response-not-json:truncated", "token-response-cacheable", "token-invalid-client",
        "rate-limited",
        "provider-server-error:token",
    ])
    func whatOnlyAnAnswerHasIsLeftAlone(id: String) throws {
        let fault = try #require(FaultCatalog.fault(id))
        let answer = try Self.asked(try FaultyProvider.make([fault]))
        let tokens = try Self.pushed(answer)
        #expect(answer.broken.isEmpty && tokens["id_token"] != nil && tokens["access_token"] != nil)
        #expect(try Self.asked(try FaultyProvider.make(probes: [fault])).occasions.isEmpty)
    }

    @Test func whatIsOnlyAskedAboutIsForeseen() throws {
        let names = ["id-token-expired", "scope-reduced", "id-token-nonce-missing"]
        let probes = try names.map { try #require(FaultCatalog.fault($0)) }
        let answer = try Self.asked(try FaultyProvider.make(probes: probes))
        // Nobody asks for a nonce here.
        #expect(answer.occasions == ["id-token-expired", "scope-reduced"] && answer.broken.isEmpty)
    }

    /// The keys that are told before the first token are others; behind it they are those that signed it.
    @Test func pushedTokenIsTheFirstOne() throws {
        let fault = try #require(FaultCatalog.fault("id-token-kid-unknown:rotated"))
        let provider = try FaultyProvider.make([fault])
        let caller = Caller(provider)
        func names() -> [String] {
            let keys = caller.json(caller.get(FaultyProvider.issuer + "/jwks"))["keys"]?.array ?? []
            return keys.compactMap { $0["kid"]?.string }
        }
        #expect(!names().contains("r1"))
        _ = try Self.asked(provider)
        #expect(names() == ["r1"])
    }
}
