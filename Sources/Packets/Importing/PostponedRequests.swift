internal import Captures

/// What a client says in TLS while it is not known what is missing of its server's records: that shows with the next record, and
/// came before.
///
/// Who asks again has had the answer before; that a part of it is missing must not be told of the request that follows.
struct PostponedRequests {
    typealias Piece = (bytes: [UInt8], time: Timestamp)

    /// More does not wait.
    private static let mostBytes = 256 << 10

    /// When it was last that something went missing; nil where the place in the server's records is known.
    private(set) var since: Timestamp?
    private var pieces: [Piece] = []
    private var size = 0

    mutating func begin(at time: Timestamp) { since = time }

    /// Takes bytes that have to wait; false where they have not.
    mutating func holds(_ bytes: UnsafeRawBufferPointer, at time: Timestamp) -> Bool {
        guard since != nil, size + bytes.count <= Self.mostBytes else { return false }
        size += bytes.count
        pieces.append((Array(bytes), time))
        return true
    }

    /// What has waited, and waits no more.
    mutating func take() -> [Piece] {
        defer { self = PostponedRequests() }
        return pieces
    }
}
