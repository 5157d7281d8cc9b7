import Testing

@testable import Sharing

struct KeyedHashTests {
    /// The reference values of SipHash-2-4: key and input are bytes that count up from zero.
    @Test(
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)]
    )
    func hashIsTheReferences(count: Int, expected: UInt64) {
        var hash = KeyedHash(key: (0..<16).map(UInt8.init))
        hash.absorb((0..<count).map(UInt8.init))
        #expect(hash.value == expected)
    }
}
