/// What came out of one coding.
struct DecodedBytes: Equatable {
    var bytes: [UInt8]
    /// False behind a limit, where the coded bytes break off or go wrong, or where something else follows them.
    var isWhole: Bool
}

/// What a decoder of one coding says after each step.
enum DecodingStep {
    /// There may be more to come out of what it has.
    case goesOn
    /// It has used all its bytes and waits for more.
    case needsInput
    /// The coded bytes end here.
    case ended
    /// They are no such coding, or not any more.
    case failed
}

/// Undoes one coding step by step, so that never more than a limit comes out of it.
protocol ContentDecoder {
    /// Takes what it can of the beginning of `input`, and fills what it can of `output`.
    ///
    /// - Returns: what it has used, what it has filled, and what is to come.
    mutating func step(_ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>)
        -> (used: Int, filled: Int, step: DecodingStep)

    /// Gets ready for what may follow the end: false where nothing may.
    mutating func restart() -> Bool
}

extension ContentDecoder {
    /// Undoes the coding of a body.
    ///
    /// - Parameters:
    ///   - bytes: the coded body, or the beginning of it.
    ///   - limit: bytes of output at most.
    /// - Returns: what comes out; nil when that is nothing, unless the body says so.
    func decode(_ bytes: [UInt8], limit: Int) -> DecodedBytes? {
        var decoder = self
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        return bytes.withUnsafeBufferPointer { input -> DecodedBytes? in
            var position = 0
            while true {
                let (used, filled, step) = chunk.withUnsafeMutableBufferPointer {
                    decoder.step(.init(rebasing: input[position...]), into: $0)
                }
                position += used
                let kept = min(filled, limit - output.count)
                output.append(contentsOf: chunk[..<kept])
                if kept < filled { return DecodedBytes(bytes: output, isWhole: false) }
                switch step {
                // One that does nothing would do so for ever.
                case .goesOn where used > 0 || filled > 0: continue
                case .ended:
                    guard position < input.count else { return DecodedBytes(bytes: output, isWhole: true) }
                    guard decoder.restart() else { return DecodedBytes(bytes: output, isWhole: false) }
                case .goesOn, .needsInput, .failed:
                    return output.isEmpty ? nil : DecodedBytes(bytes: output, isWhole: false)
                }
            }
        }
    }
}
