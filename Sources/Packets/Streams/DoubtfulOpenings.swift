internal import Captures

/// Segments of no connection that are damaged by their checksums, until another one shows that there is such a connection.
///
/// Where nothing else comes of it, a port or an address was damaged.
struct DoubtfulOpenings {
    private static let most = 32

    private var openings: [(key: FlowKey, opening: KeptSegment)] = []

    var isEmpty: Bool { openings.isEmpty }

    func has(_ key: FlowKey) -> Bool { openings.contains { $0.key == key } }

    /// Keeps one, in place of the oldest where there are too many.
    mutating func keep(_ segment: TCPSegment, of key: FlowKey, at time: Timestamp) {
        if openings.count == Self.most { openings.removeFirst() }
        openings.append((key, KeptSegment(segment, at: time)))
    }

    /// Takes the one of a connection out, now that something else of it has come.
    ///
    /// - Parameters:
    ///   - key: names the connection.
    ///   - next: its next segment, if that is what came.
    /// - Returns: nil where there is none, where that is it once more, or where their numbers say that one of them is damaged there.
    mutating func take(of key: FlowKey, before next: TCPSegment? = nil) -> KeptSegment? {
        guard let index = openings.firstIndex(where: { $0.key == key }) else { return nil }
        let opening = openings.remove(at: index).opening
        return next.map(opening.mayPrecede) == false ? nil : opening
    }
}

extension KeptSegment {
    fileprivate func mayPrecede(_ next: TCPSegment) -> Bool {
        let areOpenings = segment.flags.contains(.synchronize) && next.flags.contains(.synchronize)
        if FlowKey.of(next).isFromFirst == FlowKey.of(segment).isFromFirst {
            guard !isRepeated(by: next) else { return false }
            return areOpenings
                ? next.flags == segment.flags && next.sequence == segment.sequence : isNear(next.sequence)
        }
        guard areOpenings else {
            return !next.flags.contains(.acknowledge) || isNear(next.acknowledgment)
        }
        return !segment.flags.contains(.acknowledge) && next.flags.contains(.acknowledge)
            && (1...UInt32(bytes.count) + 1).contains(next.acknowledgment &- segment.sequence)
    }

    /// Whether a whole segment has the same data, or stands in the same place.
    private func isRepeated(by next: TCPSegment) -> Bool {
        let count = bytes.count + segment.missing
        guard count > 0, next.checksum == .fits, next.dataCount >= count else { return false }
        return next.sequence == segment.sequence || next.payload.elementsEqual(bytes)
    }

    private func isNear(_ number: UInt32) -> Bool {
        abs(Int64(Int32(bitPattern: number &- segment.sequence))) <= TCPDirection.usualWindow
    }
}
