internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Ends a connection with a reset, once the other end has what was written before: a reset drops what is still here.
struct LateReset {
    /// For the other end to take out what has arrived.
    private static let timeToRead = TimeAmount.milliseconds(500)

    /// Whether the other end has just been sent a part of something.
    let isWithinAnswer: Bool
    /// Who takes nothing for so long will take nothing any more.
    let patience: TimeAmount

    /// Call on the channel's loop, when all that was written is flushed.
    func begin(on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: isWithinAnswer ? Self.timeToRead : .zero) {
            OutputWatch(patience: patience).wait(on: channel, until: { $0?.isNothing ?? true }) {
                guard let socket = channel as? any SocketOptionProvider else {
                    return channel.close(promise: nil)
                }
                socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in
                    channel.close(promise: nil)
                }
            }
        }
    }
}
