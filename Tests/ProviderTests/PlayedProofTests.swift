import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Provider
import TestSupport
import Testing

/// Proofs of a client's key (RFC 9449) at a recorded provider.
struct PlayedProofTests {
    private static let issuer = "https://id.example"
    private static let redirectURI = "https://web.example/cb"
    private static let base = RecordedProviderTests.base

    private static func form(_ code: String) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("client_id", "web"), ("client_secret", "secret-of-web"),
        ]
    }

    /// A login, and userinfo that refused a proof with a status.
    private static func caller(refusing status: Int?) throws -> Caller {
        var builder = CaptureBuilder()
        builder.get(
            issuer + "/.well-known/openid-configuration",
            body: .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/auth","token_endpoint":"\(issuer)/token",\
                "userinfo_endpoint":"\(issuer)/userinfo","jwks_uri":"\(issuer)/jwks"}
                """
            )
        )
        let asked = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", redirectURI),
            ("scope", "openid"),
            ("state", "state-0123456789"),
        ]
        builder.redirect(
            issuer + "/auth?" + FormBody.encode(asked),
            to: redirectURI + "?code=code-0123456789&state=state-0123456789"
        )
        builder.post(
            issuer + "/token",
            form("code-0123456789"),
            body: .json(
                #"{"access_token":"access-token-1-0123456789","token_type":"Bearer","expires_in":600}"#
            )
        )
        if let status {
            builder.get(
                issuer + "/userinfo",
                status,
                headers: [("Authorization", "DPoP access-token-1-0123456789"), ("DPoP", "no-proof")],
                body: .json(#"{"error":"invalid_dpop_proof"}"#)
            )
        }
        return Caller(try RecordedProviderTests.provider(builder.capture))
    }

    private static func proof(at now: Timestamp) throws -> (String, String) {
        let key = try #require(RecordedProviderTests.elliptic)
        let claims: JSONObject = [
            "htm": "POST", "htu": .string(base + "/token"), "jti": "proof-1",
            "iat": .number(JSONNumber(now.seconds)),
        ]
        let header: JSONObject = [
            "typ": "dpop+jwt", "jwk": .object(JSONWebKey(key.publicKey, id: nil).json),
        ]
        return (
            "DPoP",
            try JSONWebToken.sign(claims: claims, header: header, algorithm: .es256, with: .privateKey(key))
        )
    }

    /// Section 7.1 wants 401 and a challenge: a resource that was seen to say it otherwise does so again.
    @Test(arguments: [(400, 400), (nil, 401)] as [(Int?, Int)])
    func badProofIsRefusedAsItWas(recorded: Int?, played: Int) throws {
        let caller = try Self.caller(refusing: recorded)
        let query = [
            ("response_type", "code"), ("client_id", "web"), ("redirect_uri", Self.redirectURI),
            ("scope", "openid"), ("state", "state-of-mine"),
        ]
        let code = try #require(caller.get(Self.base + "/auth", query).parameters.first("code"))
        let proof = try Self.proof(at: caller.now)
        let tokens = caller.json(caller.post(Self.base + "/token", Self.form(code), headers: [proof]))
        let access = try #require(tokens["access_token"]?.string)
        let refused = caller.get(
            Self.base + "/userinfo",
            headers: [("Authorization", "DPoP \(access)"), ("DPoP", "no-proof")]
        )
        #expect(refused.status == played && caller.json(refused)["error"] == "invalid_dpop_proof")
        #expect(refused.headers.contains("www-authenticate") == (recorded == nil))
    }
}
