import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import Testing

/// Whoever runs the provider is told which part of a signed statement is wrong, where the answer to its client does not say.
struct RefusalWordsTests {
    private static let issuer = FaultyProvider.issuer
    private static let now = Timestamp(seconds: 1_790_000_000)

    private static func answer(_ path: String, _ form: [(String, String)], _ headers: [(String, String)] = [])
        throws
        -> ProviderAnswer
    {
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(issuer + path),
            headers: HeaderFields(headers),
            body: Body(text: FormBody.encode(form), mediaType: FormBody.mediaType)
        )
        return try FaultyProvider.make().answer(to: request, at: now)
    }

    private static func signed(
        _ claims: JSONObject,
        _ changes: JSONObject,
        by secret: String = "shop-secret"
    ) throws -> String {
        var claims = claims
        for member in changes.members {
            claims[member.name] = member.value == .null ? nil : member.value
        }
        return try JSONWebToken.sign(
            claims: claims,
            header: JSONObject(),
            algorithm: .hs256,
            with: .secret(Array(secret.utf8))
        )
    }

    @Test(
        arguments: [
            ([:], nil), (["iss": "shop2"], "iss is shop2, not shop"),
            (["sub": "bob"], "sub is bob, not shop"),
            (
                ["aud": "https://elsewhere.example/token"],
                "aud is https://elsewhere.example/token, neither \(issuer) nor an endpoint of it"
            ), (["exp": 1_789_999_000], "exp is 1789999000, and it is 1790000000 here"),
            (["exp": .null], "exp is not there, and it is 1790000000 here"),
            (["nbf": 1_790_009_000], "nbf is 1790009000, exp is 1790000060, and it is 1790000000 here"),
        ] as [(JSONObject, String?)]
    )
    func wrongAssertionIsExplained(changes: JSONObject, words: String?) throws {
        let claims: JSONObject = [
            "iss": "shop", "sub": "shop", "aud": .string(Self.issuer + "/token"), "exp": 1_790_000_060,
            "jti": "assertion-1",
        ]
        let answer = try Self.answer(
            "/token",
            [
                ("grant_type", "client_credentials"), ("client_id", "shop"),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", try Self.signed(claims, changes)),
            ]
        )
        #expect(answer.response.status == (words == nil ? 200 : 401))
        #expect(answer.explanation == words)
    }

    @Test(
        arguments: [
            ([:], "shop-secret", nil), ([:], "another", "the signature of the request object is not valid"),
            (["client_id": "shop2"], "shop-secret", "the request object is of the client shop2, not shop"),
            (
                ["exp": 1_789_999_000], "shop-secret",
                "the request object is not of now: exp is 1789999000, and it is 1790000000 here"
            ),
            (["aud": .string(issuer)], "shop-secret", nil),
            (["aud": ["https://other.example", .string(issuer + "/par")]], "shop-secret", nil),
            (
                ["aud": "https://other.example"], "shop-secret",
                "the request object's aud is https://other.example, neither \(issuer) nor an endpoint of it"
            ),
        ] as [(JSONObject, String, String?)]
    )
    func wrongRequestObjectIsExplained(changes: JSONObject, secret: String, words: String?) throws {
        let claims: JSONObject = [
            "client_id": "shop", "redirect_uri": .string(FaultyProvider.redirectURI), "response_type": "code",
            "scope": "openid", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
        ]
        let answer = try Self.answer(
            "/par",
            [
                ("client_id", "shop"), ("client_secret", "shop-secret"),
                ("request", try Self.signed(claims, changes, by: secret)),
            ]
        )
        #expect(answer.response.status == (words == nil ? 201 : 400))
        #expect(answer.explanation == words)
    }

    /// RFC 6749, section 3.2.1: as libraries refresh that are given the token alone.
    @Test(arguments: [(nil, "the request names no client"), ("stranger", nil)] as [(String?, String?)])
    func clientThatIsNotNamedIsExplained(client: String?, words: String?) throws {
        let form = [("grant_type", "client_credentials")] + (client.map { [("client_id", $0)] } ?? [])
        let answer = try Self.answer("/token", form)
        #expect(answer.response.status == 401)
        #expect(answer.explanation == words)
    }

    /// OpenID Connect CIBA, section 7.1: one hint says who the user is.
    @Test(arguments: [[], ["login_hint", "id_token_hint"]])
    func wrongNumberOfHintsIsExplained(names: [String]) throws {
        let client = [("client_id", "shop"), ("client_secret", "shop-secret"), ("scope", "openid")]
        let answer = try Self.answer("/bc-authorize", client + names.map { ($0, "alice") })
        #expect(answer.response.status == 400)
        let words =
            "the request has \(names.count) of login_hint, id_token_hint, login_hint_token, where one is wanted"
        #expect(answer.explanation == words)
    }

    @Test(
        arguments: [
            (["typ": "dpop+jwt"], [:], nil), ([:], [:], "typ is not there, not dpop+jwt"),
            (["typ": "dpop+jwt"], ["htm": "GET"], "htm is GET, not POST"),
            (
                ["typ": "dpop+jwt"], ["htu": "https://idp.example/token"],
                "htu is https://idp.example/token, and the request goes to /tenant/token"
            ), (["typ": "dpop+jwt"], ["iat": 1_789_990_000], "iat is 1789990000, and it is 1790000000 here"),
            (["typ": "dpop+jwt"], ["jti": .null], "jti is not there"),
        ] as [(JSONObject, JSONObject, String?)]
    )
    func wrongProofIsExplained(header: JSONObject, changes: JSONObject, words: String?) throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        var claims: JSONObject = [
            "htm": "POST", "htu": .string(Self.issuer + "/token"), "jti": "proof-1", "iat": 1_790_000_000,
        ]
        for member in changes.members {
            claims[member.name] = member.value == .null ? nil : member.value
        }
        var header = header
        header["jwk"] = .object(JSONWebKey(key.publicKey, id: nil).json)
        let proof = try JSONWebToken.sign(
            claims: claims,
            header: header,
            algorithm: .es256,
            with: .privateKey(key)
        )
        let answer = try Self.answer(
            "/token",
            [
                ("grant_type", "client_credentials"), ("client_id", "shop"),
                ("client_secret", "shop-secret"),
            ],
            [("DPoP", proof)]
        )
        #expect(answer.response.status == (words == nil ? 200 : 400))
        #expect(answer.explanation == words)
    }
}
