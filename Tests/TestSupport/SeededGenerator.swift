/// Random numbers that come out the same in every run (SplitMix64): a failing input can be made again from
/// its seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// Bytes of which many are those that parsers care about.
    package mutating func hostileBytes(_ count: Int, among interesting: [UInt8]) -> [UInt8] {
        (0..<count).map { _ in
            UInt8.random(in: 0...3, using: &self) == 0
                ? UInt8.random(in: 0...255, using: &self) : interesting.randomElement(using: &self) ?? 0
        }
    }
}
