/// What came out of one coding.
struct DecodedBody {
    var body: BodyStore
    /// False behind a limit, where the coded bytes break off or go wrong, or where something else follows them.
    var isWhole: Bool
}

/// What a decoder of one coding says after each step.
package enum DecodingStep {
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
package protocol ContentDecoder {
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
    ///   - coded: the coded body, or the beginning of it.
    ///   - limit: bytes of output at most.
    ///   - folder: where a large body is spooled; nil for none.
    /// - Returns: what comes out; nil when that is nothing, unless the body says so.
    func decode(_ coded: BodyStore, limit: Int, folder: String?) -> DecodedBody? {
        var decoder = self
        var decoded = DecodedBody(body: BodyStore(folder: folder), isWhole: false)
        var output = [UInt8](repeating: 0, count: 64 << 10)
        // Whether the coded bytes end where the last piece did.
        var isAtEnd = false
        coded.withPieces { input in
            var position = 0
            if isAtEnd {
                isAtEnd = false
                guard decoder.restart() else { return false }
            }
            while true {
                let (used, filled, step) = output.withUnsafeMutableBufferPointer {
                    decoder.step(.init(rebasing: input[position...]), into: $0)
                }
                position += used
                let kept = output.withUnsafeBufferPointer {
                    decoded.body.append(.init(rebasing: $0[..<min(filled, limit - decoded.body.count)]))
                }
                guard kept == filled else { return false }
                switch step {
                // One that does nothing would do so for ever.
                case .goesOn where used > 0 || filled > 0: continue
                case .ended:
                    isAtEnd = position == input.count
                    guard !isAtEnd else { return true }
                    guard decoder.restart() else { return false }
                case .needsInput: return position == input.count
                case .goesOn, .failed: return false
                }
            }
        }
        decoded.isWhole = isAtEnd
        return decoded.body.count == 0 && !isAtEnd ? nil : decoded
    }
}
