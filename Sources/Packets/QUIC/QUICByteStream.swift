/// Puts the bytes of one direction of a stream together, in whatever order they come (RFC 9000, section 2.2).
///
/// What comes again is given once.
struct QUICByteStream {
    private struct Piece {
        var offset: Int
        var bytes: ArraySlice<UInt8>

        var end: Int { offset + bytes.count }
    }

    /// What a piece that waits is counted with besides its bytes: it keeps all of its packet, and has to be found.
    private static let pieceWeight = 512

    /// Bytes that were given.
    private(set) var offset = 0
    /// In their order; they do not overlap.
    private var pieces: [Piece] = []
    /// What those that wait are counted with.
    private(set) var held = 0
    /// How many bytes there are in all; nil before the last ones came.
    private(set) var size: Int?

    /// Whether all were given.
    var isComplete: Bool { size.map { offset >= $0 } ?? false }

    /// Whether there are bytes behind some that did not come.
    var hasGap: Bool { !pieces.isEmpty }

    mutating func add(_ bytes: ArraySlice<UInt8>, at start: Int, isLast: Bool = false) {
        if isLast, size == nil { size = start + bytes.count }
        guard start + bytes.count > offset, !bytes.isEmpty else { return }
        var piece = Piece(offset: start, bytes: bytes)
        if start < offset {
            piece.bytes = bytes.dropFirst(offset - start)
            piece.offset = offset
        }
        var index = pieces.endIndex
        while index > 0, pieces[index - 1].offset > piece.offset { index -= 1 }
        // What came first counts.
        if index > 0, pieces[index - 1].end > piece.offset {
            let covered = pieces[index - 1].end - piece.offset
            guard covered < piece.bytes.count else { return }
            piece.bytes = piece.bytes.dropFirst(covered)
            piece.offset += covered
        }
        var replaced = index
        while replaced < pieces.endIndex, pieces[replaced].end <= piece.end {
            held -= pieces[replaced].bytes.count + Self.pieceWeight
            replaced += 1
        }
        if replaced < pieces.endIndex, pieces[replaced].offset < piece.end {
            piece.bytes = piece.bytes.prefix(pieces[replaced].offset - piece.offset)
        }
        held += piece.bytes.count + Self.pieceWeight
        pieces.replaceSubrange(index..<replaced, with: [piece])
    }

    /// The next bytes, as far as they have come.
    mutating func next() -> ArraySlice<UInt8>? {
        guard let first = pieces.first, first.offset == offset else { return nil }
        pieces.removeFirst()
        held -= first.bytes.count + Self.pieceWeight
        offset = first.end
        return first.bytes
    }
}
