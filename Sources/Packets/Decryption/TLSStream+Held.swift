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

    mutating func noteHeld(_ side: Side, _ count: Int) {
        guard count > 0 else { return }
        if heldOrder.last?.side == side {
            heldOrder[heldOrder.count - 1].count += count
        } else {
            heldOrder.append((side, count))
        }
    }

    /// Takes what both directions hold back once more, in the order in which it came: a question before its answer.
    mutating func replayHeld(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        var held = [Side.client: takeHeld(of: client), .server: takeHeld(of: server)]
        let order = heldOrder(
            client: held[.client]?.count ?? 0,
            server: held[.server]?.count ?? 0
        )
        heldOrder = []
        for (side, count) in order {
            guard var mine = held[side] else { continue }
            replay(&mine, count, from: side, keys, &sink)
            held[side] = mine
        }
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
    private func heldOrder(client: Int, server: Int) -> [(side: Side, count: Int)] {
        var order = heldOrder
        // Who had begun a record before holds more than came since; of what was read meanwhile there is less.
        for (side, count) in [(Side.client, client), (.server, server)] {
            var rest = count
            for index in order.indices.reversed() where order[index].side == side {
                order[index].count = min(order[index].count, rest)
                rest -= order[index].count
            }
            if rest > 0 {
                order.insert(
                    (side, rest),
                    at: side == .client ? 0 : order.firstIndex { $0.side == .server } ?? 0
                )
            }
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
