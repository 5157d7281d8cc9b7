internal import Captures

/// What a client says in TLS while it is not known what is missing of its server's records: that shows with the next record, and
/// came before.
///
/// Who asks again has had the answer before; that a part of it is missing must not be told of the request that follows.
struct PostponedRequests {
    /// What comes next of the client.
    struct Piece {
        enum Content: Equatable {
            case bytes([UInt8])
            /// So many are missing, or at most so many.
            case lost(Int, isExact: Bool)
        }

        var content: Content
        var time: Timestamp
    }

    /// More does not wait.
    private static let mostBytes = 256 << 10
    /// What a piece costs to hold besides its bytes, more or less.
    private static let weight = 64

    /// When it was last that something went missing; nil where the place in the server's records is known.
    private(set) var since: Timestamp?
    private var pieces: [Piece] = []
    private var size = 0

    mutating func begin(at time: Timestamp) { since = time }

    /// Takes bytes that have to wait; false where they have not.
    mutating func holds(_ bytes: UnsafeRawBufferPointer, at time: Timestamp) -> Bool {
        guard makesRoom(for: bytes.count) else { return false }
        pieces.append(Piece(content: .bytes(Array(bytes)), time: time))
        return true
    }

    /// Takes note that bytes are missing behind what waits; false where nothing has to.
    mutating func holds(lost count: Int, isExact: Bool, at time: Timestamp) -> Bool {
        guard makesRoom(for: 0) else { return false }
        pieces.append(Piece(content: .lost(count, isExact: isExact), time: time))
        return true
    }

    private mutating func makesRoom(for count: Int) -> Bool {
        guard since != nil, size + count + Self.weight <= Self.mostBytes else { return false }
        size += count + Self.weight
        return true
    }

    /// Takes what has waited, and waits no more.
    mutating func take() -> [Piece] {
        defer { self = PostponedRequests() }
        return pieces
    }
}
