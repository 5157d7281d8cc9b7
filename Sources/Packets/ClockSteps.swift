internal import Captures

/// Where the times of a capture go back: its clock was set, or it is put together of several.
///
/// What was under way then has no true duration, and none is made up: within a connection time stands still until it is caught up with.
struct ClockSteps {
    /// As far as packets of one capture stand out of their order.
    private static let tolerance = Duration.seconds(1)

    private var before: Timestamp?
    private var count = 0
    private var first: (packet: Int, back: Duration)?

    /// Takes note of the time of the next packet.
    @inline(__always)
    mutating func note(_ time: Timestamp, of packet: Int) {
        if let before, time < before { stepped(before - time, at: packet) }
        before = time
    }

    private mutating func stepped(_ back: Duration, at packet: Int) {
        guard back > Self.tolerance else { return }
        count += 1
        first = first ?? (packet, back)
    }

    /// What there is to tell of them.
    var loss: PacketLoss? {
        first.map { first in
            PacketLoss(
                packet: first.packet,
                what: "the clock goes back by \(first.back.components.seconds) s"
                    + (count == 1 ? "" : ", the first time of \(count)")
                    + ": what was under way may seem to have taken no time"
            )
        }
    }
}
