import LibCrypto
import TestSupport
import Testing

struct TLSKeyDerivationTests {
    /// RFC 8448, section 3: the write keys and vectors of the server's handshake.
    @Test func labelsExpandAsInTheTrace() {
        let secret = [UInt8](hex: "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
        let key = KeyDerivation.expandLabel(secret, "key", length: 16, .sha256)
        #expect(key.hex == "3fce516009c21727d0f2e4e86ee403bc")
        #expect(
            KeyDerivation.expandLabel(secret, "iv", length: 12, .sha256).hex == "5d313eb2671276ee13000b30"
        )
    }

    @Test func lengthsThatDoNotFitGiveNothing() {
        let secret = [UInt8](repeating: 1, count: 32)
        #expect(KeyDerivation.expandLabel(secret, "key", length: 16_321, .sha256) == [])
        #expect(
            KeyDerivation.expandLabel(secret, String(repeating: "x", count: 250), length: 1, .sha256) == []
        )
        #expect(KeyDerivation.expandLabel(secret, "key", length: 100, .sha256).count == 100)
        #expect(KeyDerivation.tlsPRF(secret, "key expansion", seed: [], length: 0, .sha256) == [])
    }

    /// The first block of P_SHA256 (RFC 5246, section 5), made of HMACs.
    @Test func functionOfTLS12IsThatOfHMACs() {
        let secret = [UInt8](0..<48)
        let seed = [UInt8](repeating: 7, count: 64)
        let labelled = Array("key expansion".utf8) + seed
        let first = MessageAuthentication.hmac(labelled, key: secret, .sha384)
        let block = MessageAuthentication.hmac(first + labelled, key: secret, .sha384)
        let made = KeyDerivation.tlsPRF(secret, "key expansion", seed: seed, length: 200, .sha384)
        #expect(made.count == 200 && Array(made.prefix(48)) == block)
        #expect(KeyDerivation.tlsPRF(secret, "key expansion", seed: seed, length: 48, nil) != block)
    }
}
