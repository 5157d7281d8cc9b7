internal import Captures
internal import Wire

/// Segments that are damaged by their checksums: see ``DoubtfulSegments``.
extension TCPConnection {
    /// Whether a segment whose checksum is wrong is damaged by that: those of its sender's others mostly fit.
    mutating func doubts(_ segment: TCPSegment, isFromFirst: Bool) -> Bool {
        var isDamaged = false
        withDirection(isFromFirst == clientIsFirst ? .client : .server) {
            isDamaged = $0.isDamagedByChecksum()
        }
        return isDamaged
    }

    /// Keeps a damaged segment until the other side says that it has it.
    ///
    /// - Parameters:
    ///   - segment: one of this connection's.
    ///   - isFromFirst: whether it is from the end that the key names first.
    ///   - time: when it was captured.
    ///   - isCrowded: whether all connections together hold too much, so that nothing is kept.
    ///   - sink: is told what is not kept.
    @inline(never)
    mutating func receiveDamaged<Sink: TCPStreamSink>(
        _ segment: TCPSegment,
        isFromFirst: Bool,
        at time: Timestamp,
        isCrowded: Bool,
        into sink: inout Sink
    ) {
        guard let new = kept(of: segment, isFromFirst: isFromFirst, at: time) else { return }
        doubtful.append(new)
        while isCrowded || doubtful.areTooMany, let first = doubtful.take(where: { _ in true }) {
            take(first, into: &sink)
        }
    }

    /// What is kept of a damaged segment; nil where it has nothing new, or its place cannot be.
    private func kept(
        of segment: TCPSegment,
        isFromFirst: Bool,
        at time: Timestamp
    ) -> DoubtfulSegments.Segment? {
        let side: Side = isFromFirst == clientIsFirst ? .client : .server
        let (own, other) = side == .client ? (client, server) : (server, client)
        let isLast = segment.flags.contains(.finish)
        let place = own.place(of: segment.sequence)
        let end = place + Int64(segment.dataCount) + (isLast ? 1 : 0)
        guard !isClosed, number != nil, own.isKnown, end > own.next,
            place <= own.highest + TCPDirection.usualWindow,
            segment.flags.isDisjoint(with: [.synchronize, .reset])
        else { return nil }
        return DoubtfulSegments.Segment(
            side: side,
            sequence: segment.sequence,
            bytes: Array(segment.payload),
            isLast: isLast,
            start: place,
            end: end,
            other: capturedEnd(of: side.other, other),
            time: time
        )
    }

    /// The place up to which all of a side was captured that has not been given yet, damaged or not; nil where all of it was given.
    private func capturedEnd(of side: Side, _ direction: TCPDirection) -> Int64? {
        let end = doubtful.end(of: side, behind: direction.capturedEnd ?? direction.next)
        return end > direction.next ? end : nil
    }

    /// Takes what the other side has said meanwhile that it has.
    @inline(never)
    mutating func takeConfirmed<Sink: TCPStreamSink>(into sink: inout Sink) {
        let ends = (client: client.acknowledged, server: server.acknowledged)
        while let segment = doubtful.take(where: {
            $0.end <= ($0.side == .client ? ends.client : ends.server)
        }) {
            take(segment, into: &sink)
        }
    }

    /// Takes one that follows on what was given: at the end nobody will say any more whether it came.
    ///
    /// - Returns: whether there was one.
    mutating func takeNextDoubtful<Sink: TCPStreamSink>(into sink: inout Sink) -> Bool {
        let places = (client: client.next, server: server.next)
        let next = doubtful.take {
            let place = $0.side == .client ? places.client : places.server
            return $0.start <= place && place < $0.end
        }
        guard let next else { return false }
        take(next, into: &sink)
        return true
    }

    private mutating func take<Sink: TCPStreamSink>(
        _ segment: DoubtfulSegments.Segment,
        into sink: inout Sink
    ) {
        segment.bytes.withUnsafeBytes { bytes in
            change(segment.side, into: &sink) {
                $0.take(
                    segment.sequence,
                    bytes,
                    missing: 0,
                    isLast: segment.isLast,
                    at: segment.time,
                    behind: segment.other,
                    give: $1
                )
            }
        }
    }
}
