internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// Ends a connection with a reset, once the other end has what was written before: a reset drops what is still here.
enum LateReset {
    /// For the other end to take out what has arrived.
    private static let timeToRead = TimeAmount.milliseconds(500)
    private static let interval = TimeAmount.milliseconds(100)
    /// Who takes nothing for so long will take nothing any more.
    static let patience = TimeAmount.seconds(30)

    /// Call on the channel's loop, when all that was written is with the system.
    static func reset(_ channel: any Channel) {
        channel.eventLoop.assumeIsolated().scheduleTask(in: timeToRead) {
            wait(channel, left: nil, since: channel.eventLoop.now)
        }
    }

    /// `left`: what was on its way at `since`.
    private static func wait(_ channel: any Channel, left: Left?, since: NIODeadline) {
        guard channel.isActive, let socket = channel as? any SocketOptionProvider else {
            return channel.close(promise: nil)
        }
        self.left(in: socket).assumeIsolated().whenComplete { result in
            let still = try? result.get()
            let now = channel.eventLoop.now
            guard let still, !still.isNothing, still != left || now - since < patience else {
                return socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete {
                    _ in
                    channel.close(promise: nil)
                }
            }
            channel.eventLoop.assumeIsolated().scheduleTask(in: interval) {
                wait(channel, left: still, since: still == left ? since : now)
            }
        }
    }

    /// What the system has of a connection that the other end has not got.
    private struct Left: Equatable {
        var unacknowledged: UInt32
        var unsent: UInt32

        var isNothing: Bool { unacknowledged == 0 && unsent == 0 }
    }

    private static func left(in socket: any SocketOptionProvider) -> EventLoopFuture<Left> {
        #if os(Linux)
        // `struct tcp_info` up to `tcpi_notsent_bytes`, which the C library's does not have (linux/tcp.h; Linux 4.6).
        let info: EventLoopFuture<InlineArray<38, UInt32>> = socket.unsafeGetSocketOption(
            level: .tcp,
            name: .init(rawValue: TCP_INFO)
        )
        return info.map { Left(unacknowledged: $0[6], unsent: $0[36]) }
        #else
        let count: EventLoopFuture<CInt> = socket.unsafeGetSocketOption(
            level: .socket,
            name: .init(rawValue: SO_NWRITE)
        )
        return count.map { Left(unacknowledged: 0, unsent: UInt32(clamping: $0)) }
        #endif
    }
}
