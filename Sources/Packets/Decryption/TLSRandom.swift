internal import Captures

/// The random of a hello: 32 bytes.
struct TLSRandom: Sendable, Hashable, CustomStringConvertible {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil where there are not 32 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// A part of it that hardly two have in common.
    var shortened: UInt64 { words.0 ^ (words.1 &* 3) ^ (words.2 &* 5) ^ (words.3 &* 7) }

    /// In hexadecimal, as key logs have it.
    var description: String { Hexadecimal.encode(bytes) }

    /// Stands in the place of that of a hello which is not in the capture.
    static let unseen = TLSRandom([UInt8](repeating: 0, count: 32))

    static func == (left: TLSRandom, right: TLSRandom) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// What stands in the place of the server's random where a ServerHello asks for another ClientHello (RFC 8446, section
    /// 4.1.3): the SHA-256 of `HelloRetryRequest`.
    static let retryRequest = TLSRandom([
        0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
        0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
    ])
}
