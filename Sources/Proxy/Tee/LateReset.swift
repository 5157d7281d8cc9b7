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
    private static let interval = TimeAmount.milliseconds(100)

    /// Whether the other end has just been sent a part of something.
    let isWithinAnswer: Bool
    /// Who takes nothing for so long will take nothing any more.
    let patience: TimeAmount

    /// Call on the channel's loop, when all that was written is flushed.
    func begin(on channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: isWithinAnswer ? Self.timeToRead : .zero) {
            wait(channel, left: nil, since: channel.eventLoop.now)
        }
    }

    /// `left`: what was on its way at `since`.
    private func wait(_ channel: any Channel, left: Left?, since: NIODeadline) {
        guard channel.isActive, let socket = channel as? any SocketOptionProvider else {
            return channel.close(promise: nil)
        }
        Self.left(in: channel, socket).assumeIsolated().whenComplete { result in
            let still = try? result.get()
            let now = channel.eventLoop.now
            guard let still, !still.isNothing, still != left || now - since < patience else {
                return socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete {
                    _ in
                    channel.close(promise: nil)
                }
            }
            channel.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
                wait(channel, left: still, since: still == left ? since : now)
            }
        }
    }

    /// What the other end of a connection has not got.
    private struct Left: Equatable {
        /// In bytes, that the system has not taken.
        var queued: Int
        var unacknowledged: UInt32
        var unsent: UInt32

        var isNothing: Bool { queued == 0 && unacknowledged == 0 && unsent == 0 }
    }

    private static func left(
        in channel: any Channel,
        _ socket: any SocketOptionProvider
    ) -> EventLoopFuture<Left> {
        let queued = channel.getOption(.bufferedWritableBytes)
        #if os(Linux)
        // `struct tcp_info` up to `tcpi_notsent_bytes`, which the C library's does not have (linux/tcp.h; Linux 4.6).
        let info: EventLoopFuture<InlineArray<38, UInt32>> = socket.unsafeGetSocketOption(
            level: .tcp,
            name: .init(rawValue: TCP_INFO)
        )
        return queued.and(info).map { Left(queued: $0, unacknowledged: $1[6], unsent: $1[36]) }
        #else
        let count: EventLoopFuture<CInt> = socket.unsafeGetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_NWRITE)
        )
        return queued.and(count).map { Left(queued: $0, unacknowledged: 0, unsent: UInt32(clamping: $1)) }
        #endif
    }
}
