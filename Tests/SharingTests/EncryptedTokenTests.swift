import Captures
import JOSE
import JSON
import LibCrypto
import Sharing
import Testing

/// Tokens that are encrypted: written anew inside where the capture holds a key for them, and noise where it does not.
struct EncryptedTokenTests {
    /// How the ID token of the login is encrypted, and for whom.
    enum Sealing: String, CaseIterable, Sendable {
        case rsa = "RSA-OAEP-256"
        case elliptic = "ECDH-ES+A256KW"
        case direct = "dir"
        case wrapped = "A128KW"
        case symmetricKey = "A256GCMKW"

        /// The key set's own key for it; nil where the client's secret is what the key is derived from.
        func key() throws -> JSONWebKey? {
            switch self {
            case .rsa: try EncryptedTokenTests.privateKey(.rsa(bits: 2048))
            case .elliptic: try EncryptedTokenTests.privateKey(.elliptic(.p256))
            case .direct, .wrapped: nil
            case .symmetricKey:
                JSONWebKey(
                    json: [
                        "kty": "oct", "kid": "enc", "k": .string(Base64URL.encode(SecureRandom.bytes(32))),
                    ]
                )
            }
        }
    }

    private static func privateKey(_ kind: PrivateKey.Kind) throws -> JSONWebKey {
        let key = try PrivateKey.generate(kind)
        var json = JSONWebKey(key.publicKey, id: "enc").json
        for (name, bytes) in key.privateParts { json[name] = .string(Base64URL.encode(bytes)) }
        return JSONWebKey(json: json)
    }

    private static let tokenAnswer = 5
    private static let keySet = 6

    /// The healthy login with its ID token encrypted, and the key in the key set.
    private static func world(_ sealing: Sealing, key: JSONWebKey?, isKeyServed: Bool = true) throws -> (
        world: SharingWorld, inner: JSONWebToken, sealed: String
    ) {
        var world = try SharingWorld()
        let inner = try #require(JSONWebToken.parse(world.first("id_token")))
        let form =
            world.document["log"]?["entries"]?.array?[tokenAnswer]["request"]?["postData"]?["text"]?.string
            ?? ""
        let secret = try #require(form.split(separator: "&").first { $0.hasPrefix("client_secret=") })
            .dropFirst(14)
        var header: JSONObject = [
            "alg": .string(sealing.rawValue), "enc": "A128CBC-HS256", "kid": "enc", "cty": "JWT",
            "apu": "QWxpY2U",
        ]
        if key == nil { header["kid"] = nil }
        let sealed = try #require(
            JSONWebEncryption.sealed(
                Array(inner.text.utf8),
                key: key,
                secret: Array(secret.utf8),
                header: header,
                random: { SecureRandom.bytes($0) }
            )
        )
        world.changeBody(tokenAnswer) { $0["id_token"] = .string(sealed) }
        if let key, isKeyServed {
            world.changeBody(keySet) { document in
                document["keys"] = .array((document["keys"]?.array ?? []) + [.object(key.json)])
            }
        }
        return (world, inner, sealed)
    }

    @Test(arguments: Sealing.allCases)
    func encryptedTokenIsWrittenAnewInside(sealing: Sealing) throws {
        let (world, inner, sealed) = try Self.world(sealing, key: sealing.key())
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture)
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")

        let shared = try world.shared()
        let after = try SharingWorld(document: JSONParser.parse(shared.bytes))
        let standIn = try #require(JSONWebToken.parse(after.first("id_token")))
        #expect(standIn.text != sealed && standIn.text.utf8.count == sealed.utf8.count)
        #expect(standIn.header?["apu"] == "QWxpY2U")
        // Whoever has the shared capture opens it, and reads stand-ins that are true to the rest of it.
        let keys = JSONWebKeySet(json: try after.body(Self.keySet))?.keys ?? []
        let secret = try after.formValue("client_secret", of: Self.tokenAnswer)
        let opened = try #require(JSONWebEncryption(standIn)?.open(keys: keys, secret: Array(secret.utf8)))
        let token = try #require(JSONWebToken.parse(String(decoding: opened.plaintext, as: UTF8.self)))
        #expect(token.claims?["nonce"]?.string != inner.claims?["nonce"]?.string)
        #expect(try token.claims?["nonce"]?.string == after.queryValue("nonce", of: 2))
        #expect(token.verify(keys: keys).outcome == .valid)
        #expect(
            JSONWebToken.parse(sealed).flatMap {
                JSONWebEncryption($0)?.open(keys: keys, secret: Array(secret.utf8))
            } == nil
        )
    }

    @Test func tokenThatNothingOpensIsNoiseOfItsLength() throws {
        let (world, _, sealed) = try Self.world(.rsa, key: Sealing.rsa.key(), isKeyServed: false)
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        let after = try SharingWorld(document: JSONParser.parse(shared.bytes)).first("id_token")
        let parts = (sealed.split(separator: "."), after.split(separator: "."))
        #expect(parts.0[0] == parts.1[0] && parts.0.map(\.utf8.count) == parts.1.map(\.utf8.count))
        #expect(parts.0[1] != parts.1[1] && parts.0[3] != parts.1[3])
    }

    @Test(arguments: [PrivateKey.Kind.rsa(bits: 2048), .elliptic(.p384), .edwards(.ed25519)])
    func privateKeyIsAnotherThatWorks(kind: PrivateKey.Kind) throws {
        let key = try Self.privateKey(kind)
        var world = try SharingWorld()
        world.changeBody(Self.keySet) { document in
            document["keys"] = .array((document["keys"]?.array ?? []) + [.object(key.json)])
        }
        let shared = try world.shared()
        let after = try SharingWorld(document: JSONParser.parse(shared.bytes))
        let standIn = try #require(
            JSONWebKeySet(json: after.body(Self.keySet))?.keys.first { $0.id == "enc" }
        )
        #expect(standIn.json.members.map(\.name) == key.json.members.map(\.name))
        #expect(standIn.json["d"] != key.json["d"] && standIn.thumbprint != key.thumbprint)
        guard kind != .edwards(.ed25519) else { return }
        // The numbers belong together.
        let algorithm: SignatureAlgorithm = key.type == "RSA" ? .rs256 : .es384
        let scheme = try #require(algorithm.scheme)
        let signature = try standIn.privateKey().sign([1, 2, 3], scheme)
        #expect(try standIn.publicKey().verifies(signature, of: [1, 2, 3], scheme))
    }
}
