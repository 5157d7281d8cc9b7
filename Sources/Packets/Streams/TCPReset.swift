import Captures
import Wire

/// A RST that may have ended a connection.
///
/// It ends one only if the other end took it for the very next byte; farther off within its window it is answered and has to
/// come again, outside of that it is passed over (RFC 9293, section 3.10.7.4; RFC 5961, section 3). The capture does not
/// have every byte, nor in every case in their order: so what comes behind a RST decides as well.
struct TCPReset {
    /// Who sent it.
    let side: Side
    /// Where it stands in the sender's direction; nil where nothing is known of that.
    let place: Int64?
    let time: Timestamp

    /// How long bytes that were sent before it may come behind it.
    static let patience = TCPDirection.patience

    /// Nil for one that is outside of any window.
    ///
    /// `sent`: the sender's direction.
    init?(_ segment: TCPSegment, from side: Side, _ sent: TCPDirection, at time: Timestamp) {
        self.side = side
        self.time = time
        guard sent.isFirm else {
            place = nil
            return
        }
        let place = sent.place(of: segment.sequence)
        // Some do not count their FIN.
        guard place >= sent.acknowledged - (sent.hasFinish ? 1 : 0),
            place <= sent.highest + TCPDirection.usualWindow
        else { return nil }
        self.place = place
    }

    /// Whether it stands at the very next byte, by what has come up to now.
    func isSure(_ sent: TCPDirection) -> Bool {
        guard let place else { return true }
        return place == sent.highest || place == sent.acknowledged
            || (sent.hasFinish && place + 1 == sent.highest)
    }

    /// Whether its sender says more than it could have said before it.
    func isBelied(by segment: TCPSegment, from side: Side, _ sent: TCPDirection) -> Bool {
        guard side == self.side, let place else { return false }
        let count = segment.dataCount
        return count > 0 && sent.place(of: segment.sequence) + Int64(count) > place
    }
}

/// Connections of which it shows within a moment whether a RST was their end, in the order in which it came.
struct TCPResetQueue {
    struct Entry {
        var slot: Int
        /// The connection's, since another may have its slot by then.
        var number: Int
        var time: Timestamp
    }

    private static let maximum = 4096

    private var entries: [Entry] = []
    /// Those before this one are taken.
    private var begin = 0

    var isEmpty: Bool { begin == entries.count }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// The next one that has waited long enough.
    mutating func removeFirst(at time: Timestamp) -> Entry? {
        guard !isEmpty else { return nil }
        let first = entries[begin]
        guard time - first.time > TCPReset.patience || entries.count - begin > Self.maximum else {
            return nil
        }
        begin += 1
        if isEmpty {
            entries.removeAll(keepingCapacity: true)
            begin = 0
        } else if begin >= Self.maximum {
            entries.removeFirst(begin)
            begin = 0
        }
        return first
    }
}
