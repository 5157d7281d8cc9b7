/// The numbers of the streams that a client has opened: they go up, and none is left out but where something is missing (RFC 9113,
/// section 5.1.1).
struct ClientStreams {
    /// More are not told apart.
    private static let most = 4096

    /// The last one that was opened; 0 before.
    private(set) var last: UInt32 = 0
    /// The first one that was seen where the connection began before it; 0 elsewhere.
    private var first: UInt32 = 0
    /// Those that seemed to be left out when a later one was opened.
    private var leftOut: Set<UInt32> = []
    /// Those that were answered without having been opened.
    private var unasked: Set<UInt32> = []

    /// Nothing that was opened before this one is known.
    mutating func begin(with id: UInt32) {
        first = id
        last = id > 1 ? id - 2 : 0
    }

    /// A request opens a stream.
    mutating func open(_ id: UInt32) {
        guard id > last else { return }
        let next = last == 0 ? 1 : last + 2
        if next < id, leftOut.count < Self.most {
            leftOut.formUnion(stride(from: next, to: id, by: 2).prefix(Self.most))
        }
        last = id
    }

    /// A stream that is not under way is answered.
    ///
    /// - Returns: whether this is the first that is seen of it: its request is missing.
    mutating func answer(_ id: UInt32) -> Bool {
        guard id % 2 == 1, id > last || id < first || leftOut.contains(id), unasked.count < Self.most else {
            return false
        }
        return unasked.insert(id).inserted
    }
}
