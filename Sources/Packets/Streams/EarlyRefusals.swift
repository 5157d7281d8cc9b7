import Captures

/// Resets that were captured before the SYN that they refuse, as where a capture mixes up neighbours.
struct EarlyRefusals {
    private static let maximum = 64

    private var refusals: [(segment: TCPSegment, time: Timestamp)] = []

    var isEmpty: Bool { refusals.isEmpty }

    /// Keeps a reset of no connection for a moment.
    mutating func note(_ segment: TCPSegment, at time: Timestamp) {
        // Who refuses a SYN acknowledges it (RFC 9293, section 3.10.7.1).
        guard segment.flags.contains(.acknowledge) else { return }
        forget(before: time)
        if refusals.count == Self.maximum { refusals.removeFirst() }
        var refusal = segment
        // Words of a reset tell nothing, and are there during the call only.
        refusal.payload = UnsafeRawBufferPointer(start: nil, count: 0)
        refusal.missing = 0
        refusals.append((refusal, time))
    }

    /// Takes the one that refuses a SYN out, with its time.
    mutating func take(refusing opening: TCPSegment, at time: Timestamp) -> (TCPSegment, Timestamp)? {
        forget(before: time)
        guard let index = refusals.firstIndex(where: { Self.refuses($0.segment, opening) }) else {
            return nil
        }
        return refusals.remove(at: index)
    }

    private mutating func forget(before time: Timestamp) {
        refusals.removeAll { time - $0.time > TCPReset.patience }
    }

    /// With the SYN, data may have come (RFC 7413).
    private static func refuses(_ refusal: TCPSegment, _ opening: TCPSegment) -> Bool {
        let (key, isFromFirst) = FlowKey.of(opening)
        return FlowKey.of(refusal) == (key, !isFromFirst)
            && (1...opening.dataCount + 1).contains(Int(refusal.acknowledgment &- opening.sequence))
    }
}
