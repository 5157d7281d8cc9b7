internal import Captures
internal import Wire

/// Bytes that both directions hold back, and the order in which they came.
extension TLSStream {
    /// What one direction holds back.
    private struct Held {
        var bytes: [UInt8]
        var place: Int
        var gaps: ArraySlice<(place: Int, count: Int)>
        var hasEnded: Bool

        /// Bytes that are not taken yet.
        var count: Int { bytes.count - place }
    }

    /// Bytes that a side said, all at about the same time.
    struct HeldTurn {
        var side: Side
        var count: Int
        /// When the first of them came.
        var time: Timestamp
    }

    /// More are not told apart by their times.
    private static let mostHeldTurns = 4096
    private static let turnTime = Duration.milliseconds(1)

    mutating func noteHeld(_ side: Side, _ count: Int, at time: Timestamp) {
        guard count > 0 else { return }
        if let last = heldOrder.last, last.side == side,
            heldOrder.count >= Self.mostHeldTurns || time - last.time < Self.turnTime
        {
            heldOrder[heldOrder.count - 1].count += count
        } else {
            heldOrder.append(HeldTurn(side: side, count: count, time: time))
        }
    }

    /// What the other side has waited with, as it lacked what this record says, was said before it: it is read now.
    mutating func letOtherSideGoFirst(
        _ found: TLSRecordProtection.Opened,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        guard changes > 0 else { return }
        // That needs the buffer, too.
        let content = Array(UnsafeRawBufferPointer(start: buffer.start, count: found.length))
        settle(keys, &sink)
        buffer.reserve(content.count)
        UnsafeMutableRawBufferPointer(start: buffer.start, count: content.count).copyBytes(from: content)
    }

    /// Takes what both directions hold back once more, in the order in which it came: a question before its answer.
    mutating func replayHeld(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        let now = sink.time
        var held = [Side.client: takeHeld(of: client), .server: takeHeld(of: server)]
        let order = heldOrder(
            client: held[.client]?.count ?? 0,
            server: held[.server]?.count ?? 0,
            at: now
        )
        heldOrder = []
        for turn in order {
            guard var mine = held[turn.side] else { continue }
            sink.time = turn.time
            replay(&mine, turn.count, from: turn.side, keys, &sink)
            held[turn.side] = mine
        }
        sink.time = now
        for side in [Side.client, .server] {
            for gap in held[side]?.gaps ?? [] { lost(gap.count, from: side, into: &sink) }
            if held[side]?.hasEnded == true { ended(side, keys: keys, into: &sink) }
        }
    }

    private func takeHeld(of direction: TLSDirection) -> Held {
        defer {
            direction.held = []
            direction.heldStart = 0
            direction.gaps = []
            direction.waits = nil
            direction.hasEnded = false
        }
        return Held(
            bytes: direction.held,
            place: direction.heldStart,
            gaps: direction.gaps[...],
            hasEnded: direction.hasEnded
        )
    }

    /// In which order so many bytes of both sides came.
    private func heldOrder(client: Int, server: Int, at now: Timestamp) -> [HeldTurn] {
        var order = heldOrder
        // Who had begun a record before holds more than came since; of what was read meanwhile there is less.
        for (side, count) in [(Side.client, client), (.server, server)] {
            var rest = count
            for index in order.indices.reversed() where order[index].side == side {
                order[index].count = min(order[index].count, rest)
                rest -= order[index].count
            }
            guard rest > 0 else { continue }
            let place = side == .client ? 0 : order.firstIndex { $0.side == .server } ?? 0
            let time = order.indices.contains(place) ? order[place].time : now
            order.insert(HeldTurn(side: side, count: rest, time: time), at: place)
        }
        return order
    }

    /// Takes the next bytes of a side, with the gaps between them and right behind them.
    private mutating func replay(
        _ held: inout Held,
        _ count: Int,
        from side: Side,
        _ keys: TLSKeyLog,
        _ sink: inout some TLSStreamSink
    ) {
        let end = held.place + count
        while held.place < end || held.gaps.first?.place == held.place {
            let next = min(end, held.gaps.first?.place ?? end)
            if next > held.place {
                held.bytes.withUnsafeBytes {
                    receive(.init(rebasing: $0[held.place..<next]), from: side, keys: keys, into: &sink)
                }
                held.place = next
            } else if let gap = held.gaps.popFirst() {
                lost(gap.count, from: side, into: &sink)
            }
        }
    }
}
