internal import Captures

/// What came of one direction before its turn, in the order of its places; of bytes that came twice the first.
struct PendingSegments {
    struct Piece {
        /// Place of the first byte.
        var start: Int64
        var bytes: [UInt8]
        /// Bytes behind those that the capture cut off.
        var missing: Int
        /// When it was captured.
        var time: Timestamp

        var end: Int64 { start + Int64(bytes.count + missing) }
        /// What it costs to hold, more or less.
        var weight: Int { bytes.count + 96 }
    }

    private var pieces: [Piece] = []
    /// Pieces before this one are taken.
    private var begin = 0
    private(set) var weight = 0

    var isEmpty: Bool { begin == pieces.count }

    var count: Int { pieces.count - begin }

    /// Where the first piece begins.
    var start: Int64? { isEmpty ? nil : pieces[begin].start }

    /// Where the last piece ends.
    var end: Int64? { isEmpty ? nil : pieces.last?.end }

    /// When the first piece was captured.
    var time: Timestamp? { isEmpty ? nil : pieces[begin].time }

    mutating func removeFirst() -> Piece? {
        guard !isEmpty else { return nil }
        let piece = pieces[begin]
        pieces[begin].bytes = []
        begin += 1
        weight -= piece.weight
        if isEmpty {
            pieces = []
            begin = 0
        } else if begin >= 64, begin * 2 >= pieces.count {
            pieces.removeFirst(begin)
            begin = 0
        }
        return piece
    }

    /// Keeps what is not there yet of a segment.
    ///
    /// - Parameters:
    ///   - start: the place of its first byte.
    ///   - end: the place behind its last byte, those cut off included.
    ///   - bytes: what was captured of it.
    ///   - time: when that was.
    mutating func insert(
        _ start: Int64,
        to end: Int64,
        _ bytes: UnsafeRawBufferPointer,
        at time: Timestamp
    ) {
        var position = start
        var index = firstIndex(endingBehind: start)
        while position < end {
            let next = index < pieces.count ? min(pieces[index].start, end) : end
            if position < next {
                let from = Int(position - start)
                let captured = bytes.behind(from).first(Int(next - position))
                let piece = Piece(
                    start: position,
                    bytes: Array(captured),
                    missing: Int(next - position) - captured.count,
                    time: time
                )
                weight += piece.weight
                if index == begin, begin > 0 {
                    begin -= 1
                    pieces[begin] = piece
                } else {
                    pieces.insert(piece, at: index)
                    index += 1
                }
            }
            guard index < pieces.count else { return }
            position = max(next, pieces[index].end)
            index += 1
        }
    }

    private func firstIndex(endingBehind place: Int64) -> Int {
        // Most come behind all others.
        guard !isEmpty, let last = pieces.last, last.end > place else { return pieces.count }
        return pieces[begin...].partitionPoint { $0.end > place }
    }
}
