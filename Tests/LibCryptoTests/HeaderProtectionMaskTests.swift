import LibCrypto
import TestSupport
import Testing

/// What QUIC hides the numbers of its packets with, by the vectors of RFC 9001 (appendices A.2 and A.5).
struct HeaderProtectionMaskTests {
    @Test(arguments: [
        (
            HeaderProtectionMask.Algorithm.aes, "9f50449e04a0e810283a1e9933adedd2",
            "d1b1c98dd7689fb8ec11d242b123dc9b", "437b9aec36"
        ),
        (
            .chaCha20, "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4",
            "5e5cd55c41f69080575d7999c25a5bfb", "aefefe7d03"
        ),
    ])
    func masksAreTheSpecifications(
        algorithm: HeaderProtectionMask.Algorithm,
        key: String,
        sample: String,
        mask: String
    ) throws {
        let protection = try #require(HeaderProtectionMask(algorithm, key: [UInt8](hex: key)))
        // The same each time: nothing is left of the sample before.
        for _ in 0..<3 {
            #expect(protection.mask(of: [UInt8](hex: sample)[...])?.hex == mask)
            _ = protection.mask(of: [UInt8](repeating: 1, count: 16)[...])
        }
    }

    @Test func otherLengthsAreNone() {
        #expect(HeaderProtectionMask(.aes, key: [UInt8](repeating: 0, count: 24)) == nil)
        #expect(HeaderProtectionMask(.chaCha20, key: [UInt8](repeating: 0, count: 16)) == nil)
        let mask = HeaderProtectionMask(.aes, key: [UInt8](repeating: 0, count: 16))
        #expect(mask?.mask(of: [1, 2, 3]) == nil)
    }
}
