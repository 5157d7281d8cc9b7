import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Clients that register how they want to be answered (OpenID Connect Registration, section 2).
struct RegisteredFormsTests {
    private static let redirectURI = "https://new.example/cb"

    private static var keySet: JSONValue { ["keys": [.object(PlayedEncryptionTests.publicKey.json)]] }

    /// A client of the built-in provider.
    private struct Registered {
        var caller: Caller
        var base: String
        var metadata: JSONValue

        /// `wishes`: members of its registration.
        init(_ caller: Caller, at base: String, _ wishes: JSONObject) {
            self.caller = caller
            self.base = base
            let sent = JSONObject(
                [.init(name: "redirect_uris", value: [.string(redirectURI)])] + wishes.members
            )
            let body = Body(text: JSONWriter.text(of: .object(sent)), mediaType: "application/json")
            metadata = caller.json(caller.send("POST", base + "/register", body))
        }

        private var id: String { metadata["client_id"]?.string ?? "" }

        func ask(_ more: [(String, String)] = []) -> RecordedResponse {
            caller.get(
                base + "/authorize",
                [
                    ("response_type", "code"), ("client_id", id), ("redirect_uri", redirectURI),
                    ("scope", "openid email"), ("nonce", "a-nonce"),
                ] + more
            )
        }

        func tokens() -> JSONValue {
            let form = [
                ("grant_type", "authorization_code"), ("code", ask().parameters.first("code") ?? ""),
                ("redirect_uri", redirectURI), ("client_id", id),
                ("client_secret", metadata["client_secret"]?.string ?? ""),
            ].filter { !$0.1.isEmpty }
            return caller.json(caller.post(base + "/token", form))
        }

        func userInfo() -> RecordedResponse {
            let token = tokens()["access_token"]?.string ?? ""
            return caller.get(base + "/userinfo", headers: [("Authorization", "Bearer \(token)")])
        }

        /// What was encrypted for the client.
        func opened(_ text: String?) throws -> String {
            let token = try #require(text.flatMap(JSONWebToken.parse))
            #expect(token.form == .encrypted && token.keyID == "app-enc")
            let opened = JSONWebEncryption(token)?.open(keys: [JSONWebKey(json: PlayedEncryptionTests.pair)])
            return String(decoding: try #require(opened).plaintext, as: UTF8.self)
        }

        /// A token of the provider's.
        func verified(_ text: String?) throws -> JSONWebToken {
            let token = try #require(text.flatMap(JSONWebToken.parse))
            let keys = JSONWebKeySet(json: caller.json(caller.get(base + "/jwks")))?.keys ?? []
            #expect(token.verify(keys: keys).outcome == .valid)
            return token
        }
    }

    private static func builtIn(_ wishes: JSONObject) throws -> Registered {
        var policy = ProviderPolicy()
        policy.autoLogin = "alice"
        let key = try PrivateKey.generate(.elliptic(.p256))
        let provider = try BuiltInEndpointsTests.provider(key, policy)
        let wishes = JSONObject(
            wishes.members + [.init(name: "token_endpoint_auth_method", value: "client_secret_post")]
        )
        return Registered(Caller(provider), at: BuiltInEndpointsTests.issuer, wishes)
    }

    /// Core, section 5.3.2: signed userinfo has `iss` and `aud`; the algorithm is one of the provider's, and the client is told which.
    @Test(arguments: ["ES256", "PS512"])
    func userInfoIsSignedForWhoAsksForThat(asked: String) throws {
        let client = try Self.builtIn(["userinfo_signed_response_alg": .string(asked)])
        #expect(client.metadata["userinfo_signed_response_alg"] == "ES256")
        let answer = client.userInfo()
        #expect(answer.headers.all("content-type") == ["application/jwt"])
        let token = try client.verified(answer.body?.text)
        #expect(token.algorithm == "ES256" && token.issuer == BuiltInEndpointsTests.issuer)
        #expect(token.audience == [client.metadata["client_id"]?.string ?? ""])
        #expect(token.subject == "248289761001" && token.claim("email") == "alice@idp.example")
    }

    @Test(
        arguments: [
            [:], ["userinfo_signed_response_alg": "none"],
            ["userinfo_signed_response_alg": .null, "userinfo_encrypted_response_alg": .null],
        ] as [JSONObject]
    )
    func userInfoIsAnObjectForWhoDoesNot(wishes: JSONObject) throws {
        let client = try Self.builtIn(wishes)
        #expect(client.metadata["userinfo_signed_response_alg"] == nil)
        let answer = client.userInfo()
        #expect(answer.headers.all("content-type") == ["application/json"])
        #expect((try? JSONParser.parse(answer.body?.bytes ?? []))?["sub"] == "248289761001")
    }

    @Test func tokensAndUserInfoAreEncryptedForWhoAsksForThat() throws {
        let client = try Self.builtIn([
            "jwks": Self.keySet, "id_token_encrypted_response_alg": "ECDH-ES+A256KW",
            "id_token_encrypted_response_enc": .null,
            "userinfo_signed_response_alg": "ES256", "userinfo_encrypted_response_alg": "ECDH-ES",
            "userinfo_encrypted_response_enc": "A256GCM",
        ])
        // The default of who names no cipher.
        #expect(client.metadata["id_token_encrypted_response_enc"] == "A128CBC-HS256")
        let idToken = try client.verified(try client.opened(client.tokens()["id_token"]?.string))
        #expect(idToken.claim("nonce") == "a-nonce")
        let userInfo = try client.verified(try client.opened(client.userInfo().body?.text))
        #expect(userInfo.claim("email") == "alice@idp.example" && userInfo.algorithm == "ES256")
    }

    /// Core, section 5.3.2: what nobody asked to have signed is encrypted as it is.
    @Test func userInfoThatIsOnlyEncryptedIsAnObject() throws {
        let client = try Self.builtIn(["jwks": Self.keySet, "userinfo_encrypted_response_alg": "ECDH-ES"])
        let answer = client.userInfo()
        #expect(answer.headers.all("content-type") == ["application/jwt"])
        let header = answer.body?.text.flatMap(JSONWebToken.parse)?.header
        #expect(header?["cty"] == nil && header?["enc"] == "A128CBC-HS256")
        let claims = try JSONParser.parse(Array(try client.opened(answer.body?.text).utf8))
        #expect(claims["sub"] == "248289761001" && claims["iss"] == nil)
    }

    /// JWT Secured Authorization Response Mode, section 3.
    @Test func authorizationResponseIsEncrypted() throws {
        let client = try Self.builtIn([
            "jwks": Self.keySet, "authorization_encrypted_response_alg": "ECDH-ES",
        ])
        let sent = client.ask([("response_mode", "jwt")]).parameters.first("response")
        let response = try client.verified(try client.opened(sent))
        #expect(response.claim("code")?.string != nil)
    }

    /// Nobody is told to have what is not done: there is no key, or nothing is known of the algorithm.
    @Test func whatCannotBeEncryptedIsNotPromised() throws {
        let names = ["id_token_encrypted_response_alg", "id_token_encrypted_response_enc"]
        for wishes: JSONObject in [
            ["id_token_encrypted_response_alg": "ECDH-ES"],
            ["id_token_encrypted_response_alg": "RSA-OAEP", "jwks": Self.keySet],
            ["id_token_encrypted_response_alg": "ECDH-ES", "jwks": Self.keySet, names[1]: "none"],
            [names[1]: "A256GCM", "jwks": Self.keySet],
        ] {
            let client = try Self.builtIn(wishes)
            #expect(names.allSatisfy { client.metadata[$0] == nil })
            #expect(try client.verified(client.tokens()["id_token"]?.string).claim("nonce") == "a-nonce")
        }
    }

    /// RFC 7592, section 2.2: a changed registration is held to from then on.
    @Test func changedRegistrationIsHeldTo() throws {
        let client = try Self.builtIn(["userinfo_signed_response_alg": "ES256"])
        let bearer = "Bearer \(client.metadata["registration_access_token"]?.string ?? "")"
        let changed: JSONObject = [
            "client_id": client.metadata["client_id"] ?? "", "jwks": Self.keySet,
            "userinfo_encrypted_response_alg": "ECDH-ES",
        ]
        let answer = client.caller.send(
            "PUT",
            client.metadata["registration_client_uri"]?.string ?? "",
            Body(text: JSONWriter.text(of: .object(changed)), mediaType: "application/json"),
            [("Authorization", bearer)]
        )
        #expect(client.caller.json(answer)["userinfo_encrypted_response_alg"] == "ECDH-ES")
        let token = try client.verified(try client.opened(client.userInfo().body?.text))
        #expect(token.algorithm == "ES256")
    }

    // MARK: - At a recorded provider

    private static let played = RecordedProviderTests.base

    /// Of a provider that registers a client and tells it of its user as an object.
    private static func capture() -> Capture {
        var builder = CaptureBuilder()
        let id = "app-Hq2vLx7TzB4nWm8R"
        builder.post(
            "https://id.example/register",
            json: #"{"redirect_uris":["https://shop.example/cb"]}"#,
            201,
            body: .json(#"{"client_id":"\#(id)","redirect_uris":["https://shop.example/cb"]}"#)
        )
        builder.get(
            "https://id.example/authorize?response_type=code&client_id=\(id)"
                + "&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&scope=openid&state=s1",
            302,
            answer: [("Location", "https://shop.example/cb?code=0123456789abcdefABCDEF&state=s1")]
        )
        builder.post(
            "https://id.example/token",
            [
                ("grant_type", "authorization_code"), ("code", "0123456789abcdefABCDEF"),
                ("redirect_uri", "https://shop.example/cb"), ("client_id", id),
            ],
            body: .json(#"{"access_token":"a-token-0123456789","token_type":"Bearer"}"#)
        )
        builder.get(
            "https://id.example/userinfo",
            headers: [("Authorization", "Bearer a-token-0123456789")],
            body: .json(#"{"sub":"u-7","name":"Alice"}"#)
        )
        return builder.capture
    }

    /// What its own client did not ask for another one may.
    @Test(arguments: [true, false])
    func recordedProviderSignsForWhoAsksForThat(asks: Bool) throws {
        let provider = try RecordedProviderTests.provider(Self.capture()) { $0.autoLogin = "" }
        let wishes: JSONObject = asks ? ["userinfo_signed_response_alg": "RS256"] : [:]
        let answer = Registered(Caller(provider), at: Self.played, wishes).userInfo()
        let type = asks ? "application/jwt" : "application/json"
        #expect(answer.headers.all("content-type") == [type])
        let text = try #require(answer.body?.text)
        let object = try? JSONParser.parse(Array(text.utf8)).object
        let claims = asks ? JSONWebToken.parse(text)?.claims : object
        #expect(claims?["sub"] == "u-7" && claims?["name"] == "Alice")
        #expect(claims?["iss"]?.string == (asks ? Self.played : nil))
    }
}
