import JSON
import LibCrypto
import TestSupport
import Testing

struct KeyDerivationTests {
    /// The third of them has neither salt nor info.
    @Test func expandedKeysAreThoseOfTheSpecification() throws {
        let vectors = try Vectors.named("rfc5869-a")["cases"]?.array ?? []
        #expect(vectors.count == 3)
        for vector in vectors {
            let key = try KeyDerivation.hkdf(
                [UInt8](hex: try #require(vector["ikm"]?.string)),
                salt: [UInt8](hex: try #require(vector["salt"]?.string)),
                info: [UInt8](hex: try #require(vector["info"]?.string)),
                length: Int(try #require(vector["length"]?.int))
            )
            #expect(key.hex == vector["okm"]?.string)
        }
    }

    @Test(arguments: [0, 255 * 32 + 1]) func lengthThatTheDigestCannotGiveIsAnError(length: Int) {
        #expect(throws: OpenSSLError.self) {
            try KeyDerivation.hkdf([1], salt: [], info: [], length: length)
        }
    }

    @Test func stretchedPassphrasesAreThoseOfTheSpecification() throws {
        let vectors = try Vectors.named("rfc7914-12")["cases"]?.array ?? []
        #expect(vectors.count == 3)
        for vector in vectors {
            let cost = KeyDerivation.ScryptCost(
                logN: Int(try #require(vector["logN"]?.int)),
                blockSize: Int(try #require(vector["r"]?.int)),
                parallelization: Int(try #require(vector["p"]?.int))
            )
            let key = try KeyDerivation.scrypt(
                Array(try #require(vector["passphrase"]?.string).utf8),
                salt: Array(try #require(vector["salt"]?.string).utf8),
                cost: cost,
                length: 64
            )
            #expect(key.hex == vector["out"]?.string)
        }
    }

    @Test func memoryOfACostIsThatOfItsTable() {
        let cost = KeyDerivation.ScryptCost(logN: 18, blockSize: 8, parallelization: 1)
        #expect(cost.memory == 256 << 20 | 3 * 1024)
    }

    @Test(arguments: [(0, 8, 1), (-3, 8, 1), (41, 8, 1), (10, 0, 1), (10, 8, 0), (10, 1 << 40, 1)])
    func costThatScryptDoesNotHaveIsAnError(logN: Int, r: Int, p: Int) {
        let cost = KeyDerivation.ScryptCost(logN: logN, blockSize: r, parallelization: p)
        #expect(throws: OpenSSLError.self) {
            try KeyDerivation.scrypt([1], salt: [2], cost: cost, length: 32)
        }
    }
}
