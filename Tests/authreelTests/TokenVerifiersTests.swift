import Captures
import Flows
import JOSE
import JSON
import LibCrypto
import TestSupport
import Testing

@testable import authreel

/// Tokens that are judged by the keys in a capture, each by those of its issuer.
struct TokenVerifiersTests {
    private let secret = Array("kestrel-plum-42".utf8)
    /// That of `joe`, and that of `jane`.
    private let keys: [PrivateKey]

    init() throws {
        keys = [try PrivateKey.generate(.elliptic(.p256)), try PrivateKey.generate(.elliptic(.p256))]
    }

    private var capture: Capture {
        var capture = CaptureBuilder()
        for (issuer, key) in zip(["joe", "jane"], keys) {
            let host = "https://\(issuer).example"
            let metadata: JSONValue = [
                "issuer": .string(issuer), "jwks_uri": .string("\(host)/keys"),
                "authorization_endpoint": .string("\(host)/authorize"),
                "token_endpoint": .string("\(host)/token"),
            ]
            let key = JSONWebKey(key.publicKey, id: "k1", algorithm: .es256)
            let set: JSONValue = ["keys": [.object(key.json)]]
            capture.get(
                "\(host)/.well-known/openid-configuration",
                body: .json(JSONWriter.text(of: metadata))
            )
            capture.get("\(host)/keys", body: .json(JSONWriter.text(of: set)))
        }
        return Capture(capture.exchanges)
    }

    /// The issuer is named in what is encrypted: whose keys are not its own verify nothing.
    @Test(arguments: [("joe", 0, true), ("joe", 1, false), ("jane", 1, true)])
    func encryptedTokenIsJudgedByTheKeysOfTheIssuerInIt(issuer: String, signer: Int, isValid: Bool) throws {
        let signed = try JSONWebToken.sign(
            claims: ["iss": .string(issuer), "exp": 1_780_000_060],
            header: ["kid": "k1"],
            algorithm: .es256,
            with: .privateKey(keys[signer])
        )
        let sealed = try #require(
            JSONWebEncryption.sealed(
                Array(signed.utf8),
                key: nil,
                secret: secret,
                header: ["alg": "dir", "enc": "A128GCM"],
                random: { SecureRandom.bytes($0) }
            )
        )
        var verifiers = TokenVerifiers(
            keys: .recorded(CaptureIndex(capture)),
            secret: secret,
            expecting: TokenExpectations(now: 1_780_000_000)
        )
        let verdict = Array(sealed.utf8).withUnsafeBufferPointer { verifiers.verdict(on: $0) }
        #expect((verdict == .valid) == isValid, "\(verdict)")
    }
}
