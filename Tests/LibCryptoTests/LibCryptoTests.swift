import LibCrypto
import TestSupport
import Testing

struct DigestTests {
    /// FIPS 180-4, the examples of one block.
    @Test(arguments: [
        (DigestAlgorithm.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func digestOfABC(algorithm: DigestAlgorithm, expected: String) {
        #expect(Digest.of("abc".utf8, algorithm).hex == expected)
    }

    /// RFC 4231, section 4.3.
    @Test func messageAuthenticationCode() {
        let code = MessageAuthentication.hmac(
            Array("what do ya want for nothing?".utf8),
            key: Array("Jefe".utf8),
            .sha256
        )
        #expect(code.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func comparisonLooksAtEveryByteAndTheLength() {
        #expect(MessageAuthentication.areEqual([1, 2], [1, 2]))
        #expect(!MessageAuthentication.areEqual([1, 2], [1, 3]))
        #expect(!MessageAuthentication.areEqual([1, 2], [1, 2, 3]))
        #expect(MessageAuthentication.areEqual([], []))
    }
}

struct KeyTests {
    @Test(arguments: [
        PrivateKey.Kind.rsa(bits: 2048), .elliptic(.p256), .elliptic(.p521), .elliptic(.secp256k1),
        .edwards(.ed25519), .edwards(.ed448),
    ])
    func keyComesBackFromPEM(kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)
        let again = try PrivateKey(pem: key.pem)
        #expect(again.publicKey.kind == key.publicKey.kind)
        #expect(again.pem == key.pem)
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "hello"])
    func whatIsNoKeyIsAnErrorThatLeavesNothingBehind(pem: String) throws {
        #expect(throws: OpenSSLError.self) { try PrivateKey(pem: pem) }
        // An error left in the library's queue would surface in the next call.
        #expect(throws: Never.self) { try PrivateKey.generate(.elliptic(.p256)) }
    }

    @Test func pointThatIsNotOnTheCurveIsRefused() {
        let one = [UInt8](repeating: 1, count: 32)
        #expect(throws: OpenSSLError.self) { try PublicKey(curve: EllipticCurve.p256, x: one, y: one) }
        #expect(throws: OpenSSLError.self) { try PublicKey(curve: EllipticCurve.p256, x: [], y: []) }
        #expect(throws: OpenSSLError.self) { try PublicKey(curve: EdwardsCurve.ed25519, bytes: [1, 2, 3]) }
    }
}

struct CertificateTests {
    private func issuer() throws -> CertificateIssuer {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let validity = CertificateIssuer.Validity(notBefore: 1_700_000_000, notAfter: 1_800_000_000)
        let root = try CertificateIssuer.authority(commonName: "test", key: key, validity: validity)
        return try CertificateIssuer(certificate: root, key: key)
    }

    @Test func leafNamesItsIssuerItsTimesAndItsKey() throws {
        let issuer = try issuer()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let validity = CertificateIssuer.Validity(notBefore: 1_700_000_100, notAfter: 1_700_000_900)
        let leaf = try issuer.leaf(for: .host("idp.example"), key: key, validity: validity)
        #expect(leaf.issuer == issuer.certificate.subject)
        #expect(leaf.notAfter == 1_700_000_900)
        #expect(leaf.belongs(to: key))
        #expect(!issuer.certificate.belongs(to: key))
    }

    @Test(arguments: [
        PrivateKey.Kind.elliptic(.p256), .elliptic(.p521), .rsa(bits: 2048), .edwards(.ed25519),
    ])
    func whatIsWrittenHoldsThePublicHalfOfTheKey(kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)
        let validity = CertificateIssuer.Validity(notBefore: 1_700_000_100, notAfter: 1_700_000_900)
        let leaf = try issuer().leaf(for: .host("idp.example"), key: key, validity: validity)
        let read = try Certificate(der: leaf.der)
        #expect(read.belongs(to: key))
        #expect(read.holds(key.publicKey))
        #expect(Digest.of(read.der) == Digest.of(leaf.der))
    }

    /// A visit to a new host waits for its certificate.
    @Test func aLeafCostsLittleMoreThanItsSignature() throws {
        let issuer = try issuer()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let validity = CertificateIssuer.Validity(notBefore: 1_700_000_100, notAfter: 1_700_000_900)
        func shortest(_ work: () throws -> Void) rethrows -> Duration {
            try (0..<20).map { _ in try ContinuousClock().measure { for _ in 0..<10 { try work() } } }.min()
                ?? .zero
        }
        let signing = try shortest { _ = try key.sign([1, 2, 3], .ecdsa(.sha256)) }
        let minting = try shortest {
            _ = try issuer.leaf(for: .host("idp.example"), key: key, validity: validity)
        }
        #expect(minting < signing * 4, "\(minting) for ten leaves, \(signing) for ten signatures")
    }

    @Test func certificatesComeBackFromPEMAndDER() throws {
        let certificate = try issuer().certificate
        #expect(try Certificate(der: certificate.der).pem == certificate.pem)
        let text = "some words\n" + certificate.pem + "\nmore\n" + certificate.pem
        #expect(try Certificate.all(pem: Array(text.utf8)).map(\.der) == [certificate.der, certificate.der])
        #expect(try Certificate.all(pem: Array("nothing here".utf8)).isEmpty)
        #expect(throws: OpenSSLError.self) {
            try Certificate.all(
                pem: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
            )
        }
        #expect(throws: OpenSSLError.self) { try Certificate(der: [0x30, 0x03, 1, 2, 3]) }
    }
}
