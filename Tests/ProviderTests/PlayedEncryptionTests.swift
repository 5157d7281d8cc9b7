import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Encrypted ID tokens are encrypted again where somebody gives the client's key, else signed only, and that is said.
struct PlayedEncryptionTests {
    // RFC 7517, appendix A.2: an EC key pair.
    static let pair: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        "d": "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE",
        "use": "enc", "kid": "app-enc",
    ]
    private static let base = "http://127.0.0.1:8090"

    static var publicKey: JSONWebKey {
        JSONWebKey(json: JSONObject(pair.members.filter { $0.name != "d" }))
    }

    private static func sealed() throws -> String {
        let header: JSONObject = ["alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": "rp-enc-1", "cty": "JWT"]
        let sealed = JSONWebEncryption.sealed(
            Array("not.for.us".utf8),
            key: publicKey,
            secret: nil,
            header: header,
            random: { SecureRandom.bytes($0) }
        )
        return try #require(sealed)
    }

    private static func capture() throws -> Capture {
        let token = try sealed()
        var builder = CaptureBuilder()
        builder.get(
            "https://id.example/auth?response_type=code&client_id=app&redirect_uri=app.example%3A%2Fcb&scope=openid&state=s1",
            302,
            answer: [("Location", "app.example:/cb?code=0123456789abcdefABCDEF&state=s1")]
        )
        builder.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "0123456789abcdefABCDEF"),
                ("redirect_uri", "app.example:/cb"),
                ("client_id", "app"),
            ],
            body: .json(
                #"{"access_token":"a-token-0123456789","token_type":"Bearer","id_token":"\#(token)"}"#
            )
        )
        return builder.capture
    }

    private static func idToken(_ keys: [JSONWebKey]) throws -> (
        token: JSONWebToken, provider: RecordedProvider
    ) {
        let provider = try RecordedProviderTests.provider(try capture()) {
            $0.clientKeys = keys.isEmpty ? [:] : ["app": keys]
        }
        let caller = Caller(provider)
        let answer = caller.get(
            base + "/auth",
            [
                ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "app.example:/cb"),
                ("scope", "openid"),
                ("nonce", "a-nonce"),
            ]
        )
        let form = [
            ("grant_type", "authorization_code"), ("code", answer.parameters.first("code") ?? ""),
            ("redirect_uri", "app.example:/cb"), ("client_id", "app"),
        ]
        let tokens = caller.json(caller.post(base + "/token", form))
        return (try #require(tokens["id_token"]?.string.flatMap(JSONWebToken.parse)), provider)
    }

    /// Of a provider that encrypts or signs userinfo and issues no ID token, as MyInfo does.
    private static func userInfoCapture(_ userInfo: String) -> Capture {
        var builder = CaptureBuilder()
        builder.get(
            "https://id.example/auth?response_type=code&client_id=app&redirect_uri=app.example%3A%2Fcb&scope=uinfin&state=s1",
            302,
            answer: [("Location", "app.example:/cb?code=0123456789abcdefABCDEF&state=s1")]
        )
        builder.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "0123456789abcdefABCDEF"),
                ("redirect_uri", "app.example:/cb"), ("client_id", "app"),
            ],
            body: .json(#"{"access_token":"a-token-0123456789","token_type":"Bearer"}"#)
        )
        builder.get(
            "https://id.example/userinfo",
            headers: [("Authorization", "Bearer a-token-0123456789")],
            body: Body(text: userInfo, mediaType: "application/jwt")
        )
        return builder.capture
    }

    /// Userinfo as a provider plays it that signs nothing else, checked with its keys.
    private static func userInfo(at provider: RecordedProvider) throws -> JSONWebToken {
        let caller = Caller(provider)
        let answer = caller.get(
            base + "/auth",
            [
                ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "app.example:/cb"),
                ("scope", "uinfin"),
            ]
        )
        let form = [
            ("grant_type", "authorization_code"), ("code", answer.parameters.first("code") ?? ""),
            ("redirect_uri", "app.example:/cb"), ("client_id", "app"),
        ]
        let access = caller.json(caller.post(base + "/token", form))["access_token"]?.string ?? ""
        let userInfo = caller.get(base + "/userinfo", headers: [("Authorization", "Bearer \(access)")])
        #expect(userInfo.headers.all("content-type") == ["application/jwt"])
        let token = try #require(userInfo.body?.text.flatMap { JSONWebToken.parse($0) })
        let metadata = caller.json(caller.get(provider.issuers[0].discovery))
        let keys = caller.json(caller.get(metadata["jwks_uri"]?.string ?? ""))
        #expect(token.verify(keys: JSONWebKeySet(json: keys)?.keys ?? []).outcome == .valid)
        return token
    }

    @Test func signedUserInfoIsSigned() throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let recorded = try JSONWebToken.sign(
            claims: ["iss": "https://id.example", "sub": "u-7", "aud": "app", "name": "Alice"],
            header: ["kid": "recorded-key"],
            algorithm: .es256,
            with: .privateKey(key)
        )
        let provider = try RecordedProviderTests.provider(Self.userInfoCapture(recorded))
        let token = try Self.userInfo(at: provider)
        #expect(token.algorithm == "ES256" && token.issuer == Self.base && token.audience == ["app"])
        #expect(token.subject == "u-7" && token.claim("name") == "Alice")
    }

    @Test func userInfoWithoutTheKeyIsSignedAndThatIsSaid() throws {
        let provider = try RecordedProviderTests.provider(Self.userInfoCapture(try Self.sealed()))
        let token = try Self.userInfo(at: provider)
        #expect(token.claims?.members.map(\.name) == ["iss", "sub", "aud"])
        #expect(token.audience == ["app"] && token.issuer == Self.base)
        #expect(
            provider.issuers[0].remarks.contains {
                $0.contains("userinfo") && $0.contains("--client-key app=FILE")
            }
        )
    }

    @Test func keyOfTheClientOpensIt() throws {
        let (token, provider) = try Self.idToken([Self.publicKey])
        #expect(token.form == .encrypted && token.algorithm == "ECDH-ES+A256KW" && token.keyID == "app-enc")
        let opened = JSONWebEncryption(token)?.open(keys: [JSONWebKey(json: Self.pair)])
        let inner = try #require(
            opened.flatMap { JSONWebToken.parse(String(decoding: $0.plaintext, as: UTF8.self)) }
        )
        #expect(inner.claim("nonce") == "a-nonce" && inner.audience == ["app"] && inner.issuer == Self.base)
        #expect(!provider.issuers[0].remarks.contains { $0.contains("encrypted") })
    }

    @Test func withoutTheKeyItIsSignedAndThatIsSaid() throws {
        let (token, provider) = try Self.idToken([])
        #expect(token.form == .signed && token.claim("nonce") == "a-nonce")
        let metadata = Caller(provider).json(Caller(provider).get(provider.issuers[0].discovery))
        let keys = Caller(provider).json(Caller(provider).get(metadata["jwks_uri"]?.string ?? ""))
        #expect(token.verify(keys: JSONWebKeySet(json: keys)?.keys ?? []).outcome == .valid)
        #expect(
            provider.issuers[0].remarks.contains {
                $0.contains("encrypted") && $0.contains("--client-key app=FILE")
            }
        )
    }
}
