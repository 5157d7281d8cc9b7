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
        var unpacking = Unpacking(decoder: decoder, frame: frame)
        var position = range.lowerBound
        while position < range.upperBound {
            let window = source.bytes(at: position, count: min(256 << 10, range.upperBound - position))
            guard !window.isEmpty else { break }
            let (used, end) = try unpacking.take(window) { piece throws(CaptureError) in
                try budget.take(piece.count, name: name)
                return try sink(piece)
            }
            position += used
            if let end {
                return Outcome(used: position - range.lowerBound, problem: end.problem(at: position))
            }
        }
        return Outcome(
            used: position - range.lowerBound,
            problem: unpacking.isAtEnd ? nil : "the packed data break off"
        )
    }
}

/// Why packed data are not read any further.
private enum UnpackingEnd {
    /// No more is wanted.
    case enough
    case padding
    case somethingElse
    case damage

    /// Nil where nothing is wrong; `position`: in the source.
    func problem(at position: Int) -> String? {
        switch self {
        case .enough, .padding: nil
        case .somethingElse: "behind the gzip data stands something else"
        case .damage: "the packed data are damaged at byte \(position)"
        }
    }
}

/// Where a decoder stands between two windows.
private struct Unpacking {
    let decoder: InflateDecoder
    let frame: InflateDecoder.Frame
    /// Whether what is packed may end here.
    private(set) var isAtEnd = false
    private var output = [UInt8](repeating: 0, count: 128 << 10)

    init(decoder: InflateDecoder, frame: InflateDecoder.Frame) {
        self.decoder = decoder
        self.frame = frame
    }

    /// Hands what comes out of a window to `sink`.
    ///
    /// - Returns: bytes of the window that were used: all of them, or those up to the end.
    mutating func take(
        _ window: [UInt8],
        sink: (UnsafeBufferPointer<UInt8>) throws(CaptureError) -> Bool
    ) throws(CaptureError) -> (used: Int, end: UnpackingEnd?) {
        var used = 0
        while true {
            if isAtEnd {
                guard used < window.count else { return (used, nil) }
                guard beginsAnew(window[used...]) else { return (used, ending(in: window[used...])) }
                isAtEnd = false
            }
            let step = step(window[used...])
            used += step.used
            if step.filled > 0 {
                let goesOn = try output.withUnsafeBufferPointer { bytes throws(CaptureError) in
                    try sink(.init(rebasing: bytes[..<step.filled]))
                }
                guard goesOn else { return (used, .enough) }
            }
            switch step.step {
            case .ended: isAtEnd = true
            case .goesOn where step.used > 0 || step.filled > 0: continue
            case .needsInput where used == window.count: return (used, nil)
            case .needsInput, .goesOn, .failed: return (used, .damage)
            }
        }
    }

    private mutating func step(_ rest: ArraySlice<UInt8>) -> (used: Int, filled: Int, step: DecodingStep) {
        let decoder = decoder
        return rest.withUnsafeBufferPointer { input in
            output.withUnsafeMutableBufferPointer { decoder.step(input, into: $0) }
        }
    }

    /// Whether another member of a gzip file follows (RFC 1952, section 2.2); the decoder is ready for it then.
    private func beginsAnew(_ rest: ArraySlice<UInt8>) -> Bool {
        frame == .gzip && rest.first == 0x1f && decoder.restart()
    }

    /// Zeros may fill up the last block of a tape; anything else is not ours.
    private func ending(in rest: ArraySlice<UInt8>) -> UnpackingEnd {
        frame != .gzip || rest.allSatisfy { $0 == 0 } ? .padding : .somethingElse
    }
}
