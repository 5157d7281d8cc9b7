internal import Captures
internal import NIOCore

/// The last byte that came of an answer whose client has ended its half of the connection.
///
/// Few of those wait for their answer: most have gone, as their time was up or their page was left. Which it is shows only when
/// they are sent something, since the system of one that has gone resets the connection then. So all else goes on at once,
/// and the byte, with which an answer may be complete, waits for that for a moment.
struct LastByte {
    typealias Piece = WaitingAnswer.Piece

    /// Longer than it takes to a client on the same network, and back.
    private static let patience = TimeAmount.milliseconds(100)

    private var piece: Piece?
    private var ends: [() -> Void] = []
    private var waiting: Scheduled<Void>?

    var isWaiting: Bool { piece != nil }

    /// Takes the last of these bytes; `done` is called when it has waited.
    mutating func hold(
        of bytes: inout ByteBuffer,
        at time: Timestamp,
        on loop: any EventLoop,
        _ done: @escaping () -> Void
    ) {
        guard bytes.readableBytes > 0, let byte = bytes.getSlice(at: bytes.writerIndex - 1, length: 1)
        else { return }
        bytes.moveWriterIndex(to: bytes.writerIndex - 1)
        piece = (byte, time)
        waiting = loop.assumeIsolated().scheduleTask(in: Self.patience) { done() }
    }

    /// Takes what happened to the provider's side behind it; false where nothing waits.
    mutating func delays(_ end: @escaping () -> Void) -> Bool {
        guard isWaiting else { return false }
        ends.append(end)
        return true
    }

    /// What has waited, and waits no more.
    mutating func take() -> (piece: Piece?, ends: [() -> Void]) {
        waiting?.cancel()
        waiting = nil
        defer { (piece, ends) = (nil, []) }
        return (piece, ends)
    }
}
