/// Undoes gzip or a zip entry's deflate, window by window.
struct DeflatedText {
    /// What came of it.
    struct Outcome {
        /// Bytes of the source that were used.
        var used: Int
        /// Nil where the packed bytes are whole.
        var problem: String?
    }

    let name: String
    let budget: UnpackingBudget

    /// Unpacks a range of the source, until `sink` wants no more of what comes out.
    func unpack(
        _ source: CaptureSource,
        _ range: Range<Int>,
        frame: InflateDecoder.Frame,
        sink: (UnsafeBufferPointer<UInt8>) throws(CaptureError) -> Bool
    ) throws(CaptureError) -> Outcome {
        guard let decoder = InflateDecoder(frame) else {
            throw .inputOutput(path: name, reason: "there is no memory to unpack it")
        }
        var output = [UInt8](repeating: 0, count: 128 << 10)
        var position = range.lowerBound
        var isAtEnd = false
        while position < range.upperBound {
            let window = source.bytes(at: position, count: min(256 << 10, range.upperBound - position))
            guard !window.isEmpty else { break }
            var used = 0
            inner: while true {
                if isAtEnd {
                    guard used < window.count else { break inner }
                    // Zeros may fill up the last block of a tape; anything else is not ours.
                    guard frame == .gzip, window[used] == 0x1f, decoder.restart() else {
                        let isPadding = frame != .gzip || window[used...].allSatisfy { $0 == 0 }
                        return Outcome(
                            used: position + used - range.lowerBound,
                            problem: isPadding ? nil : "behind the gzip data stands something else"
                        )
                    }
                    isAtEnd = false
                }
                let step = window.withUnsafeBufferPointer { input in
                    output.withUnsafeMutableBufferPointer {
                        decoder.step(.init(rebasing: input[used...]), into: $0)
                    }
                }
                used += step.used
                if step.filled > 0 {
                    try budget.take(step.filled, name: name)
                    let goesOn = try output.withUnsafeBufferPointer { bytes throws(CaptureError) in
                        try sink(.init(rebasing: bytes[..<step.filled]))
                    }
                    guard goesOn else {
                        return Outcome(used: position + used - range.lowerBound, problem: nil)
                    }
                }
                switch step.step {
                case .ended: isAtEnd = true
                case .goesOn where step.used > 0 || step.filled > 0: continue inner
                case .needsInput where used == window.count: break inner
                case .needsInput, .goesOn, .failed:
                    return Outcome(
                        used: position + used - range.lowerBound,
                        problem: "the packed data are damaged at byte \(position + used)"
                    )
                }
            }
            position += used
        }
        return Outcome(
            used: position - range.lowerBound,
            problem: isAtEnd ? nil : "the packed data break off"
        )
    }
}
