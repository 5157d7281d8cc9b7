package import Captures

/// Puts the bytes of TCP connections together from their segments and hands them to a sink.
///
/// Retransmitted bytes are given once, overlapping ones as they came first. A segment that comes before its turn waits; a
/// gap is told as lost where the peer has acknowledged it and it does not come within a second, or ``TCPDirection`` holds
/// too much behind it. What comes in order is handed on where it lies, without a copy. Does no IO, reads no clock.
package struct TCPStreamReassembler<Sink: TCPStreamSink> {
    /// What is told of the connections.
    package var sink: Sink

    /// Connections followed at a time; the one that was silent longest makes room.
    private let maximumConnections: Int
    /// Bytes held in all connections together.
    private let maximumHeld: Int
    private var table: [FlowKey: Int32] = [:]
    private var connections: [TCPConnection] = []
    private var free: [Int32] = []
    private var open = UseOrder<TCPConnection>()
    /// Those that have ended: what is repeated of them is no connection of its own.
    private var ended = UseOrder<TCPConnection>()
    private var resets = TCPResetQueue()
    private var refusals = EarlyRefusals()
    private var openings = DoubtfulOpenings()
    /// The last segment, where the capture cut it: its whole copy may come next, as where two interfaces are captured and one keeps all.
    private var cutSegment: KeptSegment?
    private var held = 0
    private var numbers = 0
    private var last: (key: FlowKey, slot: Int32)?
    /// Segments whose checksums fit, and others.
    private var checksums = (fitting: 0, wrong: 0)

    package init(into sink: Sink) {
        self.init(into: sink, maximumConnections: 65_536, maximumHeld: 256 << 20)
    }

    init(into sink: Sink, maximumConnections: Int, maximumHeld: Int = 256 << 20) {
        self.sink = sink
        self.maximumConnections = max(1, maximumConnections)
        self.maximumHeld = maximumHeld
    }

    /// Takes the next segment of the capture.
    mutating func receive(_ segment: TCPSegment, at time: Timestamp) {
        if cutSegment != nil { takeCut(before: segment) }
        if segment.missing > 0 {
            cutSegment = KeptSegment(segment, at: time)
        } else {
            receiveNext(segment, at: time)
        }
    }

    /// Takes the segment that was kept as it was cut, unless the next one is the same and has more of it.
    @inline(never)
    private mutating func takeCut(before next: TCPSegment? = nil) {
        guard let cut = cutSegment else { return }
        cutSegment = nil
        if let next, cut.isCutCopy(of: next) { return }
        cut.withSegment { receiveNext($0, at: cut.time) }
    }

    @inline(__always)
    private mutating func receiveNext(_ segment: TCPSegment, at time: Timestamp) {
        if !resets.isEmpty { settleResets(at: time) }
        take(segment, at: time)
        guard !refusals.isEmpty, segment.flags.contains(.synchronize),
            !segment.flags.contains(.acknowledge),
            let (refusal, refusedAt) = refusals.take(refusing: segment, at: time)
        else { return }
        take(refusal, at: max(time, refusedAt))
    }

    @inline(__always)
    private mutating func take(_ segment: TCPSegment, at time: Timestamp) {
        let (key, isFromFirst) = FlowKey.of(segment)
        switch segment.checksum {
        case .fits: checksums.fitting += 1
        case .saysNothing: break
        case .isWrong: if takeDamaged(segment, of: key, isFromFirst: isFromFirst, at: time) { return }
        }
        takeBelieved(segment, of: key, isFromFirst: isFromFirst, at: time)
    }

    @inline(__always)
    private mutating func takeBelieved(
        _ segment: TCPSegment,
        of key: FlowKey,
        isFromFirst: Bool,
        at time: Timestamp
    ) {
        guard let slot = slot(of: key, segment, isFromFirst: isFromFirst, at: time) else { return }
        let (wasClosed, before) = (connections[slot].isClosed, connections[slot].pendingWeight)
        let resetBefore = segment.flags.contains(.reset) ? connections[slot].resetTime : nil
        connections[slot].receive(
            segment,
            isFromFirst: isFromFirst,
            at: time,
            isCrowded: held > maximumHeld,
            into: &sink,
            &numbers
        )
        held += connections[slot].pendingWeight - before
        if wasClosed { return }
        if connections[slot].isClosed {
            open.remove(slot, from: &connections)
            ended.add(slot, to: &connections)
        } else {
            open.use(slot, in: &connections)
            guard segment.flags.contains(.reset), let reset = connections[slot].resetTime,
                reset != resetBefore, let number = connections[slot].number
            else { return }
            resets.append(TCPResetQueue.Entry(slot: slot, number: number, time: reset))
        }
    }

    /// Takes a segment whose checksum is wrong, if it is damaged by that.
    ///
    /// - Returns: false where checksums say nothing, as where the system that sent it leaves other numbers there.
    @inline(never)
    private mutating func takeDamaged(
        _ segment: TCPSegment,
        of key: FlowKey,
        isFromFirst: Bool,
        at time: Timestamp
    ) -> Bool {
        checksums.wrong += 1
        guard let found = table[key] else {
            // It may be a port that is damaged.
            guard checksums.fitting >= checksums.wrong, !openings.has(key) else { return false }
            openings.keep(segment, of: key, at: time)
            return true
        }
        let slot = Int(found)
        guard connections[slot].doubts(segment, isFromFirst: isFromFirst) else { return false }
        let before = connections[slot].pendingWeight
        connections[slot].receiveDamaged(
            segment,
            isFromFirst: isFromFirst,
            at: time,
            isCrowded: held > maximumHeld,
            into: &sink
        )
        held += connections[slot].pendingWeight - before
        return true
    }

    /// Takes a damaged one whose connection has shown itself.
    @inline(never)
    private mutating func take(_ opening: KeptSegment) {
        opening.withSegment { segment in
            let (key, isFromFirst) = FlowKey.of(segment)
            takeBelieved(segment, of: key, isFromFirst: isFromFirst, at: opening.time)
        }
    }

    /// Takes what somebody on the way says of a segment.
    mutating func receive(_ undelivered: Undelivered, at time: Timestamp) {
        takeCut()
        if !openings.isEmpty, let first = openings.take(of: undelivered.key) { take(first) }
        guard let slot = table[undelivered.key] else { return }
        connections[Int(slot)].receive(undelivered, at: time)
    }

    /// Closes what was reset a moment ago, or longer.
    ///
    /// `time`: now, by the clock of the packets; where none come, no other does.
    package mutating func settleResets(at time: Timestamp) {
        takeCut()
        while let entry = resets.removeFirst(at: time) {
            let slot = entry.slot
            guard connections[slot].number == entry.number, !connections[slot].isClosed else { continue }
            let before = connections[slot].pendingWeight
            connections[slot].settle(into: &sink)
            held += connections[slot].pendingWeight - before
            guard connections[slot].isClosed else { continue }
            open.remove(slot, from: &connections)
            ended.add(slot, to: &connections)
        }
    }

    /// Tells what is left of every connection: the capture ends here.
    package mutating func finish() {
        takeCut()
        let slots = connections.indices.filter { !connections[$0].isClosed && connections[$0].number != nil }
        for slot in slots.sorted(by: { (connections[$0].number ?? 0) < (connections[$1].number ?? 0) }) {
            connections[slot].close(.captureEnded, into: &sink)
        }
        table = [:]
        connections = []
        free = []
        open = UseOrder()
        ended = UseOrder()
        resets = TCPResetQueue()
        refusals = EarlyRefusals()
        openings = DoubtfulOpenings()
        held = 0
        last = nil
    }

    // MARK: - Connections

    @inline(__always)
    private mutating func slot(
        of key: FlowKey,
        _ segment: TCPSegment,
        isFromFirst: Bool,
        at time: Timestamp
    ) -> Int? {
        if let last, last.key == key, !segment.flags.contains(.synchronize) {
            let slot = Int(last.slot)
            if !connections[slot].isClosed,
                !connections[slot].isFollowed(by: segment, isFromFirst: isFromFirst, at: time)
            {
                return slot
            }
        }
        return findSlot(of: key, segment, isFromFirst: isFromFirst, at: time)
    }

    private mutating func findSlot(
        of key: FlowKey,
        _ segment: TCPSegment,
        isFromFirst: Bool,
        at time: Timestamp
    ) -> Int? {
        var earlierServerNumber: UInt32?
        if let found = table[key] {
            let slot = Int(found)
            guard connections[slot].isFollowed(by: segment, isFromFirst: isFromFirst, at: time) else {
                last = (key, found)
                return slot
            }
            earlierServerNumber = connections[slot].serverNumber(
                whereBegunBy: segment,
                isFromFirst: isFromFirst
            )
            remove(slot)
        }
        if !openings.isEmpty, let first = openings.take(of: key, before: segment) {
            take(first)
            return findSlot(of: key, segment, isFromFirst: isFromFirst, at: time)
        }
        // A reset alone is of nothing, unless its connection comes yet.
        guard !segment.flags.contains(.reset) else {
            refusals.note(segment, at: time)
            return nil
        }
        let slot = place(
            TCPConnection(
                key,
                segment,
                isFromFirst: isFromFirst,
                earlierServerNumber: earlierServerNumber,
                at: time
            )
        )
        table[key] = Int32(slot)
        last = (key, Int32(slot))
        return slot
    }

    private mutating func place(_ connection: TCPConnection) -> Int {
        if free.isEmpty, connections.count >= maximumConnections {
            if let oldest = ended.oldest ?? open.oldest { remove(oldest) }
        }
        let slot: Int
        if let unused = free.popLast() {
            slot = Int(unused)
            connections[slot] = connection
        } else {
            slot = connections.count
            connections.append(connection)
        }
        open.add(slot, to: &connections)
        return slot
    }

    private mutating func remove(_ slot: Int) {
        held -= connections[slot].pendingWeight
        if connections[slot].isClosed {
            ended.remove(slot, from: &connections)
        } else {
            open.remove(slot, from: &connections)
            connections[slot].close(.captureEnded, into: &sink)
        }
        table[connections[slot].key] = nil
        free.append(Int32(slot))
        last = nil
    }
}
