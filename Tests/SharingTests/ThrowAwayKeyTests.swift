import Captures
import JOSE
import JSON
import LibCrypto
import Sharing
import Testing

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
        var world = try SharingWorld()
        let inner = try #require(JSONWebToken.parse(world.first("id_token")))
        let thumbprint = Base64URL.encode(Digest.of(certificate.der, .sha1))
        var json = JSONWebKey(key.publicKey, id: thumbprint, algorithm: .rs256).json
        json["x5t"] = .string(thumbprint)
        json["x5t#S256"] = .string(Base64URL.encode(Digest.of(certificate.der, .sha256)))
        json["x5c"] = [.string(Base64.encode(certificate.der))]
        world.changeBody(keySet) { $0["keys"] = [.object(json)] }
        let token = try JSONWebToken.sign(
            claims: inner.claims ?? JSONObject(),
            header: ["kid": .string(thumbprint), "x5t": .string(thumbprint)],
            algorithm: .rs256,
            with: .privateKey(key)
        )
        world.changeBody(tokenAnswer) { $0["id_token"] = .string(token) }
        return world
    }

    @Test func certificateGetsTheOtherKeyAndItsThumbprintsFollow() throws {
        let key = try PrivateKey.generate(.rsa(bits: 2048))
        let certificate = try CertificateIssuer.authority(
            commonName: "Harbour",
            key: key,
            validity: Self.validity
        )
        let world = try Self.world(key, certificate: certificate)
        let capture = try CaptureReader.read(bytes: JSONWriter.bytes(of: world.document), name: "original")
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
}
