/// SipHash-2-4 with a key of 128 bits, fed byte by byte (Aumasson and Bernstein, 2012).
///
/// A value type: a copy goes on from the same bytes in another way, which costs nothing.
struct KeyedHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var pending: UInt64 = 0
    private var count: UInt64 = 0

    /// `key`: 16 bytes; what is missing is zero.
    init(key: [UInt8]) {
        func word(_ start: Int) -> UInt64 {
            (0..<8).reduce(0) { word, index in
                let byte = start + index < key.count ? key[start + index] : 0
                return word | UInt64(byte) << (8 * UInt64(index))
            }
        }
        let (k0, k1) = (word(0), word(8))
        v0 = k0 ^ 0x736f_6d65_7073_6575
        v1 = k1 ^ 0x646f_7261_6e64_6f6d
        v2 = k0 ^ 0x6c79_6765_6e65_7261
        v3 = k1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ byte: UInt8) {
        pending |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        guard count & 7 == 0 else { return }
        compress(pending)
        pending = 0
    }

    mutating func absorb(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { absorb(byte) }
    }

    /// The hash of what was absorbed so far.
    var value: UInt64 {
        var copy = self
        copy.compress(pending | count << 56)
        copy.v2 ^= 0xff
        for _ in 0..<4 { copy.round() }
        return copy.v0 ^ copy.v1 ^ copy.v2 ^ copy.v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 = v0 &+ v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 = v2 &+ v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 = v0 &+ v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 = v2 &+ v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
