internal import Wire

/// The streams of one direction of a connection, each put together (RFC 9000, section 2).
struct QUICStreams {
    /// Of streams that are open, or that are known one by one to be done with.
    private static let most = 8192

    private var open: [Int: QUICByteStream] = [:]
    /// By the two bits of a stream's number that say whose it is, and whether it goes both ways.
    private var finished = [FinishedStreams(), FinishedStreams(), FinishedStreams(), FinishedStreams()]
    /// What waits behind bytes that did not come.
    private(set) var held = 0

    /// Whether bytes are missing in front of others.
    var hasGaps: Bool { open.values.contains { $0.hasGap } }

    /// Whether there are more of them than are followed.
    var areTooMany: Bool { open.count > Self.most || finished.contains { $0.gaps > Self.most } }

    /// The stream of which most waits; nil where nothing does.
    var heaviest: Int? {
        open.max { ($0.value.held, $1.key) < ($1.value.held, $0.key) }.flatMap {
            $0.value.held > 0 ? $0.key : nil
        }
    }

    /// Takes a piece of a stream.
    ///
    /// `give` gets what follows on what was given before, and whether it is the last, which may be no bytes.
    /// - Returns: whether the stream can be followed any further.
    mutating func take(
        _ bytes: ArraySlice<UInt8>,
        of id: Int,
        at offset: Int,
        isLast: Bool,
        _ give: (ArraySlice<UInt8>, _ isLast: Bool) -> Void
    ) -> Bool {
        guard !finished[id & 3].contains(id >> 2) else { return true }
        // Not copied: what waits may be much.
        let isComplete = change(id) { stream in
            stream.add(bytes, at: offset, isLast: isLast)
            var isEndGiven = false
            while let next = stream.next() {
                isEndGiven = stream.isComplete
                give(next, isEndGiven)
            }
            if stream.isComplete, !isEndGiven { give([], true) }
            return stream.isComplete
        }
        if isComplete { drop(id) }
        return open[id]?.isScattered != true
    }

    private mutating func change<Result>(_ id: Int, _ body: (inout QUICByteStream) -> Result) -> Result {
        let before = open[id]?.held ?? 0
        let result = body(&open[id, default: QUICByteStream()])
        held += (open[id]?.held ?? 0) - before
        return result
    }

    /// Nothing more of a stream is taken.
    mutating func drop(_ id: Int) {
        held -= open.removeValue(forKey: id)?.held ?? 0
        finished[id & 3].insert(id >> 2)
    }
}
