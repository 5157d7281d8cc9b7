import Testing

@testable import Sharing

struct ECDSASignatureTests {
    /// A number has no zeros in front, but one before a bit that would be a sign (X.690, section 8.3).
    @Test(arguments: [
        (raw: [0, 1, 0x80, 2], der: [0x30, 8, 2, 1, 1, 2, 3, 0, 0x80, 2]),
        (raw: [0, 0, 0x7f, 0], der: [0x30, 7, 2, 1, 0, 2, 2, 0x7f, 0]),
    ])
    func numbersAreShort(numbers: (raw: [UInt8], der: [UInt8])) {
        #expect(ECDSASignature.der(numbers.raw) == numbers.der)
    }
}
