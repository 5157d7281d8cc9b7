/// The ways in which an input is handed over: they must not matter.
enum Pieces {
    /// Cuts of the input besides the whole one: single bytes where it is short, and pieces of sizes that the input
    /// itself decides on, so that an input always does the same.
    static func cuts(of input: [UInt8]) -> [[ArraySlice<UInt8>]] {
        var cuts: [[ArraySlice<UInt8>]] = []
        let isShort = input.count <= 256
        if isShort { cuts.append(input.indices.map { input[$0...$0] }) }
        var state = input.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        for largest in isShort ? [40] : [9, 300] where input.count > 1 {
            var pieces: [ArraySlice<UInt8>] = []
            var start = 0
            while start < input.count {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                let end = min(input.count, start + 1 + Int(state % UInt64(largest)))
                pieces.append(input[start..<end])
                start = end
            }
            cuts.append(pieces)
        }
        return cuts
    }
}
