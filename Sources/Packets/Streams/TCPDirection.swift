import Captures

/// One direction of a connection: which byte comes next, and what came before its turn.
///
/// A place is the number of a byte as the direction counts them: its sequence number, going on where 32 bits end.
struct TCPDirection {
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
    private var acknowledged: Int64 = 0
    /// The place of the end, as far as it is known.
    private var finish = Int64.max
    private var pending = PendingSegments()
    private var gapPackets: Int32 = 0
    private var gapSince = Timestamp(nanoseconds: 0)

    var isFinished: Bool { next >= finish }

    var pendingWeight: Int { pending.weight }

    /// Drops what would come behind the end.
    mutating func end() {
        hasEnded = true
        pending = PendingSegments()
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

    /// Takes what the peer says it has.
    @inline(__always)
    mutating func takeAcknowledgment(_ number: UInt32) {
        let place = place(of: number)
        if place > acknowledged, place - next <= Self.reach { acknowledged = place }
    }

    // MARK: - Bytes

    /// Takes a segment's data and end.
    ///
    /// `give`: is handed the next bytes of the direction, as they are captured, and how many behind them are not.
    @inline(__always)
    mutating func take(
        _ sequence: UInt32,
        _ bytes: UnsafeRawBufferPointer,
        missing: Int,
        isLast: Bool,
        give: (UnsafeRawBufferPointer, Int) -> Void
    ) {
        let count = bytes.count + missing
        if !isFirm, anchor(sequence, count, bytes) { return }
        let start = place(of: sequence)
        let end = start + Int64(count)
        if start == next, pending.isEmpty, end <= finish {
            if isLast, finish == .max { finish = end }
            guard count > 0 else { return }
            isFirm = true
            next = end
            give(bytes, missing)
            return
        }
        takeOutOfTurn(start, end, bytes, isLast: isLast, give: give)
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

    @inline(never)
    private mutating func takeOutOfTurn(
        _ start: Int64,
        _ end: Int64,
        _ bytes: UnsafeRawBufferPointer,
        isLast: Bool,
        give: (UnsafeRawBufferPointer, Int) -> Void
    ) {
        guard start - next <= Self.reach, end <= finish || start < finish else { return }
        if isLast, finish == .max, end >= next { finish = end }
        let from = max(start, next)
        let to = min(end, finish)
        guard from < to else { return }
        isFirm = true
        pending.insert(from, to: to, bytes.behind(Int(from - start)))
        drain(give)
    }

    /// Gives what has become next.
    private mutating func drain(_ give: (UnsafeRawBufferPointer, Int) -> Void) {
        while let start = pending.start, start <= next, let piece = pending.removeFirst() {
            next = piece.end
            piece.bytes.withUnsafeBytes { give($0, piece.missing) }
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
    ///   - give: as for ``take(_:_:missing:isLast:give:)``.
    mutating func passGaps(
        at time: Timestamp,
        isCrowded: Bool,
        give: (UnsafeRawBufferPointer, Int) -> Void
    ) {
        while let start = pending.start, isCrowded || isFull {
            goOn(at: start, give)
        }
        guard let known = acknowledgedGapEnd else {
            gapPackets = 0
            return
        }
        if gapPackets == 0 { gapSince = time }
        gapPackets += 1
        guard gapPackets > Self.patiencePackets || time - gapSince > Self.patience else { return }
        gapPackets = 0
        goOn(at: known, give)
    }

    private var isFull: Bool {
        pending.weight > Self.maximumPending || pending.count > Self.maximumPendingPieces
    }

    /// Gives all there is, over every gap.
    mutating func flush(_ give: (UnsafeRawBufferPointer, Int) -> Void) {
        while let start = pending.start { goOn(at: start, give) }
        if let known = acknowledgedGapEnd { goOn(at: known, give) }
        // An end that came, but bytes before it did not.
        if isFirm, finish != .max, finish > next { goOn(at: finish, give) }
    }

    /// Where the bytes end that the peer has and the capture has not.
    private var acknowledgedGapEnd: Int64? {
        let end = min(acknowledged, finish, pending.start ?? .max)
        guard end > next else { return nil }
        // One number more, and nothing behind it: that was a FIN.
        return end == next + 1 && pending.isEmpty && finish == .max ? nil : end
    }

    private mutating func goOn(at place: Int64, _ give: (UnsafeRawBufferPointer, Int) -> Void) {
        if place > next {
            let count = Int(place - next)
            next = place
            give(UnsafeRawBufferPointer(start: nil, count: 0), count)
        }
        drain(give)
    }
}
