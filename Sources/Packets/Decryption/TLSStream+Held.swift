internal import Wire

/// Bytes that both directions hold back, and the order in which they came.
extension TLSStream {
    /// What one direction holds back.
    private struct Held {
        var bytes: [UInt8]
        var place: Int
        var gaps: ArraySlice<(place: Int, count: Int)>
        var hasEnded: Bool
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
    mutating func repeatHeld(_ keys: TLSKeyLog, _ sink: inout some TLSStreamSink) {
        func take(_ direction: TLSDirection) -> Held {
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
        var held = [Side.client: take(client), .server: take(server)]
        var order = heldOrder
        heldOrder = []
        // Who had begun a record before holds more than came since; of what was read meanwhile there is less.
        for side in [Side.client, .server] {
            var rest = held[side].map { $0.bytes.count - $0.place } ?? 0
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
        for (side, count) in order {
            guard var mine = held[side] else { continue }
            let end = mine.place + count
            while mine.place < end || mine.gaps.first?.place == mine.place {
                let next = min(end, mine.gaps.first?.place ?? end)
                if next > mine.place {
                    mine.bytes.withUnsafeBytes {
                        receive(.init(rebasing: $0[mine.place..<next]), from: side, keys: keys, into: &sink)
                    }
                    mine.place = next
                } else if let gap = mine.gaps.popFirst() {
                    lost(gap.count, from: side, into: &sink)
                }
            }
            held[side] = mine
        }
        for side in [Side.client, .server] {
            for gap in held[side]?.gaps ?? [] { lost(gap.count, from: side, into: &sink) }
            if held[side]?.hasEnded == true { ended(side, keys: keys, into: &sink) }
        }
    }
}
