internal import Captures

/// Puts the bytes of one direction of a stream together, in whatever order they come (RFC 9000, section 2.2).
///
/// What comes again is given once.
struct QUICByteStream {
    private struct Piece {
        var offset: Int
        var bytes: [UInt8]

        var end: Int { offset + bytes.count }
    }

    /// What a piece that waits is counted with besides its bytes.
    private static let pieceWeight = 64
    /// Of pieces that wait and do not follow on each other: a network that loses so many of them is none.
    private static let mostPieces = 1024

    /// Bytes that were given.
    private(set) var offset = 0
    /// In their order; they do not overlap.
    private var pieces: [Piece] = []
    /// What is given next; nil where it has not come.
    private var ready: ArraySlice<UInt8>?
    /// What those that wait are counted with.
    private(set) var held = 0
    /// How many bytes there are in all; nil before the last ones came.
    private(set) var size: Int?

    /// Whether all were given.
    var isComplete: Bool { size.map { offset >= $0 } ?? false }

    /// Whether there are bytes behind some that did not come.
    var hasGap: Bool { !pieces.isEmpty }

    /// Whether more pieces wait than there may.
    var isScattered: Bool { pieces.count > Self.mostPieces }

    mutating func add(_ bytes: ArraySlice<UInt8>, at start: Int, isLast: Bool = false) {
        let end = start + bytes.count
        if isLast, size == nil, end >= offset { size = end }
        guard end > offset, !bytes.isEmpty else { return }
        guard start <= offset else { return wait(bytes, at: start) }
        let bytes = bytes.dropFirst(offset - start)
        guard let first = pieces.first, first.offset < end else {
            ready = bytes
            return
        }
        // What came first counts.
        let count = first.offset - offset
        ready = bytes.prefix(count)
        wait(bytes.dropFirst(count), at: first.offset)
    }

    /// Takes bytes that others are missing in front of.
    ///
    /// They are copied: a slice would keep all of its packet.
    private mutating func wait(_ bytes: ArraySlice<UInt8>, at start: Int) {
        var (start, bytes) = (start, bytes)
        var index = place(of: start)
        if index > 0, pieces[index - 1].end > start {
            let covered = pieces[index - 1].end - start
            guard covered < bytes.count else { return }
            bytes = bytes.dropFirst(covered)
            start += covered
        }
        let end = start + bytes.count
        var replaced = index
        while replaced < pieces.endIndex, pieces[replaced].end <= end {
            held -= pieces[replaced].bytes.count + Self.pieceWeight
            replaced += 1
        }
        if replaced < pieces.endIndex, pieces[replaced].offset < end {
            bytes = bytes.prefix(pieces[replaced].offset - start)
        }
        pieces.removeSubrange(index..<replaced)
        held += bytes.count
        if index > 0, pieces[index - 1].end == start {
            index -= 1
            pieces[index].bytes += bytes
        } else {
            held += Self.pieceWeight
            pieces.insert(Piece(offset: start, bytes: Array(bytes)), at: index)
        }
        // The shorter one is copied, so that no byte is more often than its piece can double.
        guard index + 1 < pieces.endIndex, pieces[index + 1].offset == pieces[index].end,
            pieces[index + 1].bytes.count <= pieces[index].bytes.count
        else { return }
        let following = pieces.remove(at: index + 1)
        pieces[index].bytes += following.bytes
        held -= Self.pieceWeight
    }

    /// How many pieces begin at a place or before it.
    private func place(of start: Int) -> Int { pieces.partitionPoint { $0.offset > start } }

    /// The next bytes, as far as they have come.
    mutating func next() -> ArraySlice<UInt8>? {
        if let bytes = ready {
            ready = nil
            offset += bytes.count
            return bytes
        }
        guard let first = pieces.first, first.offset == offset else { return nil }
        pieces.removeFirst()
        held -= first.bytes.count + Self.pieceWeight
        offset = first.end
        return first.bytes[...]
    }
}
