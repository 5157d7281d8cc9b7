import JSON
import LibCrypto
import TestSupport
import Testing

struct KeyAgreementTests {
    @Test func productsAreThoseOfTheSpecification() throws {
        let vectors = try Vectors.named("rfc7748-5.2")["multiplications"]?.array ?? []
        #expect(vectors.count == 2)
        for vector in vectors {
            let scalar = [UInt8](hex: try #require(vector["scalar"]?.string))
            let u = [UInt8](hex: try #require(vector["u"]?.string))
            #expect(KeyAgreement.sharedSecret(of: scalar, with: u)?.hex == vector["out"]?.string)
        }
    }

    @Test func repeatedProductsAreThoseOfTheSpecification() throws {
        let vectors = try Vectors.named("rfc7748-5.2")["iterated"]?.array ?? []
        #expect(vectors.count == 2)
        for vector in vectors {
            var scalar: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
            var u = scalar
            for _ in 0..<(try #require(vector["times"]?.int)) {
                (scalar, u) = (try #require(KeyAgreement.sharedSecret(of: scalar, with: u)), scalar)
            }
            #expect(scalar.hex == vector["out"]?.string)
        }
    }

    @Test func bothSidesMakeTheSameSecret() throws {
        let vector = try Vectors.named("rfc7748-6.1")
        let alice = [UInt8](hex: try #require(vector["alice"]?["private"]?.string))
        let bob = [UInt8](hex: try #require(vector["bob"]?["private"]?.string))
        let shareOfAlice = try #require(KeyAgreement.share(of: alice))
        let shareOfBob = try #require(KeyAgreement.share(of: bob))
        #expect(shareOfAlice.hex == vector["alice"]?["public"]?.string)
        #expect(shareOfBob.hex == vector["bob"]?["public"]?.string)
        #expect(KeyAgreement.sharedSecret(of: alice, with: shareOfBob)?.hex == vector["shared"]?.string)
        #expect(KeyAgreement.sharedSecret(of: bob, with: shareOfAlice)?.hex == vector["shared"]?.string)
    }

    /// Zero, one, and the points of order eight: with each of them every secret makes zero.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func shareOfSmallOrderMakesNoSecret(share: String) {
        let secret = [UInt8](repeating: 0x42, count: 32)
        #expect(KeyAgreement.sharedSecret(of: secret, with: [UInt8](hex: share)) == nil)
        // Nothing is left in the library's queue for the next call.
        #expect(throws: Never.self) { try PrivateKey.generate(.elliptic(.p256)) }
    }

    @Test(arguments: [0, 31, 33]) func otherLengthsAreRefused(count: Int) {
        let right = [UInt8](repeating: 9, count: 32)
        let wrong = [UInt8](repeating: 9, count: count)
        #expect(KeyAgreement.share(of: wrong) == nil)
        #expect(KeyAgreement.sharedSecret(of: wrong, with: right) == nil)
        #expect(KeyAgreement.sharedSecret(of: right, with: wrong) == nil)
    }
}
