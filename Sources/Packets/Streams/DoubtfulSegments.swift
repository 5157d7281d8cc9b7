internal import Captures
internal import Wire

/// Segments that are damaged by their checksums, until it shows what became of them: who got them like that has thrown them away, and
/// they came again; where the capture alone has them like that, or joined them, their receiver says that it has them.
///
/// What they acknowledge is not believed.
struct DoubtfulSegments {
    struct Segment {
        var side: Side
        var sequence: UInt32
        var bytes: [UInt8]
        var isLast: Bool
        /// The place of its first byte.
        var start: Int64
        /// The place behind it, its FIN included.
        var end: Int64
        /// The place of the other side's bytes that were captured before it and had not been given; nil where all had.
        var other: Int64?
        var time: Timestamp
    }

    private static let most = 32
    private static let mostBytes = 256 << 10

    private var segments: [Segment] = []
    /// What they cost to hold, more or less.
    private(set) var weight = 0

    var isEmpty: Bool { segments.isEmpty }

    /// Whether there are more than are waited with.
    var areTooMany: Bool { segments.count > Self.most || weight > Self.mostBytes }

    mutating func append(_ segment: Segment) {
        segments.append(segment)
        weight += Self.weight(of: segment)
    }

    /// The place up to which there are bytes of a side from a place on; that of one by itself may be what is damaged.
    func end(of side: Side, behind place: Int64) -> Int64 {
        segments.reduce(place) { end, segment in
            segment.side == side && segment.start <= end
                ? max(end, segment.end - (segment.isLast ? 1 : 0)) : end
        }
    }

    /// Takes the first one out that is as it is asked for.
    mutating func take(where isWanted: (Segment) -> Bool) -> Segment? {
        guard let index = segments.firstIndex(where: isWanted) else { return nil }
        weight -= Self.weight(of: segments[index])
        return segments.remove(at: index)
    }

    private static func weight(of segment: Segment) -> Int { segment.bytes.count + 128 }
}
