import Captures

/// One direction of a connection: which byte comes next, and what came before its turn.
///
/// A place is the number of a byte as the direction counts them: its sequence number, going on where 32 bits end.
struct TCPDirection {
    /// Is handed the next bytes of the direction, as they are captured, how many behind them are not, and when that was.
    typealias Give = (UnsafeRawBufferPointer, Int, Timestamp) -> Void

    /// Bytes from a place on that wait for what the other side has said before them.
    ///
    /// Who sends them has acknowledged that, so that it came first, whatever the capture lacks or mixes up of it.
    private struct Barrier {
        var place: Int64
        /// The place up to which the other side's bytes come first.
        var other: Int64
    }

    /// What waits for bytes of the other side.
    struct Waiting {
        /// The place up to which those come first.
        var other: Int64
        /// When the first of what waits was captured.
        var time: Timestamp?
    }

    /// More than any window is (RFC 7323, section 2.3): what is farther off is not of this connection.
    static let reach: Int64 = 1 << 30
    /// What most windows are below.
    static let usualWindow: Int64 = 1 << 24
    /// How long a gap that the peer has acknowledged is waited for: captures mix up packets, but not by much.
    static let patience = Duration.seconds(1)
    static let patiencePackets: Int32 = 256
    /// More than the receive windows of today's systems.
    static let maximumPending = 16 << 20
    static let maximumPendingPieces = 8192

    /// Whether the checksums of its segments fit.
    private var checksums: (fitting: UInt32, wrong: UInt32) = (0, 0)
    /// Whether ``next`` says something.
    private(set) var isKnown = false
    /// Whether the beginning is sure: by its SYN, or because bytes were given from there on.
    private(set) var isFirm = false
    /// Whether the end has been told.
    private(set) var hasEnded = false
    /// The sequence number of the first byte.
    private(set) var firstSequence: UInt32 = 0
    /// The place of the next byte.
    private(set) var next: Int64 = 0
    /// The place up to which the peer says it has all.
    private(set) var acknowledged: Int64 = 0
    /// The place of the end, as far as it is known.
    private var finish = Int64.max
    private var pending = PendingSegments()
    /// In the order of both of their places.
    private var barriers: [Barrier] = []
    /// The gap that is waited for: where it begins, since when, and how many packets have come meanwhile.
    private var gapStart = Int64.min
    private var gapSince = Timestamp(nanoseconds: 0)
    private var gapPackets: Int32 = 0

    var isFinished: Bool { next >= finish }

    /// Whether its FIN has come.
    var hasFinish: Bool { finish != .max }

    /// The place behind all that has come of it, the FIN included.
    var highest: Int64 { hasFinish ? finish + 1 : max(next, pending.end ?? next) }

    var pendingWeight: Int { pending.weight }

    /// Drops what would come behind the end.
    mutating func end() {
        hasEnded = true
        pending = PendingSegments()
        barriers = []
    }

    /// Sets the place of the first byte.
    mutating func begin(at sequence: UInt32, isFirm: Bool) {
        isKnown = true
        self.isFirm = isFirm
        firstSequence = sequence
        next = Int64(sequence)
        acknowledged = next
    }

    /// The place that a sequence number means: the nearest to the next byte.
    @inline(__always)
    func place(of sequence: UInt32) -> Int64 {
        next + Int64(Int32(bitPattern: sequence &- UInt32(truncatingIfNeeded: next)))
    }

    /// How far a sequence number is from what is known of the direction: ahead of it if positive, behind it if negative.
    @inline(__always)
    func distance(of sequence: UInt32) -> Int64 {
        let place = place(of: sequence)
        if place < next { return place - next }
        return max(0, place - max(highest, acknowledged))
    }

    /// Whether an acknowledgment may be the first: of the SYN, or of data that has come since.
    func mayBegin(with acknowledgment: UInt32) -> Bool {
        acknowledgment == firstSequence || distance(of: acknowledgment) == 0
    }

    /// Takes note of a checksum that fits.
    @inline(__always)
    mutating func noteFittingChecksum() { checksums.fitting &+= 1 }

    /// Takes note of a checksum that does not fit.
    ///
    /// - Returns: whether its segment is damaged by that: those of the others mostly do.
    mutating func isDamagedByChecksum() -> Bool {
        checksums.wrong &+= 1
        return checksums.fitting >= checksums.wrong
    }

    /// The place up to which all was captured that has not been given yet; nil where all of it was given.
    var capturedEnd: Int64? {
        let end = min(highest, finish)
        return end > next ? end : nil
    }

    /// Takes what the peer says it has.
    @inline(__always)
    mutating func takeAcknowledgment(_ number: UInt32) {
        let place = place(of: number)
        if place > acknowledged, place - next <= Self.reach { acknowledged = place }
    }

    /// The place up to which the peer had this direction's bytes when it sent a segment; nil where all of them were given.
    @inline(__always)
    func place(givenAfter acknowledgment: UInt32) -> Int64? {
        let place = min(place(of: acknowledgment), finish)
        guard place > next else { return nil }
        return isKnown && place - next <= Self.reach && !isEndWithoutFIN(place) ? place : nil
    }

    // MARK: - Bytes

    /// Takes a segment's data and end.
    ///
    /// - Parameters:
    ///   - sequence: the number of its first byte.
    ///   - bytes: what was captured of them.
    ///   - missing: how many behind those were not.
    ///   - isLast: whether the direction ends with them.
    ///   - time: of the packet.
    ///   - other: the place of the other side's bytes that came before them and have not been given; nil where all have.
    ///   - give: see ``Give``.
    @inline(__always)
    mutating func take(
        _ sequence: UInt32,
        _ bytes: UnsafeRawBufferPointer,
        missing: Int,
        isLast: Bool,
        at time: Timestamp,
        behind other: Int64?,
        give: Give
    ) {
        let count = bytes.count + missing
        if !isFirm, anchor(sequence, count, bytes) { return }
        let start = place(of: sequence)
        let end = start + Int64(count)
        if start == next, pending.isEmpty, end <= finish, other == nil {
            if isLast, finish == .max { finish = end }
            guard count > 0 else { return }
            isFirm = true
            next = end
            give(bytes, missing, time)
            return
        }
        takeOutOfTurn(start, end, bytes, isLast: isLast, at: time, behind: other, give: give)
    }

    /// Finds the beginning of a direction whose first packets are not in the capture.
    ///
    /// - Returns: whether the segment has no byte of its own.
    @inline(never)
    private mutating func anchor(_ sequence: UInt32, _ count: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard isKnown else {
            // What keeps a connection alive repeats the byte before, often as 0.
            let isProbe = count == 1 && bytes.first == 0
            begin(at: isProbe ? sequence &+ 1 : sequence, isFirm: false)
            return isProbe
        }
        guard count > 0, pending.isEmpty, !hasEnded else { return false }
        let ahead = place(of: sequence) - next
        // Known so far by what carried no bytes: it may have been such a probe; bytes sent before may come later.
        guard ahead == 1 || (ahead < 0 && ahead > -(1 << 20) && count > 1) else { return false }
        begin(at: sequence, isFirm: false)
        return false
    }

    /// Goes on behind bytes that are of no interest, nor is what came before them, unless something waits for its turn.
    mutating func pass(_ sequence: UInt32, _ count: Int) {
        let end = place(of: sequence) + Int64(count)
        guard isFirm, pending.isEmpty, end <= finish, end - next <= Self.reach else { return }
        next = max(next, end)
    }

    @inline(never)
    private mutating func takeOutOfTurn(
        _ start: Int64,
        _ end: Int64,
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        at time: Timestamp,
        behind other: Int64?,
        give: Give
    ) {
        guard start - next <= Self.reach, end <= finish || start < finish else { return }
        if isLast, finish == .max, end >= next { finish = end }
        let from = max(start, next)
        let to = min(end, finish)
        guard from < to else { return }
        isFirm = true
        if let other { raiseBarrier(at: from, other) }
        pending.insert(from, to: to, bytes.behind(Int(from - start)), at: time)
        drain(give)
    }

    private mutating func raiseBarrier(at place: Int64, _ other: Int64) {
        guard barriers.count < Self.maximumPendingPieces else { return }
        let begin = (barriers.lastIndex { $0.place <= place } ?? -1) + 1
        if begin > 0, barriers[begin - 1].other >= other { return }
        var end = begin
        while end < barriers.count, barriers[end].other <= other { end += 1 }
        barriers.replaceSubrange(begin..<end, with: CollectionOfOne(Barrier(place: place, other: other)))
    }

    /// Whether bytes wait for the other side's.
    @inline(__always)
    var hasBarrier: Bool { !barriers.isEmpty }

    /// What waits first for the other side's bytes: up to which place of those, and when it was captured; nil where nothing does.
    var waiting: Waiting? {
        barriers.first.map { Waiting(other: $0.other, time: pending.time) }
    }

    /// Whether the next bytes are there and wait for the other side's.
    var isHeld: Bool {
        guard let place = barriers.first?.place, let start = pending.start else { return false }
        return start <= next && place <= start
    }

    /// Gives what has waited for the other side's bytes up to a place; nil: for any.
    ///
    /// - Returns: whether anything had.
    mutating func release(_ place: Int64?, give: Give) -> Bool {
        let count = place.map { place in barriers.prefix { $0.other <= place }.count } ?? barriers.count
        guard count > 0 else { return false }
        barriers.removeFirst(count)
        drain(give)
        return true
    }

    /// Gives what has become next.
    private mutating func drain(_ give: Give) {
        while let start = pending.start, start <= next, !isHeld, let piece = pending.removeFirst() {
            next = piece.end
            piece.bytes.withUnsafeBytes { give($0, piece.missing, piece.time) }
        }
    }

    // MARK: - Gaps

    /// Whether there may be a gap; most packets end here.
    @inline(__always)
    var mayHaveGap: Bool { !pending.isEmpty || acknowledged > next }

    /// Goes over a gap that has been waited for long enough, or behind which too much is held.
    ///
    /// - Parameters:
    ///   - time: of the packet that has come.
    ///   - isCrowded: whether all connections together hold too much.
    ///   - waiting: what the other side said within the gap, and waits for the bytes before it.
    ///   - give: see ``Give``.
    /// - Returns: whether only the part of a gap was gone over that comes before what waits.
    mutating func passGaps(at time: Timestamp, isCrowded: Bool, before waiting: Waiting?, give: Give) -> Bool
    {
        while let start = pending.start, isCrowded || isFull {
            barriers = []
            goOn(at: start, time, give)
        }
        guard let known = acknowledgedGapEnd else { return false }
        // One that was filled, if only in part, is another: what is late still comes.
        if gapStart != next { (gapStart, gapSince, gapPackets) = (next, time, 0) }
        gapPackets += 1
        guard gapPackets > Self.patiencePackets || time - gapSince > Self.patience else { return false }
        let isPartLeft = goOn(towards: known, before: waiting, gapSince, give)
        // The rest of it has been waited for as long, but not been acknowledged as early.
        if isPartLeft { (gapStart, gapSince, gapPackets) = (next, time, Self.patiencePackets) }
        return isPartLeft
    }

    private var isFull: Bool {
        pending.weight > Self.maximumPending || pending.count > Self.maximumPendingPieces
    }

    /// Goes over the next gap, as far as its end is known, or what waits in the midst of it; there will be no more packets.
    ///
    /// - Returns: whether there was one.
    mutating func passGap(at time: Timestamp, before waiting: Waiting? = nil, give: Give) -> Bool {
        guard let end = acknowledgedGapEnd ?? pending.start.flatMap({ $0 > next ? $0 : nil }) else {
            return false
        }
        _ = goOn(towards: end, before: waiting, gapStart == next ? gapSince : time, give)
        return true
    }

    /// Gives all there is.
    mutating func flush(at time: Timestamp, give: Give) {
        barriers = []
        while passGap(at: time, give: give) {}
        drain(give)
        // An end that came, but bytes before it did not.
        if isFirm, finish != .max, finish > next { goOn(at: finish, time, give) }
    }

    /// Where the bytes end that the peer has and the capture has not.
    private var acknowledgedGapEnd: Int64? {
        let end = min(acknowledged, finish, pending.start ?? .max)
        return end > next && !isEndWithoutFIN(end) ? end : nil
    }

    /// One number more, and nothing behind it: that was a FIN.
    private func isEndWithoutFIN(_ place: Int64) -> Bool {
        place == next + 1 && pending.isEmpty && finish == .max
    }

    /// Goes over a gap, but no further than up to what the other side said in the midst of it: with one answer behind the other
    /// missing, the request between them comes between them.
    ///
    /// - Returns: whether a part of the gap is left.
    private mutating func goOn(
        towards end: Int64,
        before waiting: Waiting?,
        _ time: Timestamp,
        _ give: Give
    ) -> Bool {
        guard let waiting, waiting.other > next else {
            goOn(at: end, time, give)
            return false
        }
        let place = min(waiting.other, end)
        goOn(at: place, min(waiting.time ?? time, time), give)
        return place < end
    }

    /// `time`: when the peer said that it has what is missing, or what is known of it; it had come before what is behind it.
    private mutating func goOn(at place: Int64, _ time: Timestamp, _ give: Give) {
        if place > next {
            let count = Int(place - next)
            next = place
            let isBehind = pending.start == place
            give(
                UnsafeRawBufferPointer(start: nil, count: 0),
                count,
                isBehind ? min(pending.time ?? time, time) : time
            )
        }
        drain(give)
    }
}
