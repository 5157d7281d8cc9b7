import Captures
import JOSE
import JSON
import LibCrypto
import OAuth
import Replay
import TestSupport
import Testing

/// Client assertions that name the key of the client's DPoP proofs (`cnf`, RFC 7800, section 3.1), as MyInfo wants them.
struct BoundProofKeyTests {
    private static let issuer = "https://id.example"
    private static let key = Result { try PrivateKey.generate(.elliptic(.p256)) }

    /// A token request with an assertion that is bound to a key, and a proof.
    private static func capture(boundTo thumbprint: (PrivateKey) -> String) throws -> Capture {
        let key = try key.get()
        let proofKey = try PrivateKey.generate(.elliptic(.p256))
        let iat: JSONValue = .number(JSONNumber(Int64(1_780_000_000)))
        let assertion = try JSONWebToken.sign(
            claims: [
                "iss": "svc", "sub": "svc", "aud": .string(issuer), "iat": iat, "jti": "a7Kq2vLx7TzB4nW",
                "cnf": .object(["jkt": .string(thumbprint(proofKey))]),
            ],
            header: JSONObject(),
            algorithm: .es256,
            with: .privateKey(key)
        )
        let proof = try JSONWebToken.sign(
            claims: [
                "htm": "POST", "htu": .string(issuer + "/token"), "iat": iat, "jti": "p7Kq2vLx7TzB4nW",
            ],
            header: ["typ": "dpop+jwt", "jwk": .object(JSONWebKey(proofKey.publicKey, id: nil).json)],
            algorithm: .es256,
            with: .privateKey(proofKey)
        )
        var capture = CaptureBuilder()
        capture.post(
            issuer + "/token",
            [
                ("grant_type", "client_credentials"), ("client_assertion_type", ClientAssertion.type),
                ("client_assertion", assertion),
            ],
            headers: [("DPoP", proof)],
            body: .json(#"{"access_token":"at-7Hq2vLx7TzB4nWm8RdYc9Kq2","token_type":"DPoP"}"#)
        )
        return capture.capture
    }

    /// The key that the assertion of a new run names, and that of its proof.
    private static func driven(_ capture: Capture) async throws -> (named: String?, used: String?) {
        let credentials = ReplayCredentials(clientKey: .init(key: try key.get(), id: nil))
        let replay = try await AskedReplay(of: capture, options: .init(credentials: credentials)) { _, _ in
            RecordedResponse(status: 200, body: .json(#"{"access_token":"at-8","token_type":"DPoP"}"#))
        }
        #expect(replay.run.isComplete, "\(replay.run.results)")
        let request = try #require(replay.asked.first)
        let assertion = FormBody.items(of: request.body)?.first("client_assertion")
        return (
            assertion.flatMap { JSONWebToken.parse($0) }?.claim("cnf")?["jkt"]?.string,
            DPoPProof(of: request, exchange: 0)?.thumbprint
        )
    }

    private static func thumbprint(of key: PrivateKey) -> String {
        JSONWebKey(key.publicKey, id: nil).thumbprint ?? ""
    }

    @Test func assertionNamesTheKeyOfThisRun() async throws {
        let keys = try await Self.driven(try Self.capture(boundTo: Self.thumbprint))
        #expect(keys.used != nil && keys.named == keys.used)
    }

    @Test func keyWithoutAProofStaysAsItWas() async throws {
        let other = String(repeating: "aA0-", count: 10) + "aA0"
        let keys = try await Self.driven(try Self.capture(boundTo: { _ in other }))
        #expect(keys.named == other && keys.used != other)
    }
}
