import Captures
import JOSE
import JSON
import LibCrypto
import Testing

@testable import Sharing

/// Keys of key sets, and what hangs on them.
struct ThrowAwayKeyTests {
    private static let tokenAnswer = 5
    private static let keySet = 6
    private static let validity = CertificateIssuer.Validity(
        notBefore: 1_700_000_000,
        notAfter: 1_900_000_000
    )

    /// The healthy login, signed by a key that comes with its certificate; the certificate's thumbprint is its name.
    private static func world(_ key: PrivateKey, certificate: Certificate) throws -> SharingWorld {
        let thumbprint = Base64URL.encode(Digest.of(certificate.der, .sha1))
        var json = JSONWebKey(key.publicKey, id: thumbprint, algorithm: .rs256).json
        json["x5t"] = .string(thumbprint)
        json["x5t#S256"] = .string(Base64URL.encode(Digest.of(certificate.der, .sha256)))
        json["x5c"] = [.string(Base64.encode(certificate.der))]
        return try world(key, json: json, header: ["kid": .string(thumbprint), "x5t": .string(thumbprint)])
    }

    private static func world(
        _ key: PrivateKey,
        json: JSONObject,
        header: JSONObject,
        algorithm: SignatureAlgorithm = .rs256
    ) throws -> SharingWorld {
        var world = try SharingWorld()
        let inner = try #require(JSONWebToken.parse(world.first("id_token")))
        world.changeBody(keySet) { $0["keys"] = [.object(json)] }
        let token = try JSONWebToken.sign(
            claims: inner.claims ?? JSONObject(),
            header: header,
            algorithm: algorithm,
            with: .privateKey(key)
        )
        world.changeBody(tokenAnswer) { $0["id_token"] = .string(token) }
        return world
    }

    /// A key with a certificate, of whose SHA-1 thumbprint `isWanted` says yes.
    private static func named(_ isWanted: (String) -> Bool) throws -> (
        key: PrivateKey, certificate: Certificate
    ) {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        while true {
            let certificate = try CertificateIssuer.authority(
                commonName: "Harbour",
                key: key,
                validity: Self.validity
            )
            if isWanted(Base64URL.encode(Digest.of(certificate.der, .sha1))) { return (key, certificate) }
        }
    }

    /// A thumbprint is a name of letters and digits that two signs may part or begin.
    @Test(arguments: ["", "_", "-", "-_"])
    func certificateGetsTheOtherKeyAndItsThumbprintsFollow(signs: String) throws {
        let (key, certificate) = try Self.named { name in
            switch signs {
            case "": !name.contains("-") && !name.contains("_")
            case "-_": name.dropFirst(2).dropLast(2).contains("-") && name.contains("_")
            default: name.hasPrefix(signs)
            }
        }
        let world = try Self.world(key, certificate: certificate)
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture)
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")

        let after = try SharingWorld(document: JSONParser.parse(world.shared().bytes))
        let shared = try #require(JSONWebKeySet(json: after.body(Self.keySet))?.keys.first)
        #expect(shared.json["n"]?.string != JSONWebKey(key.publicKey, id: nil).json["n"]?.string)
        let der = try Base64.decode(#require(shared.json["x5c"]?.array?.first?.string))
        let renewed = try Certificate(der: der)
        #expect(try renewed.holds(shared.publicKey()) && renewed.subject == certificate.subject)
        #expect(shared.json["x5t"]?.string == Base64URL.encode(Digest.of(der, .sha1)))
        #expect(shared.json["x5t#S256"]?.string == Base64URL.encode(Digest.of(der, .sha256)))
        // A name is a name, whatever it was made of.
        #expect(shared.id == Base64URL.encode(Digest.of(certificate.der, .sha1)))
        let token = try #require(JSONWebToken.parse(after.first("id_token")))
        #expect(token.keyID == shared.id && token.header?["x5t"] == shared.json["x5t"])
        #expect(token.verify(keys: [shared]).outcome == .valid)
    }

    /// RFC 8017, section 3.1: any odd exponent from three on.
    @Test(arguments: [UInt64(3), 17, 4_294_967_297])
    func exponentStays(_ exponent: UInt64) throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048, exponent: exponent))
        let json = JSONWebKey(key.publicKey, id: "unusual", algorithm: .rs256).json
        let world = try Self.world(key, json: json, header: ["kid": "unusual"])
        let capture = try world.capture()
        let outcome = try SharingWorld.outcome(of: capture)
        #expect(outcome.isProven, "\(outcome.leaks.prefix(3)) \(outcome.differences.prefix(3))")

        let after = try SharingWorld(document: JSONParser.parse(world.shared().bytes))
        let shared = try #require(JSONWebKeySet(json: after.body(Self.keySet))?.keys.first)
        #expect(shared.json["e"] == json["e"] && shared.json["n"] != json["n"])
        let token = try #require(JSONWebToken.parse(after.first("id_token")))
        #expect(token.verify(keys: [shared]).outcome == .valid)
    }

    /// RFC 7518, section 3.4: a verifier refuses it, and says why.
    @Test func signatureInDERStaysOne() throws {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let json = JSONWebKey(key.publicKey, id: "curved", algorithm: .es256).json
        var world = try Self.world(key, json: json, header: ["kid": "curved"], algorithm: .es256)
        let token = try world.first("id_token")
        let signature = token.split(separator: ".").last.map(String.init) ?? ""
        let der = ECDSASignature.der(Base64URL.decodeLeniently(signature).bytes)
        let other = token.dropLast(signature.count) + Base64URL.encode(der)
        world.changeBody(Self.tokenAnswer) { $0["id_token"] = .string(String(other)) }
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        let after = try SharingWorld(document: JSONParser.parse(shared.bytes))
        let made = try #require(JSONWebToken.parse(after.first("id_token")))
        let keys = try #require(JSONWebKeySet(json: after.body(Self.keySet))).keys
        #expect(made.text != other && made.verify(keys: keys).variant == "der")
    }

    /// What is kept as a whole is kept with its claims, and verifies with the key that it had.
    @Test func keptTokenStillVerifies() throws {
        var world = try SharingWorld()
        let (token, access) = try (world.first("id_token"), world.first("access_token"))
        world.options.keptNames = ["id_token"]
        let shared = try world.shared()
        #expect(shared.differences.isEmpty)
        #expect(shared.text.contains(token) && !shared.text.contains(access))
        let keys = try SharingWorld(document: JSONParser.parse(shared.bytes)).body(Self.keySet)
        #expect(try keys == world.body(Self.keySet))
    }
}
